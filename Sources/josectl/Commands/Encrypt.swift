// josectl encrypt: a compact JWE.

import JOSE

extension Command {
    static let encrypt = Command(
        name: "encrypt",
        summary: "encrypt a payload: a compact JWE",
        arguments: "[FILE]", argumentCount: 1,
        options: [
            .value("key", "FILE", "the recipient's public JWK or JWK Set"), .keyID,
            .value("alg", "NAME", "the key management algorithm (default: the key's alg)"),
            .value("enc", "NAME", "the content encryption algorithm (default A128CBC-HS256)"),
            .type, .contentType, .header, .out, .maxBytes,
        ],
        example: "echo hello | josectl encrypt --key public.jwks > token.jwe"
    ) { invocation in
        let limits = try Limits(invocation.line)
        let wanted = try invocation.row("alg", KeyManagementAlgorithm.self)
        let content = try invocation.row("enc", ContentEncryptionAlgorithm.self) ?? .a128CBCHS256
        let key = try KeyFile(invocation.line.required("key")).recipient(
            invocation.line["kid"],
            (wanted.map { [$0] } ?? KeyManagementAlgorithm.all).map(KeyQuery.encrypting),
            option: "kid")
        let encrypter = try JWEEncrypter(
            key, algorithm: wanted ?? key.encryptionAlgorithm(), content: content,
            header: invocation.header(), limits: limits)
        return try invocation.give(token: try encrypter.encrypt(invocation.payload(limits)))
    }
}

extension JWK {
    /// The key management algorithm that the key is for.
    func encryptionAlgorithm() throws -> KeyManagementAlgorithm {
        guard let algorithm else {
            throw Refusal.misuse("name an algorithm: the key does not say one")
        }
        return try .wanted(algorithm)
    }
}
