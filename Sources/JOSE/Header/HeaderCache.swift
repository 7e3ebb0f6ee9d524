// A cache for the last accepted header: the tokens of one sender have the same header.

import JOSEBytes
import Synchronization

/// Caches the result of reading the last accepted header, by the exact text of the header.
///
/// A header is cached only if the strict reader accepted it, in a token whose signature or tag was
/// accepted too. It is cached when it comes twice in a row, so that alternating senders cost
/// nothing. The cache never blocks: while another thread uses the cache, a header is read as usual.
/// The outcome is a class, so returning it costs one reference count.
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

    /// Caches an accepted header if the last one that was not cached had the same hash.
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

    /// The maximum size. Larger headers usually have members that change with each token.
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
