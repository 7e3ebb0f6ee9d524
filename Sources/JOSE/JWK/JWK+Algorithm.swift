// Whether a key suits the algorithm that it names.

import JOSECrypto

extension JWK {
    /// Throws `keyUnusable` where `algorithm` takes other keys, another size or another use. A name
    /// that no table has is not checked.
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
    /// What the algorithm asks of a private key; nil for a name that no table has.
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
    /// A shared key that is not of the size that the content encryption needs.
    static func wrongContentKey(
        _ bits: Int, _ algorithm: KeyManagementAlgorithm, _ content: ContentAlgorithm
    ) -> JOSEError {
        .keyUnusable(
            "the key has {} bits; {} with this content encryption needs {}", .number(bits),
            .name(algorithm.word), .number(content.keyBytes * 8))
    }
}
