// What the certificates of a public set came to, when it was read or made and at each use since.

import JOSEBytes
import Synchronization

/// The verdicts of a trust store on the keys of one set; shared by the set's copies.
package final class KeyTrust: Sendable {
    /// What is asked at each use; nil where the proofs that the keys came with are all there is.
    private let demand: Demand?
    /// The verdict on each key when the set was read, or the proof that it came with.
    private let first: [Result<ValidatedChain?, JOSEError>]
    /// The last verdicts, two for each key: as a signer's and as a recipient's.
    private let latest: Lock<[Verdict?]>

    private struct Verdict {
        let second: Int64
        let result: Result<ValidatedChain?, JOSEError>

        var match: KeyMatch {
            if case .success = result { .matches } else { .untrusted }
        }

        /// Whether the store would still say the same. A rejected key is validated again each
        /// second at most, however many tokens name it.
        func holds(at now: NumericDate) -> Bool {
            switch result {
            case .success(let chain): chain?.contains(now) ?? true
            case .failure: second == now.seconds
            }
        }
    }

    /// Judges every usable key; nil where the rule asks for nothing. Where memory or the provider
    /// fails for one key, the others are judged all the same: that one is skipped, and asked for
    /// again at each use.
    init?(_ rule: CertificateRule, _ keys: PublicJWKSet.Storage, at now: NumericDate?) {
        guard let demand = Demand(rule, keys) else { return nil }
        let now = now ?? .now
        var first: [Result<ValidatedChain?, JOSEError>] = []
        for (index, record) in keys.records.enumerated() {
            let use = record.facts.use
            var verdict = demand.verdict(index, use == .encryption ? .encryption : .signature, now)
            // Without a use either purpose will do until the key is used.
            if use == .absent, case .failure = verdict {
                let other = demand.verdict(index, .encryption, now)
                if case .success = other { verdict = other }
            }
            first.append(verdict)
        }
        self.demand = demand
        self.first = first
        latest = Lock(Array(repeating: nil, count: 2 * first.count))
    }

    /// The proofs that these keys have of their own; nil where none of them has one. A key without
    /// one needs none.
    init?(_ keys: [JWK]) {
        let chains = keys.map(\.validatedChain)
        guard chains.contains(where: { $0 != nil }) else { return nil }
        demand = nil
        first = chains.map { .success($0) }
        latest = Lock(Array(repeating: nil, count: 2 * first.count))
    }

    /// The proof that a key had when the set was read; nil where none was needed.
    ///
    /// Throws `untrustedKey`, `keyUnusable`, `limitExceeded` or `malformed` for a key that was
    /// skipped.
    func firstChain(_ index: Int) throws(JOSEError) -> ValidatedChain? {
        try first[index].get()
    }

    /// Whether the key is not for this at any time: it was skipped when the set was read, or its
    /// own proof is for another purpose.
    func rejects(_ index: Int, _ purpose: CertificatePurpose) -> Bool {
        switch first[index] {
        case .failure(let error): error.code != .internal
        case .success(let chain): demand == nil && chain.map { $0.purpose != purpose } ?? false
        }
    }

    /// The places of the keys that were skipped when the set was read, in order.
    var failedIndices: [Int] {
        first.indices.filter { if case .failure = first[$0] { true } else { false } }
    }

    /// Why a key was skipped when the set was read; nil where it was not.
    func failure(_ index: Int) -> String? {
        guard case .failure(let error) = first[index] else { return nil }
        let identity = error.isOfIdentity ? demand?.store.identity : nil
        return error.message + (identity.map { "; demanded: \($0)" } ?? "")
    }

    /// The end of the first proof to end; nil where there is none.
    package var validUntil: NumericDate? {
        first.compactMap { try? $0.get()?.notAfter }.min()
    }

    /// Why a key was skipped when the set was read, in the code of a token that names it; nil where
    /// it was not.
    func firstRejection(_ index: Int) -> JOSEError? {
        guard case .failure(let error) = first[index] else { return nil }
        return JOSEError(.untrustedKey, .certificate, error.reason)
    }

    /// Why a key was not admitted when it was last asked for; nil where it was, or where nobody
    /// could tell.
    ///
    /// To a token that names the key every fault of its certificates is the same code; the words
    /// stay.
    func rejection(_ index: Int, _ purpose: CertificatePurpose) -> JOSEError? {
        let verdict = latest.withLock { $0[KeyTrust.slot(index, purpose)] }
        guard case .failure(let error)? = verdict?.result else { return nil }
        return JOSEError(.untrustedKey, .certificate, error.reason)
    }

    private static func slot(_ index: Int, _ purpose: CertificatePurpose) -> Int {
        2 * index + (purpose == .signature ? 0 : 1)
    }

    /// Whether a key's chain holds now: `matches`, `untrusted`, or `undetermined`, which is not
    /// remembered. Costs a comparison of times while it does.
    func match(_ index: Int, _ purpose: CertificatePurpose, at now: NumericDate) -> KeyMatch {
        let slot = KeyTrust.slot(index, purpose)
        if let verdict = latest.withLock({ $0[slot] }), verdict.holds(at: now) {
            return verdict.match
        }
        let result = verdict(index, purpose, now)
        if case .failure(let error) = result, error.code == .internal { return .undetermined }
        let verdict = Verdict(second: now.seconds, result: result)
        latest.withLock { $0[slot] = verdict }
        return verdict.match
    }

    private func verdict(
        _ index: Int, _ purpose: CertificatePurpose, _ now: NumericDate
    ) -> Result<ValidatedChain?, JOSEError> {
        if let demand { return demand.verdict(index, purpose, now) }
        do throws(JOSEError) {
            let chain = try first[index].get()
            try chain?.check(for: purpose, at: now)
            return .success(chain)
        } catch {
            return .failure(error)
        }
    }
}

