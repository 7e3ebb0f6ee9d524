// josectl decrypt: decrypts a JWE.

import JOSE

extension Command {
    static let decrypt = Command(
        name: "decrypt",
        summary: "decrypt a JWE and write its plaintext",
        arguments: "[TOKEN|FILE]", maxArguments: 1,
        details:
            "Encryption does not prove who wrote the plaintext: anyone with the public key can.",
        options: [
            .value(
                "key", "FILE|URI", privateKeyHelp, alias: "keys"),
            .value(
                "alg", "NAMES", "allowed key management (default: recommended for the key)",
                .list(KeyManagementAlgorithm.self)),
            .contents, .compressions, .critical, .readForm, .out, .force, .raw, .maxBytes,
            .maxInflated,
        ] + Option.externalKey,
        example: "josectl decrypt --key private.jwks token.jwe"
    ) { invocation in
        let limits = try JOSELimits(invocation.line)
        let job = DecryptJob(
            keys: try await invocation.decryptionKeys(
                invocation.ownKeys(invocation.line.required("key"))),
            algorithms: try invocation.allowList("alg", KeyManagementAlgorithm.self),
            contents: try invocation.allowList("enc", ContentEncryptionAlgorithm.self),
            compression: try invocation.compressions(),
            critical: invocation.line.all("crit"), limits: limits)
        guard !invocation.readsJSON else {
            let token = try invocation.jsonToken(limits)
            let decrypted = try await job.run(json: token)
            let plaintext = decrypted.unauthenticatedPlaintext
            return try invocation.writeResult(plaintext, isText: false, .secret) {
                try $0.decrypted(decrypted)
            }
        }
        let token = try invocation.compactToken(limits)
        let decrypted = try await invocation.explainingMismatch(job.keys, token, limits) {
            try await job.run(token)
        }
        let plaintext = decrypted.unauthenticatedPlaintext
        return try invocation.writeResult(plaintext, isText: false, .secret) { writer in
            try writer.opened(plaintext, decrypted.header(), decrypted.keyID)
        }
    }
}
