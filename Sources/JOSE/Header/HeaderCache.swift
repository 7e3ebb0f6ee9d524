// Caches what was read from the last accepted header: a sender's tokens have the same header.

import JOSEBytes
import Synchronization

/// Callers pass a header to `keep` only after they accepted the token's signature or tag.
///
/// A header is cached when `keep` gets it twice in a row: one token of another sender does not
/// displace the cached header. The cache never blocks: while another thread uses it, headers are
/// read as usual.
final class HeaderCache<Outcome: AnyObject & Sendable>: Sendable {
    private struct CachedHeader {
        var header: [UInt8] = []
        var outcome: Outcome?
        /// The hash of the last header that `keep` got.
        var lastHash: UInt64 = 0
    }
    private let kept = Lock(CachedHeader())

    /// Nil if this header is not cached, or another thread uses the cache.
    func outcome(of encoded: Span<UInt8>) -> Outcome? {
        kept.withLockIfAvailable { kept in
            equal(kept.header.span, encoded) ? kept.outcome : nil
        } ?? nil
    }

    /// Caches an accepted header if the last call of `keep` had a header with the same hash.
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

    /// Larger headers usually have members that change with each token.
    private static var maxBytes: Int { 1_024 }

    /// Hashes the length and the last 16 bytes. A collision only caches a header too early.
    private static func hash(_ encoded: Span<UInt8>) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: encoded.count)
        for index in max(0, encoded.count - 16)..<encoded.count {
            hash = hash &* 31 &+ UInt64(encoded[index])
        }
        return hash
    }
}
