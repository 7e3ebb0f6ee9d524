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
        let job = try request.encryptJob(desk)
        writer.made(try job.run(payload), job.form)
    }

    static let jweDecrypt = BatchOperation(
        name: "jwe.decrypt", required: ["token"],
        optional: ["key", "keys", "algs", "encs", "zips"],
        run: { request, desk, writer in
            let job = try request.decryptJob(desk)
            guard try !request.isJSONToken() else {
                return try writer.decrypted(job.run(json: request.jsonToken()))
            }
            try writer.decrypted(job.run(request.compactToken()))
        },
        runHeld: { request, desk, writer in
            let (job, time) = (try request.decryptJob(desk), HeldKeys.patience)
            guard try !request.isJSONToken() else {
                return try writer.decrypted(
                    await job.run(json: request.jsonToken(), within: time))
            }
            try writer.decrypted(await job.run(request.compactToken(), within: time))
        }
    )
}

extension BatchRequest {
    fileprivate func decryptJob(_ desk: BatchDesk) throws -> DecryptJob {
        DecryptJob(
            keys: try decryptionKeys(desk), algorithms: try allowList("algs"),
            contents: try allowList("encs"), compression: try compressions(), limits: desk.limits)
    }

    /// For whom, by `key` and `alg` or by `recipients`, and how the token looks.
    fileprivate func encryptJob(_ desk: BatchDesk) throws -> EncryptJob {
        guard has("key") != has("recipients") else {
            throw Refusal.misuse("give 'key' or 'recipients'")
        }
        var nodes: [Int] = []
        if let list = node("recipients") {
            guard document.kind(at: list) == .array, !has("alg") else {
                throw Refusal.misuse("'recipients' is a list with all that concerns each of them")
            }
            document.forEachElement(of: list) { nodes.append($0) }
        }
        let recipients:
            [(key: JWK, algorithm: KeyManagementAlgorithm, header: [String: JSONValue])] =
                try has("key")
                ? [(recipient(0, desk).0, recipient(0, desk).1, [:])]
                : nodes.map {
                    let (key, algorithm) = try recipient($0, desk)
                    return (key, algorithm, try document.members("header", of: $0))
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
        try strings("zips")?.compactMap(CompressionAlgorithm.named) ?? []
    }

    private func recipient(
        _ object: Int, _ desk: BatchDesk
    ) throws -> (JWK, KeyManagementAlgorithm) {
        guard let key = document.member("key", of: object) else {
            throw Refusal.misuse("a recipient without 'key'")
        }
        guard let node = document.member("alg", of: object), let name = document.string(at: node)
        else { throw Refusal.misuse("'alg' is missing") }
        return (try desk.keys.key(document.json(at: key)), try .wanted(name))
    }
}

extension JSONWriter {
    /// The member of a token that was made.
    mutating func made(_ token: String, _ form: TokenForm) {
        name("token")
        if form == .compact { string(token) } else { raw(token.utf8.span) }
    }

    /// The members of a decrypted compact JWE.
    mutating func decrypted(_ decrypted: DecryptedJWE) throws {
        try opened(decrypted.unauthenticatedPlaintext, decrypted.header, decrypted.keyID)
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
