// The operations on JWS and JWE.

import JOSE
import JOSEBytes

extension BatchOperation {
    static let jwsSign = BatchOperation(
        name: "jws.sign", required: ["key"],
        optional: ["payload", "payload_text", "alg", "header"]
    ) { request, desk, writer in
        let payload = try request.bytes("payload")
        let key = try desk.keys.key(request.json("key"))
        let signer = try JWSSigner(
            key, algorithm: key.signingAlgorithm(request.string("alg")),
            header: request.header(), limits: desk.limits)
        writer.name("token")
        writer.string(try signer.sign(payload))
    }

    static let jwsVerify = BatchOperation(
        name: "jws.verify", required: ["token"],
        optional: ["key", "keys", "algs", "detached_payload"]
    ) { request, desk, writer in
        guard !request.has("detached_payload") else {
            throw Refusal.unsupported("detached payloads are not supported yet")
        }
        let job = VerifyJob(
            keys: try request.verificationKeys(desk), algorithms: try request.allowList("algs"),
            limits: desk.limits)
        let verified = try job.run(request.compactToken())
        try writer.opened(verified.payload, verified.header, verified.keyID)
    }

    static let jweEncrypt = BatchOperation(
        name: "jwe.encrypt", required: ["key", "alg", "enc"],
        optional: ["payload", "payload_text", "header"]
    ) { request, desk, writer in
        let payload = try request.bytes("payload")
        let encrypter = try JWEEncrypter(
            desk.keys.key(request.json("key")),
            algorithm: .wanted(request.requiredString("alg")),
            content: .wanted(request.requiredString("enc")), header: request.header(),
            limits: desk.limits)
        writer.name("token")
        writer.string(try encrypter.encrypt(payload))
    }

    static let jweDecrypt = BatchOperation(
        name: "jwe.decrypt", required: ["token"], optional: ["key", "keys", "algs", "encs"]
    ) { request, desk, writer in
        let job = DecryptJob(
            keys: try request.decryptionKeys(desk), algorithms: try request.allowList("algs"),
            contents: try request.allowList("encs"), limits: desk.limits)
        let decrypted = try job.run(request.compactToken())
        try writer.opened(decrypted.unauthenticatedPlaintext, decrypted.header, decrypted.keyID)
    }
}

extension JWK {
    /// The algorithm that a caller names or, where none is named, the one that the key is for.
    func signingAlgorithm(_ name: String?) throws -> SignatureAlgorithm {
        guard let name = name ?? algorithm else {
            throw Refusal.misuse("name an algorithm: the key does not say one")
        }
        return try .wanted(name)
    }
}

extension BatchRequest {
    func verificationKeys(_ desk: BatchDesk) throws -> VerificationKeys {
        try isSet()
            ? .set(desk.keys.publicSet(json("keys"))) : .one(desk.keys.key(json("key")))
    }

    func decryptionKeys(_ desk: BatchDesk) throws -> DecryptionKeys {
        try isSet() ? .set(desk.keys.ownSet(json("keys"))) : .one(desk.keys.key(json("key")))
    }

    private func isSet() throws -> Bool {
        guard has("key") != has("keys") else { throw Refusal.misuse("give 'key' or 'keys'") }
        return has("keys")
    }
}

extension JSONWriter {
    /// The members of an opened token.
    mutating func opened(
        _ payload: [UInt8], _ header: ProtectedHeader, _ keyID: String?
    ) throws {
        name("payload")
        string(base64URL: payload.span)
        member("header", json: Array(header.json.utf8))
        member("kid", keyID)
    }
}
