// The keys that a verifier was given: one key, or a set that the other side published.

import JOSEBytes
import JOSECrypto

/// The other side's keys, as a verifier holds them.
struct VerificationKeys: Sendable {
    private enum Source: Sendable {
        case one(JWK, [Fit])
        case set(PublicJWKSet)
    }
    private struct Fit: Sendable {
        let algorithm: SignatureAlgorithm
        let fit: KeyFit
    }
    private let source: Source

    init(_ key: JWK, _ algorithms: [SignatureAlgorithm]) throws(JOSEError) {
        let fits = algorithms.map { Fit(algorithm: $0, fit: key.fit(.verifying($0))) }
        if let refused = fits.first, !fits.contains(where: { $0.fit == .fits }) {
            throw refused.fit.error
        }
        for entry in fits where entry.fit == .fits {
            _ = try key.prepared.signature(entry.algorithm, signing: false)
        }
        source = .one(key, fits)
    }

    init(_ keys: PublicJWKSet) {
        source = .set(keys)
    }

    /// The prepared operation of the one key that this token gets.
    ///
    /// - Parameter keyID: The token's `kid`; nil where it has none.
    /// - Throws: `keyNotFound` or `keyUnusable`.
    func operation(
        _ algorithm: SignatureAlgorithm, keyID: JSONNode?, in text: Span<UInt8>
    ) throws(JOSEError) -> (operation: SignatureOperation, index: Int) {
        switch source {
        case .one(let key, let fits):
            if let keyID, let own = key.keyID, !JSON.equals(keyID, own.utf8.span, in: text) {
                throw .keyNotFound("the key has another kid")
            }
            for entry in fits where entry.algorithm == algorithm {
                guard entry.fit == .fits else { throw entry.fit.error }
                return (try key.prepared.signature(algorithm, signing: false), 0)
            }
            throw .algorithmNotAllowed
        case .set(let set):
            let query = KeyQuery.verifying(algorithm)
            let index: Int
            if let keyID {
                index = try HeaderText.withString(keyID, in: text) { (keyID) throws(JOSEError) in
                    try set.select(keyID: keyID, query)
                }
            } else {
                index = try set.selectOnly(query)
            }
            let key = try set.storage.preparedKey(index)
            return (try key.signature(algorithm, signing: false), index)
        }
    }

    /// The `kid` of a key that verified.
    func keyID(_ index: Int) -> String? {
        switch source {
        case .one(let key, _): key.keyID
        case .set(let set): set.keyID(index)
        }
    }

    /// Every key with what it says to this algorithm, for an explanation.
    func fits(_ algorithm: SignatureAlgorithm) -> [(keyID: String?, fit: KeyFit)] {
        let query = KeyQuery.verifying(algorithm)
        return switch source {
        case .one(let key, _): [(key.keyID, key.fit(query))]
        case .set(let set): (0..<set.keyCount).map { (set.keyID($0), set.fit($0, query)) }
        }
    }
}
