// The keys of a verifier: a single key, or a public set.

import JOSEBytes
import JOSECrypto

/// One key, whose `kid` may be absent from the token, or a set.
package enum VerifierKeys: Sendable {
    case one(JWK)
    case set(PublicJWKSet)
}

struct VerificationKeys: Sendable {
    enum Source: Sendable {
        case one(SingleKey)
        case set(PublicJWKSet)
    }
    let source: Source
    /// Algorithms that are accepted only with a key whose own `alg` names them.
    private let ifNamedByKey: [SignatureAlgorithm]

    init(
        _ keys: VerifierKeys, _ algorithms: [SignatureAlgorithm],
        ifNamedByKey: [SignatureAlgorithm]
    ) throws(JOSEError) {
        self.ifNamedByKey = ifNamedByKey
        source =
            switch keys {
            case .one(let key): .one(try SingleKey(key, algorithms, ifNamedByKey))
            case .set(let set): .set(set)
            }
    }

    /// A set, or for a `TokenExplanation` a key that may match none of the algorithms.
    init(unchecked keys: VerifierKeys) {
        ifNamedByKey = []
        source =
            switch keys {
            case .one(let key): .one(SingleKey(explaining: key))
            case .set(let set): .set(set)
            }
    }

    /// False if certificates limit the time in which a key may be used.
    var selectionIgnoresTime: Bool {
        switch source {
        case .one(let key): key.jwk.validatedChain == nil
        case .set(let set): set.trust == nil
        }
    }

    /// Returns the operation of the one key for this token, and the key's index.
    func operation(
        _ algorithm: SignatureAlgorithm, keyID: JSONNode?, in text: Span<UInt8>,
        at now: NumericDate?
    ) throws(JOSEError) -> (operation: SignatureOperation, index: Int) {
        switch source {
        case .one(let key):
            return (try key.operation(algorithm, keyID: keyID, in: text, at: now), 0)
        case .set(let set):
            let query = query(algorithm)
            let index = try VerificationKeys.select(set, query, keyID, text, at: now)
            guard let key = try? set.storage.preparedKey(index) else {
                throw VerificationKeys.rejection(of: index, in: set, query, keyID, text, at: now)
            }
            return (try key.signature(algorithm, signing: false), index)
        }
    }

    /// The error for a token whose key cannot be prepared. Preparing records the key's defect, and
    /// selecting again then fails. So this token gets the same error as all later ones.
    @inline(never)
    private static func rejection(
        of index: Int, in set: PublicJWKSet, _ query: KeyQuery, _ keyID: JSONNode?,
        _ text: Span<UInt8>, at now: NumericDate?
    ) -> JOSEError {
        do throws(JOSEError) {
            _ = try set.storage.preparedKey(index)
        } catch {
            guard error.code != .internal else { return error }
            do throws(JOSEError) {
                _ = try select(set, query, keyID, text, at: now)
            } catch { return error }
            return error
        }
        return .internalFailure
    }

    @inline(__always)
    private static func select(
        _ set: PublicJWKSet, _ query: KeyQuery, _ keyID: JSONNode?, _ text: Span<UInt8>,
        at now: NumericDate?
    ) throws(JOSEError) -> Int {
        guard let trust = set.trust else { return try select(set, query, keyID, text) }
        return try select(
            TrustedKeys(keys: set, trust: trust, now: now ?? .now), query, keyID, text)
    }

    private func query(_ algorithm: SignatureAlgorithm) -> KeyQuery {
        .verifying(
            algorithm,
            requiresKeyAlgorithm: !ifNamedByKey.isEmpty && ifNamedByKey.contains(algorithm))
    }

    static func select(
        _ keys: some SelectableKeys, _ query: KeyQuery, _ keyID: JSONNode?, _ text: Span<UInt8>
    ) throws(JOSEError) -> Int {
        guard let keyID else { return try keys.selectOnly(query) }
        return try JSONText.withString(keyID, in: text) { (keyID) throws(JOSEError) in
            try keys.select(keyID: keyID, query)
        }
    }

    func keyID(_ index: Int) -> String? {
        switch source {
        case .one(let key): key.jwk.keyID
        case .set(let set): set.keyID(index)
        }
    }

