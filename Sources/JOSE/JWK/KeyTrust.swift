// The results of validating the certificates of a public set: at reading, and at each use.

import JOSEBytes
import Synchronization

/// The validation results of the keys of one set, shared by the set's copies.
package final class KeyTrust: Sendable {
    /// The rule that is checked at each use; nil if only the validated chains of the keys count.
    private let requirement: Requirement?
    /// For each key, the result of the validation when the set was read, or the validated chain
    /// that the key already had.
    private let initial: [Result<ValidatedChain?, JOSEError>]
    /// The most recent results: for each key one for signing and one for encryption.
    private let latest: Lock<[ValidationResult?]>

    private struct ValidationResult {
        let second: Int64
        let result: Result<ValidatedChain?, JOSEError>

        var match: KeyMatch {
            if case .success = result { .matches } else { .untrusted }
        }

        /// Whether the result still holds. A rejected key is validated again at most once a second,
        /// however many tokens name it.
        func holds(at now: NumericDate) -> Bool {
            switch result {
            case .success(let chain): chain?.contains(now) ?? true
            case .failure: second == now.seconds
            }
        }
    }

    /// Validates every usable key; nil if the rule requires nothing.
    ///
    /// A key whose validation failed for lack of memory or in libcrypto is not rejected for good:
    /// it is validated again at each use.
    init?(_ rule: CertificateRule, _ keys: PublicJWKSet.Storage, at now: NumericDate?) {
        guard let requirement = Requirement(rule, keys) else { return nil }
        let now = now ?? .now
        var initial: [Result<ValidatedChain?, JOSEError>] = []
        for (index, record) in keys.records.enumerated() {
            let use = record.facts.use
            var result = requirement.validate(
                index, use == .encryption ? .encryption : .signature, now)
            // A key without a use may serve either purpose.
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

    /// Takes the validated chains of keys that were validated before; nil if no key has one. A key
    /// without a chain is not checked.
    init?(_ keys: [JWK]) {
        let chains = keys.map(\.validatedChain)
        guard chains.contains(where: { $0 != nil }) else { return nil }
        requirement = nil
        initial = chains.map { .success($0) }
        latest = Lock(Array(repeating: nil, count: 2 * initial.count))
    }

    /// The validated chain of a key when the set was read; nil if none was required.
    ///
    /// Throws `untrustedKey`, `keyUnusable`, `limitExceeded`, `malformed` or `internal` for a key
    /// whose certificates were rejected.
    func initialChain(_ index: Int) throws(JOSEError) -> ValidatedChain? {
        try initial[index].get()
    }

    /// Whether the key is never trusted for this purpose: its certificates were rejected when the
    /// set was read, or its own chain is for another purpose. A failure of libcrypto is not a
    /// rejection.
    func rejects(_ index: Int, _ purpose: CertificatePurpose) -> Bool {
        switch initial[index] {
        case .failure(let error): error.code != .internal
        case .success(let chain):
            requirement == nil && chain.map { $0.purpose != purpose } ?? false
        }
    }

    /// The indices of the keys whose certificates were rejected when the set was read, in order.
    var failedIndices: [Int] {
        initial.indices.filter { if case .failure = initial[$0] { true } else { false } }
    }

    /// Why the certificates of a key were rejected when the set was read; nil if they were not.
    func failure(_ index: Int) -> String? {
        guard case .failure(let error) = initial[index] else { return nil }
        let identity = error.concernsIdentity ? requirement?.store.identity : nil
        return error.message + (identity.map { "; required: \($0)" } ?? "")
    }

    /// The earliest end of the validated chains; nil if there is none.
    package var validUntil: NumericDate? {
        initial.compactMap { try? $0.get()?.notAfter }.min()
    }

    /// Why the certificates of a key were rejected when the set was read, as the error for a token
    /// that names it; nil if they were not.
    func initialRejection(_ index: Int) -> JOSEError? {
        guard case .failure(let error) = initial[index] else { return nil }
        return JOSEError(.untrustedKey, .certificate, error.reason)
    }

    /// Why a key was rejected at its last use; nil if it was not, or if that is undetermined.
    ///
    /// All failures of certificates have the code `untrustedKey` here, with different messages.
    func rejection(_ index: Int, _ purpose: CertificatePurpose) -> JOSEError? {
        let latest = latest.withLock { $0[KeyTrust.slot(index, purpose)] }
        guard case .failure(let error)? = latest?.result else { return nil }
        return JOSEError(.untrustedKey, .certificate, error.reason)
    }

    private static func slot(_ index: Int, _ purpose: CertificatePurpose) -> Int {
        2 * index + (purpose == .signature ? 0 : 1)
    }

    /// Checks whether a key's chain holds now: `matches`, `untrusted`, or `undetermined`, which is
    /// not kept. Costs a comparison of times while the last result holds.
    func match(_ index: Int, _ purpose: CertificatePurpose, at now: NumericDate) -> KeyMatch {
        let slot = KeyTrust.slot(index, purpose)
        if let latest = latest.withLock({ $0[slot] }), latest.holds(at: now) {
            return latest.match
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

/// A rule with its store, and the keys that it is for.
private struct Requirement {
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

    /// Returns the validated chain, nil if none is required, or the rejection. Unusable keys are
    /// not validated.
    func validate(
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

/// A key set at a point in time. A key whose certificates are not valid at that time matches no
/// query.
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
