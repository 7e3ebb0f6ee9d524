// The operations on JWE. The request determines the serialisation; it is never guessed.

import JOSE
import JOSEBytes

extension BatchOperation {
    static let jweEncrypt = BatchOperation(
        name: "jwe.encrypt", required: [],
        optional: [
            "key", "alg", "enc", "recipients", "payload", "payload_text", "header", "unprotected",
            "aad", "form", "zip", "p2c",
        ]
    ) { request, handler, writer in
        let payload = try request.bytes("payload")
        let job = try await request.encryptJob(handler)
        writer.member(token: try job.run(payload), job.form)
    }

    static let jweDecrypt = BatchOperation(
        name: "jwe.decrypt", required: ["token"],
        optional: ["key", "keys", "algs", "encs", "zips"],
        run: { request, handler, writer in
            let job = try await request.decryptJob(handler)
            guard try !request.isJSONToken() else {
                return try writer.decrypted(await job.run(json: request.jsonToken()))
            }
            try writer.decrypted(await job.run(request.compactToken()))
        },
        deferred: { request, handler in
            let job = try await request.decryptJob(handler)
            guard try !request.isJSONToken(), job.keys.runTogether,
                let decrypter = try job.decrypter()
            else { return nil }
            return .decrypt(decrypter: decrypter, token: try request.compactToken())
        }
    )
}

extension BatchRequest {
    fileprivate func decryptJob(_ handler: BatchHandler) async throws -> DecryptJob {
        DecryptJob(
            keys: try await decryptionKeys(handler), algorithms: try allowList("algs"),
            contents: try allowList("encs"), compression: try compressions(), limits: handler.limits
        )
    }

    /// The recipients are the objects in `recipients`, or the request itself.
    fileprivate func encryptJob(_ handler: BatchHandler) async throws -> EncryptJob {
        var recipients: [EncryptJob.Recipient] = []
        for object in try parties("recipients", without: ["alg"]) {
            let (key, name) = try await key(of: object, "a recipient", handler)
            guard let name else { throw Rejection.missing("alg") }
            // Without `recipients`, `header` is the protected header of the token.
            let header = has("key") ? [:] : try document.members("header", of: object)
            recipients.append((key, try .named(name), header))
        }
        return EncryptJob(
            recipients: recipients,
            content: try contentEncryption(for: recipients.first?.algorithm),
            header: try header(),
            unprotected: try members("unprotected"),
            additionalData: has("aad") ? try bytes("aad") : [], compression: try compression(),
            form: try form(default: has("recipients") ? .general : .compact),
            limits: handler.limits,
            options: try RecipientOptions(
                passwordIterations: integer("p2c", 1...100_000_000),
                for: recipients.map(\.algorithm)))
    }

    /// Without `enc`, returns the default of `josectl encrypt`.
    func contentEncryption(
        for algorithm: KeyManagementAlgorithm?
    ) throws -> ContentEncryptionAlgorithm? {
        try string("enc").map { try .named($0) } ?? algorithm?.defaultContent
    }

    func compression() throws -> CompressionAlgorithm? {
        try string("zip").map { try .named($0) }
    }

    /// Omits unknown names: a token with one is rejected anyway.
    func compressions() throws -> [CompressionAlgorithm] {
        try strings("zips")?.compactMap(CompressionAlgorithm.init(name:)) ?? []
    }
}

extension JSONWriter {
    mutating func decrypted(_ decrypted: DecryptedJWE) throws {
        try opened(decrypted.unauthenticatedPlaintext, decrypted.header(), decrypted.keyID)
    }

    mutating func decrypted(_ decrypted: DecryptedJSONJWE) throws {
        name("payload")
        string(base64URL: decrypted.unauthenticatedPlaintext.span)
        member("header", of: decrypted.header)
        member("kid", decrypted.keyID)
        try member("unprotected", decrypted.unprotectedHeader)
        try member("recipient", decrypted.recipientHeader)
        name("aad")
        string(base64URL: decrypted.additionalData.span)
    }
}
