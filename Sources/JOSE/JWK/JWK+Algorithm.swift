// Checks whether a key has the kind, size and `use` that its own `alg` needs.

import JOSECrypto

extension JWK {
    /// Throws `keyUnusable`. An unregistered `alg` is not checked.
    func checkAlgorithm() throws(JOSEError) {
        guard let algorithm, let query = KeyQuery(privateKeyFor: algorithm) else { return }
        let match = match(query)
        guard match == .matches else { throw match.error(query, names) }
        guard keyType == .oct else { return }
        if let content = algorithm.contentEncryption {
            guard sizeBits == content.content.keyBytes * 8 else {
                throw .wrongContentKey(sizeBits, .direct, content.content)
            }
        }
        let size =
            algorithm.signature?.symmetricKeyBytes ?? algorithm.keyManagement?.symmetricKeyBytes
        if let size { try size.check(bits: sizeBits, query.algorithm) }
    }
}

extension KeyQuery {
    /// The query for a private-key operation with this algorithm; nil for an unregistered name.
    init?(privateKeyFor algorithm: JOSEAlgorithm) {
        if let signature = algorithm.signature {
            self = .signing(signature)
        } else if let management = algorithm.keyManagement {
            self = .decrypting(management)
        } else if let content = algorithm.contentEncryption {
            self = .decrypting(.direct, content)
        } else {
            return nil
        }
    }
}

extension JOSEError {
    static func wrongContentKey(
        _ bits: Int, _ algorithm: KeyManagementAlgorithm, _ content: ContentAlgorithm
    ) -> JOSEError {
        .keyUnusable(
            "the key has {} bits; {} with this content encryption needs {}", .number(bits),
            .name(algorithm.staticName), .number(content.keyBytes * 8))
    }
}
