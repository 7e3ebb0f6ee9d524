// What a reader said to headers that differ in the values of the algorithm's own parameters alone.

import JOSEBytes
import Synchronization

/// The outcome of headers that carry what each message's key brings: `iv` and `tag` of AES-GCM key wrapping, the
/// coordinates of an ephemeral key (RFC 7518, 4.7.1 and 4.6.1.1). As `HeaderMemory` is for headers that stay the same.
///
/// A header is known where all of its text but these values is that of the accepted one, and the values are
/// base64url of their sizes: no character of that alphabet means anything to a reader of JSON strings, so the strict
/// reader would come to the same end.
final class HeaderPattern<Outcome: AnyObject & Sendable>: Sendable {
    private struct RememberedPattern {
        var text: [UInt8] = []
        var holes = Holes()
        var outcome: Outcome?
        /// The shape of the last header that was not kept.
        var shape = Holes()
    }

    /// Where the values stand in a header's text of `count` bytes, in the order of the parameters.
    private struct Holes: Equatable {
        var first = 0..<0
        /// Empty, at the end of the text, where there is one value.
        var second = 0..<0
        var count = 0
    }
    private let kept = Lock(RememberedPattern())

    /// Larger headers hold what changes with each token.
    private static var most: Int { 768 }
    /// The bytes of the values have room in this, in any header that is kept.
    static var mostValues: Int { 768 / 4 * 3 }

    /// What came of headers like this one, and the values behind each other; nil where it is unlike, and then
    /// nothing is appended.
    func outcome(of encoded: Span<UInt8>, _ parameters: inout OutputSpan<UInt8>) -> Outcome? {
        guard let count = Base64URL.decodedCount(encoded.count), count <= Self.most else {
            return nil
        }
        return withScratch(of: UInt8.self, capacity: max(count, 1)) { scratch in
            guard Base64URL.decode(encoded, into: &scratch) else { return nil }
            let text = scratch.span
            guard let (outcome, holes) = known(text) else { return nil }
            let room = parameters.count
            guard Base64URL.decode(text.extracting(holes.first), into: &parameters),
                Base64URL.decode(text.extracting(holes.second), into: &parameters)
            else {
                parameters.removeLast(parameters.count - room)
                return nil
            }
            return outcome
        }
    }

    private func known(_ text: Span<UInt8>) -> (Outcome, Holes)? {
        kept.withLockIfAvailable { kept -> (Outcome, Holes)? in
            let holes = kept.holes
            guard let outcome = kept.outcome, holes.count == text.count else { return nil }
            let (first, second) =
                holes.first.lowerBound < holes.second.lowerBound
                ? (holes.first, holes.second) : (holes.second, holes.first)
            let own = kept.text.span
            for part in [
                0..<first.lowerBound, first.upperBound..<second.lowerBound,
                second.upperBound..<text.count,
            ] where !equal(own.extracting(part), text.extracting(part)) { return nil }
            return (outcome, holes)
        } ?? nil
    }

    /// Keeps an accepted header, if it is the second of its shape in a row.
    ///
    /// - Parameter values: One string or two, whose bytes are the parameters.
    func keep(
        _ text: Span<UInt8>, values: (JSONNode, JSONNode?), _ outcome: @autoclosure () -> Outcome
    ) {
        let (first, second) = values
        guard text.count <= Self.most, !first.hasEscapes, second?.hasEscapes != true else { return }
        let holes = Holes(
            first: first.start..<first.end,
            second: second.map { $0.start..<$0.end } ?? text.count..<text.count, count: text.count)
        _ = kept.withLockIfAvailable { kept in
            guard kept.shape == holes else {
                kept.shape = holes
                return
            }
            kept.text = [UInt8](byteCapacity: text.count) { $0.append(copying: text) }
            kept.holes = holes
            kept.outcome = outcome()
        }
    }
}
