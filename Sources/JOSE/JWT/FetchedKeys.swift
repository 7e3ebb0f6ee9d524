// Validates a header, then fetches keys from a `KeySource`; keeps the verifier of the last set.

import JOSEBytes
import Synchronization

final class FetchedKeys: Sendable {
    private let source: any KeySource
    private let headerPolicy: SignatureHeaderPolicy
    private let latest = Lock<(keys: PublicJWKSet, verifier: JWSVerifier)?>(nil)
    private let cache = HeaderCache<ValidatedHeader>()

    init(_ source: any KeySource, _ headerPolicy: SignatureHeaderPolicy) {
        self.source = source
        self.headerPolicy = headerPolicy
    }

    struct TokenHeader {
        fileprivate let header: ValidatedHeader
        fileprivate let range: Range<Int>
        fileprivate let isCached: Bool
    }

    /// Validates the header of a token before any key is fetched.
    func header(
        of token: Span<UInt8>, _ context: borrowing VerificationContext
    ) throws(JOSEError) -> TokenHeader {
        guard let trace = context.trace else { return try validated(token, context) }
        do throws(JOSEError) {
            return try validated(token, context)
        } catch {
            // The source is not called for a rejected header: explain with the keys that it
            // returned last.
            let keys = latest.withLock { $0?.verifier.check.keys }
            SignatureRejection(
                keys: keys, headerPolicy: headerPolicy, type: context.type, trace: trace
            ).explain(error, token)
            throw error
        }
    }

    @inline(__always)
    private func validated(
        _ token: Span<UInt8>, _ context: borrowing VerificationContext
    ) throws(JOSEError) -> TokenHeader {
        let range = try CompactJWS(token, headerPolicy.limits).header
        let text = token.extracting(range)
        if context.trace == nil, let known = cache.outcome(of: text) {
            return TokenHeader(header: known, range: range, isCached: true)
        }
        let header = try ValidatedHeader(text, headerPolicy, context)
        return TokenHeader(header: header, range: range, isCached: false)
    }

    struct Fetched {
        let verifier: JWSVerifier
        let header: ValidatedHeader
        fileprivate let isStale: Bool

        /// Returns `unavailable` instead of the error if newer keys might accept the token.
        func adjusted(_ error: JOSEError) -> JOSEError {
            error.adjusted(forStaleKeys: isStale, keyID: header.keyID)
        }
    }

    func keys(for header: TokenHeader) async throws(JOSEError) -> Fetched {
        let header = header.header
        let keys = try await source.keys(keyID: header.keyID)
        return latest.withLock { latest in
            if let latest, latest.keys.isSame(as: keys) {
                return Fetched(verifier: latest.verifier, header: header, isStale: keys.isStale)
            }
            let verifier = JWSVerifier(unchecked: .set(keys), headerPolicy)
            latest = (keys, verifier)
            return Fetched(verifier: verifier, header: header, isStale: keys.isStale)
        }
    }

    func cacheHeader(_ header: TokenHeader, of token: Span<UInt8>) {
        guard !header.isCached else { return }
        cache.keep(token.extracting(header.range), header.header)
    }
}
