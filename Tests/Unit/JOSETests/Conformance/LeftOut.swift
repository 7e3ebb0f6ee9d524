// Algorithms that a build lacks: PBES2 without its package trait, and those that the installed
// libcrypto does not support. Their cases run nevertheless and are rejected.

import JOSE
import JOSECrypto
import Testing

/// The result of one case.
enum Outcome: Equatable {
    case ran
    /// Its algorithm is not in this build or in this libcrypto: `LeftOut` checks the rejection.
    case leftOut(String)
}

enum LeftOut {
    /// Not implemented on purpose: their tokens are rejected with `algorithmNotAllowed`.
    static let rejected: Set<String> = Set(RejectedAlgorithm.all.map(\.name.description))

    static func signature(_ name: String?) -> String? {
        guard let name, !rejected.contains(name) else { return nil }
        return SignatureAlgorithm(name: name) == nil ? name : nil
    }

    static func encryption(_ algorithm: String?, _ content: String?) -> String? {
        if let algorithm, rejected.contains(algorithm) { return nil }
        if let algorithm, KeyManagementAlgorithm(name: algorithm) == nil { return algorithm }
        if let content, ContentEncryptionAlgorithm(name: content) == nil { return content }
        return nil
    }

    /// The content algorithm of the crypto module by its registered name, which may exist before
    /// its table entry.
    static func content(_ name: String) -> ContentAlgorithm? {
        ContentEncryptionAlgorithm(name: name)?.content
    }

    /// Whether the table has an entry of this name that the installed libcrypto does not support.
    static func isElsewhere(_ name: String) -> Bool {
        SignatureAlgorithm.entries.contains { $0.name == name && !$0.isAvailable }
    }

    /// The result for a case whose algorithm only another libcrypto has: first of its key, then of
    /// its token with the public key.
    static func verdictsElsewhere(_ entry: VectorCase, _ name: String) throws -> [String] {
        let text = try need(entry.key() ?? entry.input["jwk"])
        let row = try need(SignatureAlgorithm.entries.first { $0.name == name })
        let key = try JWK(json: text.publicPart.json)
        let policy = try Rejection.verdict { _ = try JWSVerifier(key: key, algorithms: [row]) }
        return [try Rejection.verdict { _ = try JWK(json: text.json) }, policy]
    }

    /// A verifier's result for each form of the case's token, with every algorithm of its key.
    ///
    /// Any key will do, since none is used.
    static func verdicts(_ entry: VectorCase) throws -> [String] {
        let decrypter = try JWEDecrypter(
            key: TestKeys.bare(TestKeys.decrypting),
            algorithms: KeyManagementAlgorithm.all.filter { $0.kinds.contains(.rsa) },
            content: ContentEncryptionAlgorithm.all, compression: CompressionAlgorithm.all)
        let compact = [entry["compact"], entry.output["compact"]?.string].compactMap { $0 }
        let json =
            ["general", "flattened"].compactMap { entry.output[$0]?.json }
            + [entry.input["json"]?.json].compactMap { $0 }
        return try compact.map { token in
            try Rejection.verdict { _ = try decrypter.decrypt(token) }
        } + json.map { token in try Rejection.verdict { _ = try decrypter.decryptJSON(token) } }
    }
}
