// josectl encrypt: a JWE, compact or of the JSON serialisations.

import JOSE

extension Command {
    static let encrypt = Command(
        name: "encrypt",
        summary: "encrypt a payload: a compact JWE, or one in JSON",
        arguments: "[FILE]", argumentCount: 1,
        details: "--form general takes --key more than once: one recipient each.",
        options: [
            .value("key", "FILE", "the recipient's public JWK or JWK Set", repeats: true), .keyID,
            .value(
                "alg", "NAME", "the key management algorithm (default: the key's alg)",
                .names(KeyManagementAlgorithm.self)),
            .content,
            .type, .contentType, .header, .form, .unprotected,
            .value("aad", "FILE", "bytes to bind to the payload, readable, in a JSON form"),
            .out, .force,
            .value("p2c", "N", "iterations for a password, PBES2 only (default 600000)"),
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
            content: try invocation.row("enc", ContentEncryptionAlgorithm.self)
                ?? recipients.first?.algorithm.usualContent,
            header: try invocation.header(), unprotected: try invocation.unprotected(),
            additionalData: try line["aad"].map {
                try Files.read($0, atMost: limits.tokenBytes, what: "the additional data")
            } ?? [],
            compression: try invocation.row("zip", CompressionAlgorithm.self),
            form: invocation.form, limits: limits,
            options: try RecipientOptions(
                passwordIterations: iterations, for: recipients.map(\.algorithm)))
        return try invocation.give(
            token: try job.run(invocation.payload(limits)), form: job.form)
    }
}

extension Invocation {
    /// The recipient's public key of a file, and its algorithm: that of an option, else the key's
    /// own.
    ///
    /// - Parameters:
    ///   - kid: The option with the key's kid.
    ///   - alg: The option with the algorithm.
    func recipient(
        _ path: String, named kid: String, algorithm alg: String
    ) throws -> (key: JWK, algorithm: KeyManagementAlgorithm) {
        let wanted = try row(alg, KeyManagementAlgorithm.self)
        let rows = wanted.map { [$0] } ?? KeyManagementAlgorithm.all
        let key = try KeyFile(path, of: .others).recipient(
            line[kid], rows.map { KeyQuery.encrypting($0) }, option: kid)
        if let wanted { return (key, wanted) }
        guard let own = key.algorithm else {
            throw Rejection.misuse("the key has no alg: --\(alg) names the algorithm")
        }
        return (key, try .wanted(own.name))
    }
}
