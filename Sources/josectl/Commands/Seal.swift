// josectl seal: signs claims, then encrypts the signed JWT.

import JOSE
import JOSEBytes

extension Command {
    static let seal = Command(
        name: "seal",
        summary: "sign claims, then encrypt them: a nested JWT",
        arguments: "[CLAIMS-FILE]", maxArguments: 1,
        details: "The claims are a JSON object, signed byte for byte; they must have exp.",
        options: [
            .value("signing-key", "FILE|URI", privateKeyHelp),
            .value("signing-kid", "KID", "use the signing key with this kid"),
            .value("encryption-key", "FILE", "recipient's public JWK or JWK Set"),
            .value("encryption-kid", "KID", "use the encryption key with this kid"),
            .signature,
            .value(
                "key-alg", "NAME", "key management algorithm (default: the key's alg)",
                .names(KeyManagementAlgorithm.self)),
            .content,
            .value("lifetime", "SECONDS", "add iat and exp, this long after it"),
            .compress, .out, .force, .maxBytes, .maxInflated,
        ] + Option.externalKey,
        example: """
            echo '{"iss":"a","aud":"b"}' | josectl seal --lifetime 300 \\
                --signing-key a.private.jwks --encryption-key b.public.jwks > token.jwt
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
            content: invocation.algorithm("enc", ContentEncryptionAlgorithm.self)
                ?? keyAlgorithm.defaultContent,
            compression: invocation.algorithm("zip", CompressionAlgorithm.self), limits: limits)
        var claims = try invocation.payload(limits)
        if let lifetime { claims = try timed(claims, lifetime: lifetime, limits) }
        return try invocation.writeResult(
            token: try await issuer.issue(
                json: claims, encryptedFor: recipient, timeout: ExternalKeys.timeout))
    }

    /// Returns the claims unchanged, followed by `iat` and `exp`.
    private static func timed(
        _ claims: [UInt8], lifetime: Int, _ limits: JOSELimits
    ) throws -> [UInt8] {
        let document = try JSONDocument(claims, maxDepth: limits.jsonDepth)
        guard document.kind(at: 0) == .object else {
            throw JOSEError.malformed(.output, "the claims are not an object")
        }
        guard document.member("iat") == nil, document.member("exp") == nil else {
            throw UsageError("--lifetime: the claims already have iat or exp")
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