    /// For a `TokenExplanation`: returns the `kid` of every key, and the error that rejects the key
    /// for this algorithm, `kid` and time. The error is nil for an eligible key. Leaves out the
    /// entries in `skipped`, which were reported before.
    func rejections(
        _ algorithm: SignatureAlgorithm, keyID: String?, at now: NumericDate?,
        except skipped: [SkippedKey]
    ) -> [(keyID: String?, error: JOSEError?)] {
        let query = query(algorithm)
        switch source {
        case .one(let key):
            let own = key.jwk.keyID
            let match = key.jwk.match(query).comparingKeyID(
                ofToken: keyID, ofKey: own, mayBeAbsent: true)
            return [(own, match == .matches ? nil : match.error(query, key.jwk.names))]
        case .set(let set):
            let skipped = Set(skipped.map(\.index))
            guard let trust = set.trust else { return rejections(set, keyID, query, set, skipped) }
            return rejections(
                set, keyID, query, TrustedKeys(keys: set, trust: trust, now: now ?? .now), skipped)
        }
    }

    private func rejections(
        _ set: PublicJWKSet, _ keyID: String?, _ query: KeyQuery, _ keys: some SelectableKeys,
        _ skipped: Set<Int>
    ) -> [(keyID: String?, error: JOSEError?)] {
        (0..<keys.keyCount).filter { !skipped.contains($0) }.map { index in
            let own = set.keyID(index)
            let match = keys.match(index, query).comparingKeyID(
                ofToken: keyID, ofKey: own, mayBeAbsent: false)
            return (own, match == .matches ? nil : keys.rejection(index, match, query))
        }
    }
}

/// A single key with its operations, which are prepared when the verifier is created.
final class SingleKey: Sendable {
    let jwk: JWK
    private let entries: [(algorithm: SignatureAlgorithm, operation: SignatureOperation)]
    /// The errors for algorithms that the key does not support.
    private let rejections: [(algorithm: SignatureAlgorithm, error: JOSEError)]

    /// Throws `keyUnusable` if the key matches none of the algorithms. If it matches only some, as
    /// a short shared secret does (RFC 7518, 3.2), the others are rejected when a token names them.
    init(
        _ key: JWK, _ algorithms: [SignatureAlgorithm], _ ifNamedByKey: [SignatureAlgorithm]
    ) throws(JOSEError) {
        var entries: [(SignatureAlgorithm, SignatureOperation)] = []
        var rejections: [(algorithm: SignatureAlgorithm, error: JOSEError)] = []
        for algorithm in algorithms {
            do throws(JOSEError) {
                entries.append(
                    (
                        algorithm,
                        try key.verifying(
                            algorithm, requiresKeyAlgorithm: ifNamedByKey.contains(algorithm))
                    ))
            } catch {
                guard error.code == .keyUnusable else { throw error }
                rejections.append((algorithm, error))
            }
        }
        if entries.isEmpty, let last = rejections.last { throw last.error }
        jwk = key
        self.entries = entries
        self.rejections = rejections
    }

    /// For a `TokenExplanation`: a key that may match none of the algorithms.
    init(explaining key: JWK) {
        jwk = key
        entries = []
        rejections = []
    }

    func operation(
        _ algorithm: SignatureAlgorithm, keyID: JSONNode?, in text: Span<UInt8>,
        at now: NumericDate?
    ) throws(JOSEError) -> SignatureOperation {
        // The chain may have expired since the verifier was created.
        if let chain = jwk.validatedChain { try chain.check(at: now ?? .now) }
        if let keyID, let own = jwk.keyID, !JSON.equals(keyID, own.utf8.span, in: text) {
            throw .keyNotFound("the token's kid is not the kid of the key")
        }
        for entry in entries where entry.algorithm == algorithm { return entry.operation }
        throw rejections.first { $0.algorithm == algorithm }?.error ?? .algorithmNotAllowed
    }
}

extension JWK {
    /// Throws the error of the `KeyMatch` if the key does not match the algorithm.
    func verifying(
        _ algorithm: SignatureAlgorithm, requiresKeyAlgorithm: Bool = false
    ) throws(JOSEError) -> SignatureOperation {
        let query = KeyQuery.verifying(algorithm, requiresKeyAlgorithm: requiresKeyAlgorithm)
        let match = match(query)
        guard match == .matches else { throw match.error(query, names) }
        return try prepared.signature(algorithm, signing: false)
    }
}