/// A rule with its store, and the keys that it is for.
private struct Demand {
    let store: TrustStore
    let isRequired: Bool
    let keys: PublicJWKSet.Storage

    init?(_ rule: CertificateRule, _ keys: PublicJWKSet.Storage) {
        switch rule {
        case .ignore: return nil
        case .requireWhenPresent(let store): (self.store, isRequired) = (store, false)
        case .require(let store): (self.store, isRequired) = (store, true)
        }
        self.keys = keys
    }

    /// The validated chain, nil where none is required, or why it is rejected. Keys that cannot be
    /// used at all are rejected before.
    func verdict(
        _ index: Int, _ purpose: CertificatePurpose, _ now: NumericDate
    ) -> Result<ValidatedChain?, JOSEError> {
        guard keys.isUsable(index) else { return .success(nil) }
        do throws(JOSEError) {
            let key = try keys.key(index)
            let isPresent = key.certificateChain != nil || key.certificateDefect != nil
            guard isRequired || isPresent else { return .success(nil) }
            return .success(try store.validate(key, purpose: purpose, at: now))
        } catch {
            return .failure(error)
        }
    }
}

/// A set as a token meets it: keys whose certificates do not hold now fit nothing.
struct TrustedKeys: SelectableKeys {
    let keys: PublicJWKSet
    let trust: KeyTrust
    let now: NumericDate

    var keyCount: Int { keys.keyCount }

    func forEachKey(withID keyID: Span<UInt8>, _ body: (Int) -> Void) {
        keys.forEachKey(withID: keyID, body)
    }

    func match(_ index: Int, _ query: KeyQuery) -> KeyMatch {
        let match = keys.storage.match(index, query)
        guard match == .matches else { return match }
        return trust.match(index, query.purpose, at: now)
    }

    func rejection(_ index: Int, _ match: KeyMatch, _ query: KeyQuery) -> JOSEError {
        (match == .untrusted ? trust.rejection(index, query.purpose) : nil)
            ?? keys.rejection(index, match, query)
    }

    func distinct(_ indices: [Int]) throws(JOSEError) -> [Int] { try keys.distinct(indices) }

    func labels(_ index: Int) -> KeyLabels { keys.labels(index) }
}

extension KeyQuery {
    /// What a certificate must be for.
    var purpose: CertificatePurpose { use == .encryption ? .encryption : .signature }
}
