// A cache for the last accepted header: the tokens of one sender have the same header.

import JOSEBytes
import Synchronization

/// The result of reading a header, by its exact text.
///
/// It keeps only headers that the strict reader accepted, in a token whose signature or tag was
/// right. Equal bytes need no second reading. A header is kept when it comes twice in a row, so
/// that alternating senders cost nothing. It never blocks: if another thread uses the cache, the
/// header is read as usual. The outcome is a class, so returning it costs one reference count.
final class HeaderCache<Outcome: AnyObject & Sendable>: Sendable {
    private struct CachedHeader {
        var header: [UInt8] = []
        var outcome: Outcome?
        /// The hash of the last header that was not cached.
        var lastHash: UInt64 = 0
    }
    private let kept = Lock(CachedHeader())

    /// The outcome of this header; nil if another one is cached.
    func outcome(of encoded: Span<UInt8>) -> Outcome? {
        kept.withLockIfAvailable { kept in
            equal(kept.header.span, encoded) ? kept.outcome : nil
        } ?? nil
    }

    /// Caches an accepted header if it is the second of its kind in a row.
    func keep(_ encoded: Span<UInt8>, _ outcome: @autoclosure () -> Outcome) {
        guard encoded.count <= HeaderCache.maxBytes else { return }
        let hash = HeaderCache.hash(encoded)
        _ = kept.withLockIfAvailable { kept in
            guard kept.lastHash == hash else {
                kept.lastHash = hash
                return
            }
            kept.header = [UInt8](byteCapacity: encoded.count) { $0.append(copying: encoded) }
            kept.outcome = outcome()
        }
    }

    /// Larger headers contain what changes with each token.
    private static var maxBytes: Int { 1_024 }

    /// A hash that differs between most headers. It only decides what is cached.
    private static func hash(_ encoded: Span<UInt8>) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: encoded.count)
        for index in max(0, encoded.count - 16)..<encoded.count {
            hash = hash &* 31 &+ UInt64(encoded[index])
        }
        return hash
    }
}
