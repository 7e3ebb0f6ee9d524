// What a build leaves out: PBES2, without its package trait, and what the libcrypto that runs does
// not have. These cases run all the same, and are rejected.

import JOSE
import JOSECrypto
import Testing

/// How one case ended.
enum Outcome: Equatable {
    case ran
    /// Its algorithm is left out of this build or of this libcrypto: `LeftOut` judges the
    /// rejection.
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
    /// its row in the table.
    static func content(_ name: String) -> ContentAlgorithm? {
        ContentEncryptionAlgorithm(name: name)?.content
    }

    /// Whether the table has a row of this name that the libcrypto that runs does not have.
    static func isElsewhere(_ name: String) -> Bool {
        SignatureAlgorithm.entries.contains { $0.name == name && !$0.isAvailable }
    }

    /// What is said here of a case whose algorithm is in another libcrypto only: of its key as it
    /// is, then of its token by the public key.
    static func verdictsElsewhere(_ entry: VectorCase, _ name: String) throws -> [String] {
        let text = try need(entry.key() ?? entry.input["jwk"])
        let row = try need(SignatureAlgorithm.entries.first { $0.name == name })
        let key = try JWK(json: text.publicPart.json)
        let policy = try Rejection.verdict { _ = try JWSVerifier(key: key, algorithms: [row]) }
        return [try Rejection.verdict { _ = try JWK(json: text.json) }, policy]
    }

    /// What a reader says to each spelling of the case's token, by every algorithm that its key
    /// has.
    ///
    /// Any key will do: none is looked at.
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
