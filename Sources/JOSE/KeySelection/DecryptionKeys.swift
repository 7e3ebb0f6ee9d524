// The keys of a decrypter, and the selection of one for a token.

import JOSEBytes
import JOSECrypto

/// The rule for an encrypted token without `kid`.
public enum MissingKeyIDRule: Sendable, Hashable {
    /// Exactly one key must be eligible. The default.
    case requireUnique
    /// Tries up to this many eligible keys, for peers that omit `kid`.
    ///
    /// The number is 2 to 8 for each recipient. If several recipients need more tries together than
    /// `JOSELimits.recipientCount`, the token is rejected. Each try costs a whole decryption, and
    /// all failures end in one `decryptionFailed`. This rule applies only to RSA-OAEP with AES-CBC
    /// content; other algorithms follow `requireUnique`.
    case tryEligible(atMost: Int)
}

/// One key, whose `kid` may be absent from the token, or a set.
package enum DecrypterKeys: Sendable {
    case one(JWK)
    case set(JWKSet)
}

struct DecryptionKeys: Sendable {
    let keys: JWKSet
    private let isSingle: Bool
    let missingKeyID: MissingKeyIDRule
    /// Algorithms that are accepted only with a key whose own `alg` names them.
    private let ifNamedByKey: [KeyManagementAlgorithm]

    /// A single key. If both the key and the token have a `kid`, the two must be equal.
    private init(
        _ key: JWK, _ algorithms: [KeyManagementAlgorithm], ifNamedByKey: [KeyManagementAlgorithm]
    ) throws(JOSEError) {
        self.ifNamedByKey = ifNamedByKey
        keys = JWKSet(keys: [key])
        isSingle = true
        missingKeyID = .requireUnique
        let matches = algorithms.map { key.match(.decrypting($0)) }
        if let match = matches.first, let algorithm = algorithms.first, !matches.contains(.matches)
        {
            throw match.error(.decrypting(algorithm), key.names)
        }
        guard key.isPrivate else {
            throw .keyUnusable(
                "decrypting needs a private key; this {} key is public", key.names.label)
        }
    }

    init(
        _ keys: DecrypterKeys, _ algorithms: [KeyManagementAlgorithm],
        ifNamedByKey: [KeyManagementAlgorithm]
    ) throws(JOSEError) {
        switch keys {
        case .one(let key): try self.init(key, algorithms, ifNamedByKey: ifNamedByKey)
        case .set(let set):
            try self.init(set, missingKeyID: .requireUnique, ifNamedByKey: ifNamedByKey)
        }
    }

    /// For a `TokenExplanation`: keys that may match none of the algorithms.
    init(explaining keys: DecrypterKeys) {
        ifNamedByKey = []
        missingKeyID = .requireUnique
        switch keys {
        case .one(let key): (self.keys, isSingle) = (JWKSet(keys: [key]), true)
        case .set(let set): (self.keys, isSingle) = (set, false)
        }
    }

    init(
        _ keys: JWKSet, missingKeyID: MissingKeyIDRule, ifNamedByKey: [KeyManagementAlgorithm] = []
    ) throws(JOSEError) {
        self.ifNamedByKey = ifNamedByKey
        if case .tryEligible(let max) = missingKeyID, max < 2 || max > 8 {
            throw .misuse("tryEligible(atMost:) is {}; it must be 2 to 8", .number(max))
        }
        self.keys = keys
        self.missingKeyID = missingKeyID
        isSingle = false
    }

    /// Returns the index of the one key for this token; nil if several may be tried.
    func select(
        _ algorithm: KeyManagementAlgorithm, _ encryption: ContentEncryptionAlgorithm?,
        _ content: ContentAlgorithm, keyID: JSONNode?, in text: Span<UInt8>
    ) throws(JOSEError) -> Int? {
        let query = KeyQuery.decrypting(
            algorithm, encryption,
            requiresKeyAlgorithm: !ifNamedByKey.isEmpty && ifNamedByKey.contains(algorithm))
        if isSingle {
            if let keyID, let own = keys.keys[0].keyID,
                !JSON.equals(keyID, own.utf8.span, in: text)
            {
                throw .keyNotFound("the token's kid is not the kid of the key")
            }
            let match = keys.match(0, query)
            guard match == .matches else { throw match.error(query, keys.names(0)) }
            return 0
        }
        if let keyID {
            return try JSONText.withString(keyID, in: text) { (keyID) throws(JOSEError) in
                do throws(JOSEError) {
                    return try keys.select(keyID: keyID, query)
                } catch {
                    throw keys.rejectionOfSkipped(keyID) ?? error
                }
            }
        }
        if case .tryEligible = missingKeyID, algorithm.mayBeTried,
            content.checksTagFirst
        {
            return nil
        }
        return try keys.selectOnly(query)
    }

    func operation(
        _ index: Int, _ algorithm: KeyManagementAlgorithm
    ) throws(JOSEError) -> KeyManagementOperation {
        try keys.keys[index].prepared.keyManagement(algorithm, wrapping: false)
    }

    /// Returns the operations of eligible keys whose encrypted keys have this size in bytes, in
    /// order, and at most as many as `missingKeyID` allows to try.
    func candidates(
        _ algorithm: KeyManagementAlgorithm, _ content: ContentAlgorithm, encryptedKeyBytes: Int
    ) throws(JOSEError) -> [(index: Int, operation: KeyManagementOperation)] {
        guard case .tryEligible(let max) = missingKeyID else { return [] }
        let query = KeyQuery.decrypting(
            algorithm, requiresKeyAlgorithm: ifNamedByKey.contains(algorithm))
        var found: [(Int, KeyManagementOperation)] = []
        for index in keys.keys.indices where keys.match(index, query) == .matches {
            guard keys.keys[index].isPrivate else { continue }
            let operation = try operation(index, algorithm)
            guard operation.encryptedKeyBytes(for: content) == encryptedKeyBytes else { continue }
            found.append((index, operation))
            if found.count == max { break }
        }
        return found
    }

    var haveExternalKey: Bool { keys.keys.contains { $0.prepared.externalKey != nil } }

    func prepared(_ index: Int) -> PreparedKey { keys.keys[index].prepared }

    func keyID(_ index: Int) -> String? { keys.keys[index].keyID }

    /// For a `TokenExplanation`: returns the `kid` of every key, and the error that rejects the key
    /// for this algorithm and `kid`. The error is nil for an eligible key.
    func rejections(
        _ algorithm: KeyManagementAlgorithm, keyID: String?
    ) -> [(keyID: String?, error: JOSEError?)] {
        let query = KeyQuery.decrypting(
            algorithm, requiresKeyAlgorithm: ifNamedByKey.contains(algorithm))
        return keys.keys.map { key in
            let match = key.match(query).comparingKeyID(
                ofToken: keyID, ofKey: key.keyID, mayBeAbsent: isSingle)
            return (key.keyID, match == .matches ? nil : match.error(query, key.names))
        }
    }
}
