// Keys that are fetched: what was prepared for a set is kept for as long as the source gives it.

import JOSEBytes
import Synchronization

/// Admits headers, asks a source for keys, and keeps what was prepared for the set that came last.
final class FetchedKeys: Sendable {
    private let source: any KeySource
    private let admission: SignatureHeaderPolicy
    private let latest = Lock<(keys: PublicJWKSet, verifier: JWSVerifier)?>(nil)
    private let memory = HeaderCache<ValidatedHeader>()

    init(_ source: any KeySource, _ admission: SignatureHeaderPolicy) {
        self.source = source
        self.admission = admission
    }

    /// A token's header and where it stands.
    struct Admitted {
        let header: ValidatedHeader
        fileprivate let place: Range<Int>
        fileprivate let isKnown: Bool
    }

    /// The header of a token, admitted before any key is asked for; one that was accepted before
    /// is not read again.
    func admit(
        _ token: Span<UInt8>, _ context: borrowing VerificationContext
    ) throws(JOSEError) -> Admitted {
        guard let trace = context.trace else { return try admitted(token, context) }
        do throws(JOSEError) {
            return try admitted(token, context)
        } catch {
            // The source is not asked for a token like this: the keys are those that it gave last.
            let keys = latest.withLock { $0?.verifier.check.keys }
            SignatureRejection(
                keys: keys, admission: admission, type: context.type, trace: trace
            ).explain(error, token)
            throw error
        }
    }

    @inline(__always)
    private func admitted(
        _ token: Span<UInt8>, _ context: borrowing VerificationContext
    ) throws(JOSEError) -> Admitted {
        let place = try CompactJWS(token, admission.limits).header
        let text = token.extracting(place)
        if context.trace == nil, let known = memory.outcome(of: text) {
            return Admitted(header: known, place: place, isKnown: true)
        }
        let header = try ValidatedHeader(text, admission, context)
        return Admitted(header: header, place: place, isKnown: false)
    }

    /// The verifier over the keys that the source had, and whether these stand in for newer ones.
    struct Fetched {
        let verifier: JWSVerifier
        private let isStale: Bool

        fileprivate init(_ verifier: JWSVerifier, isStale: Bool) {
            self.verifier = verifier
            self.isStale = isStale
        }

        /// What a rejection of this token means.
        func meaning(of error: JOSEError, _ admitted: Admitted) -> JOSEError {
            error.adjusted(forStaleKeys: isStale, keyID: admitted.header.keyID)
        }
    }

    /// The verifier over the keys that the source has for this header.
    func verifier(for admitted: Admitted) async throws(JOSEError) -> Fetched {
        let keys = try await source.keys(keyID: admitted.header.keyID)
        return latest.withLock { latest in
            if let latest, latest.keys.isSame(as: keys) {
                return Fetched(latest.verifier, isStale: keys.isStale)
            }
            let verifier = JWSVerifier(keys, admission)
            latest = (keys, verifier)
            return Fetched(verifier, isStale: keys.isStale)
        }
    }

    /// Remembers the header of a token whose signature was accepted.
    func remember(_ admitted: Admitted, of token: Span<UInt8>) {
        guard !admitted.isKnown else { return }
        memory.keep(token.extracting(admitted.place), admitted.header)
    }
}
