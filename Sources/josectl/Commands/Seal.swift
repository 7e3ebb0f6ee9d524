// josectl seal: claims signed, then encrypted.

import JOSE
import JOSEBytes

extension Command {
    static let seal = Command(
        name: "seal",
        summary: "sign claims, then encrypt them: a nested JWT",
        arguments: "[CLAIMS-FILE]", argumentCount: 1,
        details: "The claims are a JSON object and are signed as they stand; they must have exp.",
        options: [
            .value("signing-key", "FILE|URI", "our private JWK or JWK Set, or a key in a token"),
            .value("signing-kid", "KID", "the key of that set with this kid"),
            .value("encryption-key", "FILE", "the recipient's public JWK or JWK Set"),
            .value("encryption-kid", "KID", "the key of that set with this kid"),
            .signature,
            .value(
                "key-alg", "NAME", "the key management algorithm (default: the key's alg)",
                .names(KeyManagementAlgorithm.self)),
            .content,
            .value("lifetime", "SECONDS", "add iat and exp to claims that have neither"),
            .compress, .out, .force, .maxBytes, .maxInflated,
        ] + Option.held,
        example: """
            echo '{"iss":"a","aud":"b"}' | josectl seal --lifetime 300 --signing-key a.private.jwks \\
                --encryption-key b.public.jwks > token.jwt
            """
    ) { invocation in
        let line = invocation.line
        let limits = try JOSELimits(line)
        let lifetime = try line.integer("lifetime", 1...253_402_300_799)
        let (signing, algorithm) = try await invocation.signingKey(
            line.required("signing-key"), named: "signing-kid")
        let issuer = try JWTIssuer(key: signing, algorithm: algorithm, limits: limits)
        let (key, keyAlgorithm) = try invocation.recipient(
            line.required("encryption-key"), named: "encryption-kid", algorithm: "key-alg")
        let recipient = try JWTRecipient(
            key: key, algorithm: keyAlgorithm,
            content: invocation.row("enc", ContentEncryptionAlgorithm.self)
                ?? keyAlgorithm.usualContent,
            compression: invocation.row("zip", CompressionAlgorithm.self), limits: limits)
        var claims = try invocation.payload(limits)
        if let lifetime { claims = try timed(claims, lifetime: lifetime, limits) }
        return try invocation.give(
            token: try await issuer.issue(
                json: claims, encryptedFor: recipient, timeout: ExternalKeys.patience))
    }

    /// The claims as they stand, with `iat` and `exp` behind them.
    private static func timed(
        _ claims: [UInt8], lifetime: Int, _ limits: JOSELimits
    ) throws -> [UInt8] {
        let document = try JSONDocument(claims, maxDepth: limits.jsonDepth)
        guard document.kind(at: 0) == .object else {
            throw JOSEError.malformed(.output, "the claims are not an object")
        }
        guard document.member("iat") == nil, document.member("exp") == nil else {
            throw UsageError("--lifetime: the claims have iat or exp already")
        }
        var writer = JSONWriter(capacity: claims.count + 64)
        writer.beginObject()
        document.forEachMember { (name, value) in
            writer.name(document.string(at: name) ?? "")
            writer.raw(document.json(at: value).span)
        }
        let now = NumericDate.now
        let expiry = try now.end(ofLifetime: lifetime)
        writer.name("iat")
        writer.integer(now.seconds)
        writer.name("exp")
        writer.integer(expiry.seconds)
        writer.endObject()
        return writer.bytes
    }
}
