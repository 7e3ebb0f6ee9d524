// Every entry of the registry with keys that fit it.

import JOSE

struct SignatureEntry: Sendable {
    let name: String
    let algorithm: SignatureAlgorithm
    let key: JWK
    /// Whether the same bytes are signed alike each time.
    let isDeterministic: Bool
    /// What verifies: the public key, or the secret one.
    var verifying: JWK { (try? key.publicKey) ?? key }
}

struct EncryptionEntry: Sendable {
    let name: String
    let algorithm: KeyManagementAlgorithm
    let content: ContentEncryptionAlgorithm
    let key: JWK
    var encrypting: JWK { (try? key.publicKey) ?? key }

    /// Passwords get the fewest iterations that a reader takes: an entry is not there to be slow.
    var options: RecipientOptions {
        var options = RecipientOptions()
        options.passwordIterations = JOSELimits.standard.minIterations
        return options
    }

    func encrypter() throws -> JWEEncrypter {
        try JWEEncrypter(key: encrypting, algorithm: algorithm, content: content, options: options)
    }
}

struct Entries {
    let rsa: JWK
    private var curves: [JWKCurve: JWK] = [:]

    init() throws {
        rsa = try JWK.generate(.rsa(bits: 2_048), keyID: "rsa")
        for curve in JWKCurve.all {
            curves[curve] = try JWK.generate(.curve(curve), keyID: curve.name)
        }
    }

    private func key(_ curve: JWKCurve) throws -> JWK {
        guard let key = curves[curve] else { throw Failure("no key for \(curve)") }
        return key
    }

    /// The digits at the end of a name, as a number of bits.
    private func bits(_ name: String) throws -> Int {
        guard let bits = Int(name.suffix(3)) else { throw Failure("no size in \(name)") }
        return bits
    }

    func signatures() throws -> [SignatureEntry] {
        try SignatureAlgorithm.all.flatMap { algorithm in
            let name = algorithm.name
            let keys: [JWK]
            switch name.prefix(2) {
            case "HS": keys = [try .generate(.symmetric(bits: bits(name)), keyID: name)]
            case "RS", "PS": keys = [rsa]
            case "ML": keys = [try .generate(.akp(algorithm), keyID: name)]
            default:
                keys = try JWKCurve.all.filter { curve in
                    ((try? JWSSigner(key: key(curve), algorithm: algorithm)) != nil)
                }.map(key)
            }
            try require(!keys.isEmpty, "no key for \(name)")
            return keys.map { key in
                let suffix = keys.count > 1 ? " \(key.curve?.name ?? "")" : ""
                return SignatureEntry(
                    name: name + suffix, algorithm: algorithm, key: key,
                    isDeterministic: !["PS", "ES", "ML"].contains(name.prefix(2)))
            }
        }
    }

    /// Every way of key management with one content encryption, and every content encryption with
    /// `dir`.
    func encryptions() throws -> [EncryptionEntry] {
        try KeyManagementAlgorithm.all.flatMap { algorithm -> [EncryptionEntry] in
            let name = algorithm.name
            if name == "dir" {
                return try ContentEncryptionAlgorithm.all.map { content in
                    let word = content.name
                    let size =
                        word.contains("CBC") ? try bits(word) : try bits(String(word.dropLast(3)))
                    return EncryptionEntry(
                        name: "dir \(word)", algorithm: algorithm, content: content,
                        key: try .generate(.symmetric(bits: size), keyID: word))
                }
            }
            let keys: [JWK]
            if name.hasPrefix("RSA") {
                keys = [rsa]
            } else if name.hasPrefix("ECDH") {
                keys = try JWKCurve.all.filter { curve in
                    (try? JWEEncrypter(
                        key: key(curve).publicKey, algorithm: algorithm, content: .a128GCM)) != nil
                }.map(key)
            } else {
                // The first number of a name is the size; passwords have none.
                let number = name.drop { !$0.isNumber }.prefix { $0.isNumber }
                let size = name.hasPrefix("PBES2") ? 256 : Int(number) ?? 256
                keys = [try .generate(.symmetric(bits: size), keyID: name)]
            }
            try require(!keys.isEmpty, "no key for \(name)")
            return keys.map { key in
                let suffix = keys.count > 1 ? " \(key.curve?.name ?? "")" : ""
                return EncryptionEntry(
                    name: name + suffix, algorithm: algorithm, content: .a128CBCHS256, key: key)
            }
        }
    }
}
