// What a reader said to the last header that it accepted: the tokens of one sender have one header.

import JOSEBytes
import Synchronization

/// The outcome of one header by its exact text.
///
/// Only what the strict reader accepted, in a token whose signature or tag was right, is kept; equal bytes need no
/// second reading. A header is kept once it has come twice in a row, so that senders who take turns cost nothing.
/// Nobody waits: where another thread is looking, the header is read as always. The outcome is a class: handing it out
/// is one count, however much it holds.
final class HeaderCache<Outcome: AnyObject & Sendable>: Sendable {
    private struct CachedHeader {
        var header: [UInt8] = []
        var outcome: Outcome?
        /// Something of the last header that was not kept.
        var trace: UInt64 = 0
    }
    private let kept = Lock(CachedHeader())

    /// What came of this header; nil where it is not the one that is kept.
    func outcome(of encoded: Span<UInt8>) -> Outcome? {
        kept.withLockIfAvailable { kept in
            equal(kept.header.span, encoded) ? kept.outcome : nil
        } ?? nil
    }

    /// Keeps an accepted header, if it is the second of its kind in a row.
    func keep(_ encoded: Span<UInt8>, _ outcome: @autoclosure () -> Outcome) {
        guard encoded.count <= HeaderCache.most else { return }
        let trace = HeaderCache.trace(encoded)
        _ = kept.withLockIfAvailable { kept in
            guard kept.trace == trace else {
                kept.trace = trace
                return
            }
            kept.header = [UInt8](byteCapacity: encoded.count) { $0.append(copying: encoded) }
            kept.outcome = outcome()
        }
    }

    /// Larger headers hold what changes with each token.
    private static var most: Int { 1_024 }

    /// Differs between most headers; it decides nothing but what is kept.
    private static func trace(_ encoded: Span<UInt8>) -> UInt64 {
        var trace = UInt64(truncatingIfNeeded: encoded.count)
        for index in max(0, encoded.count - 16)..<encoded.count {
            trace = trace &* 31 &+ UInt64(encoded[index])
        }
        return trace
    }
}
