// josectl encrypt: encrypts a payload, as a compact JWE or in a JSON serialisation.

import JOSE

extension Command {
    static let encrypt = Command(
        name: "encrypt",
        summary: "encrypt a payload as a JWE, compact or JSON",
        arguments: "[FILE]", maxArguments: 1,
        details: "With --form general, each --key is a recipient.",
        options: [
            .value("key", "FILE", "recipient's public JWK or JWK Set", repeats: true), .keyID,
            .value(
                "alg", "NAME", "key management algorithm (default: the key's alg)",
                .names(KeyManagementAlgorithm.self)),
            .content,
            .type, .contentType, .header, .form, .unprotected,
            .value("aad", "FILE", "additional authenticated data, for a JSON form"),
            .out, .force,
            .value("p2c", "N", "PBES2 iterations for a password (default 600000)"),
            .compress, .maxBytes, .maxInflated,
        ],
        example: """
            echo hello | josectl encrypt --key public.jwks > token.jwe
            echo hello | josectl encrypt --form general --key a.jwks --key b.jwks > token.json
            """
    ) { invocation in
        let line = invocation.line
        let limits = try JOSELimits(line)
        _ = try line.required("key")
        let iterations = try line.integer("p2c", 1...100_000_000)
        let recipients = try line.all("key").map { path in
            try invocation.recipient(path, named: "kid", algorithm: "alg")
        }
        let job = EncryptJob(
            recipients: recipients.map { ($0.key, $0.algorithm, [:]) },
            content: try invocation.algorithm("enc", ContentEncryptionAlgorithm.self)
                ?? recipients.first?.algorithm.defaultContent,
            header: try invocation.header(), unprotected: try invocation.unprotected(),
            additionalData: try line["aad"].map {
                try Files.read($0, atMost: limits.tokenBytes, what: "the additional data")
            } ?? [],
            compression: try invocation.algorithm("zip", CompressionAlgorithm.self),
            form: invocation.form, limits: limits,
            options: try RecipientOptions(
                passwordIterations: iterations, for: recipients.map(\.algorithm)))
        return try invocation.writeResult(
            token: try job.run(invocation.payload(limits)), form: job.form)
    }
}

extension Invocation {
    /// `alg` and `kid` are names of options. Without the option `alg`, uses the key's alg.
    func recipient(
        _ path: String, named kid: String, algorithm alg: String
    ) throws -> (key: JWK, algorithm: KeyManagementAlgorithm) {
        let chosen = try algorithm(alg, KeyManagementAlgorithm.self)
        let candidates = chosen.map { [$0] } ?? KeyManagementAlgorithm.all
        let key = try KeyFile(path, of: .foreign).recipient(
            line[kid], candidates.map { KeyQuery.encrypting($0) }, option: kid)
        if let chosen { return (key, chosen) }
        guard let own = key.algorithm else {
            throw Rejection.misuse("the key has no alg; --\(alg) must name the algorithm")
        }
        return (key, try .named(own.name))
    }
}
