// The operations on JWE: every form, said by the request and never guessed.

import JOSE
import JOSEBytes

extension BatchOperation {
    static let jweEncrypt = BatchOperation(
        name: "jwe.encrypt", required: [],
        optional: [
            "key", "alg", "enc", "recipients", "payload", "payload_text", "header", "unprotected",
            "aad", "form", "zip", "p2c",
        ]
    ) { request, desk, writer in
        let payload = try request.bytes("payload")
        let job = try await request.encryptJob(desk)
        writer.member(token: try job.run(payload), job.form)
    }

    static let jweDecrypt = BatchOperation(
        name: "jwe.decrypt", required: ["token"],
        optional: ["key", "keys", "algs", "encs", "zips"]
    ) { request, desk, writer in
        let job = try await request.decryptJob(desk)
        guard try !request.isJSONToken() else {
            return try writer.decrypted(await job.run(json: request.jsonToken()))
        }
        try writer.decrypted(await job.run(request.compactToken()))
    }
}

extension BatchRequest {
    fileprivate func decryptJob(_ desk: BatchHandler) async throws -> DecryptJob {
        DecryptJob(
            keys: try await decryptionKeys(desk), algorithms: try allowList("algs"),
            contents: try allowList("encs"), compression: try compressions(), limits: desk.limits)
    }

    /// For whom, by `key` and `alg` or by `recipients`, and how the token looks.
    fileprivate func encryptJob(_ desk: BatchHandler) async throws -> EncryptJob {
        var recipients: [EncryptJob.Recipient] = []
        for object in try parties("recipients", without: ["alg"]) {
            let (key, name) = try await key(of: object, "a recipient", desk)
            guard let name else { throw Rejection.misuse("'alg' is missing") }
            // Without a list `header` is the protected one of the token.
            let header = has("key") ? [:] : try document.members("header", of: object)
            recipients.append((key, try .wanted(name), header))
        }
        return EncryptJob(
            recipients: recipients,
            content: try contentEncryption(), header: try header(),
            unprotected: try members("unprotected"),
            additionalData: has("aad") ? try bytes("aad") : [], compression: try compression(),
            form: try form(default: has("recipients") ? .general : .compact), limits: desk.limits,
            options: try RecipientOptions(
                passwordIterations: integer("p2c", 1...100_000_000),
                for: recipients.map(\.algorithm)))
    }

    /// What encrypts the content; nil where the request leaves it to the algorithm.
    func contentEncryption() throws -> ContentEncryptionAlgorithm? {
        try string("enc").map { try .wanted($0) }
    }

    /// What compresses before encryption; nil where nothing does.
    func compression() throws -> CompressionAlgorithm? {
        try string("zip").map { try .wanted($0) }
    }

    /// The compressions that the reader accepts; a name that does not exist here matches no token.
    func compressions() throws -> [CompressionAlgorithm] {
        try strings("zips")?.compactMap(CompressionAlgorithm.init(name:)) ?? []
    }

}

extension JSONWriter {
    /// The members of a decrypted compact JWE.
    mutating func decrypted(_ decrypted: DecryptedJWE) throws {
        try opened(decrypted.unauthenticatedPlaintext, decrypted.header(), decrypted.keyID)
    }

    /// The members of a decrypted JWE of the JSON serialisations.
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
