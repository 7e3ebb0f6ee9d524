// Validates the certificates of a public set when the set is read, and again at each use.

import JOSEBytes
import Synchronization

package final class KeyTrust: Sendable {
    /// Nil without a rule: the `validatedChain` of each key counts.
    private let requirement: Requirement?
    /// For each key, the result of the validation when the set was made.
    private let initial: [Result<ValidatedChain?, JOSEError>]
    /// The results of the last uses: for each key one for signatures and one for encryption.
    private let latest: Lock<[ValidationResult?]>

    private struct ValidationResult {
        let second: Int64
        let result: Result<ValidatedChain?, JOSEError>

        var match: KeyMatch {
            if case .success = result { .matches } else { .untrusted }
        }

        /// A rejected key is validated again about once a second, however many tokens name it.
        func holds(at now: NumericDate) -> Bool {
            switch result {
            case .success(let chain): chain?.contains(now) ?? true
            case .failure: second == now.seconds
            }
        }
    }

    /// Returns nil if the rule is `ignore`. If a validation fails for lack of memory or in
    /// libcrypto, the key is listed in `skipped`, but each use validates it again.
    init?(_ rule: CertificateRule, _ keys: PublicJWKSet.Storage, at now: NumericDate?) {
        guard let requirement = Requirement(rule, keys) else { return nil }
        let now = now ?? .now
        var initial: [Result<ValidatedChain?, JOSEError>] = []
        for (index, record) in keys.records.enumerated() {
            let use = record.facts.use
            var result = requirement.validate(
                index, use == .encryption ? .encryption : .signature, now)
            // A key without `use` may serve either purpose.
            if use == .absent, case .failure = result {
                let other = requirement.validate(index, .encryption, now)
                if case .success = other { result = other }
            }
            initial.append(result)
        }
        self.requirement = requirement
        self.initial = initial
        latest = Lock(Array(repeating: nil, count: 2 * initial.count))
    }

    /// Returns nil if no key has a validated chain. A key without one is not checked.
    init?(_ keys: [JWK]) {
        let chains = keys.map(\.validatedChain)
        guard chains.contains(where: { $0 != nil }) else { return nil }
        requirement = nil
        initial = chains.map { .success($0) }
        latest = Lock(Array(repeating: nil, count: 2 * initial.count))
    }

    /// Returns nil if the key needed no chain. Throws if its certificates were rejected when the
    /// set was read.
    func initialChain(_ index: Int) throws(JOSEError) -> ValidatedChain? {
        try initial[index].get()
    }

    /// Whether the key is not trusted for this purpose: its certificates were rejected when the set
    /// was read, or, without a rule, its `validatedChain` is for another purpose. A failure of
    /// libcrypto is not a rejection.
    func initiallyRejects(_ index: Int, _ purpose: CertificatePurpose) -> Bool {
        switch initial[index] {
        case .failure(let error): error.code != .internal
        case .success(let chain):
            requirement == nil && chain.map { $0.purpose != purpose } ?? false
        }
    }

    var failedIndices: [Int] {
        initial.indices.filter { if case .failure = initial[$0] { true } else { false } }
    }

    func failure(_ index: Int) -> String? {
        guard case .failure(let error) = initial[index] else { return nil }
        let identity = error.concernsIdentity ? requirement?.store.identity : nil
        return error.message + (identity.map { "; required: \($0)" } ?? "")
    }

    /// The earliest end of the validated chains; nil if there is none.
    package var validUntil: NumericDate? {
        initial.compactMap { try? $0.get()?.notAfter }.min()
    }

    /// The error for a token that names a key whose certificates were rejected when the set was
    /// read.
    func initialRejection(_ index: Int) -> JOSEError? {
        guard case .failure(let error) = initial[index] else { return nil }
        return JOSEError(.untrustedKey, .certificate, error.reason)
    }

    /// Why the last use of the key for this purpose rejected it; nil if it did not. The code is
    /// always `untrustedKey`, whatever the code of the validation was.
    func rejection(_ index: Int, _ purpose: CertificatePurpose) -> JOSEError? {
        let last = latest.withLock { $0[KeyTrust.slot(index, purpose)] }
        guard case .failure(let error)? = last?.result else { return nil }
        return JOSEError(.untrustedKey, .certificate, error.reason)
    }

    private static func slot(_ index: Int, _ purpose: CertificatePurpose) -> Int {
        2 * index + (purpose == .signature ? 0 : 1)
    }

    /// Costs a comparison of times while the last result holds. Does not cache `undetermined`.
    func match(_ index: Int, _ purpose: CertificatePurpose, at now: NumericDate) -> KeyMatch {
        let slot = KeyTrust.slot(index, purpose)
        if let last = latest.withLock({ $0[slot] }), last.holds(at: now) {
            return last.match
        }
        let result = validate(index, purpose, now)
        if case .failure(let error) = result, error.code == .internal { return .undetermined }
        let new = ValidationResult(second: now.seconds, result: result)
        latest.withLock { $0[slot] = new }
        return new.match
    }

    private func validate(
        _ index: Int, _ purpose: CertificatePurpose, _ now: NumericDate
    ) -> Result<ValidatedChain?, JOSEError> {
        if let requirement { return requirement.validate(index, purpose, now) }
        do throws(JOSEError) {
            let chain = try initial[index].get()
            try chain?.check(for: purpose, at: now)
            return .success(chain)
        } catch {
            return .failure(error)
        }
    }
}

private struct Requirement {
    let store: TrustStore
    let requiresChain: Bool
    let keys: PublicJWKSet.Storage

    init?(_ rule: CertificateRule, _ keys: PublicJWKSet.Storage) {
        switch rule {
        case .ignore: return nil
        case .requireWhenPresent(let store): (self.store, requiresChain) = (store, false)
        case .require(let store): (self.store, requiresChain) = (store, true)
        }
        self.keys = keys
    }

    /// Returns success with nil if no chain is required, or if the key is unusable anyway.
    func validate(
        _ index: Int, _ purpose: CertificatePurpose, _ now: NumericDate
    ) -> Result<ValidatedChain?, JOSEError> {
        guard keys.isUsable(index) else { return .success(nil) }
        do throws(JOSEError) {
            let key = try keys.key(index)
            let isPresent = key.certificateChain != nil || key.certificateDefect != nil
            guard requiresChain || isPresent else { return .success(nil) }
            return .success(try store.validate(key, purpose: purpose, at: now))
        } catch {
            return .failure(error)
        }
    }
}

/// A key set at the time `now`. A key matches only if `trust` accepts it for the query's purpose.
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

    func names(_ index: Int) -> KeyLabels { keys.storage.names(index) }

    func distinct(_ indices: [Int]) throws(JOSEError) -> [Int] { try keys.distinct(indices) }

    func hasAlgorithm(_ index: Int) -> Bool { keys.hasAlgorithm(index) }
}

extension KeyQuery {
    var purpose: CertificatePurpose { use == .encryption ? .encryption : .signature }
}
