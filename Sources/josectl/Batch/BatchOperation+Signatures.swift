// The operations on JWS. The request determines the serialisation; it is never guessed.

import JOSE
import JOSEBytes

extension BatchOperation {
    static let jwsSign = BatchOperation(
        name: "jws.sign", required: [],
        optional: [
            "key", "signers", "payload", "payload_text", "alg", "header", "unprotected", "form",
            "detached", "b64",
        ]
    ) { request, handler, writer in
        let payload = try request.bytes("payload")
        let job = try await request.signJob(handler)
        writer.member(token: try await job.run(payload), job.form)
    }

    static let jwsVerify = BatchOperation(
        name: "jws.verify", required: ["token"],
        optional: [
            "key", "keys", "algs", "detached_payload", "b64", "signatures", "unprotected_alg",
        ],
        run: { request, handler, writer in
            let job = try await request.verifyJob(handler)
            guard try !request.isJSONToken() else {
                return try writer.verified(
                    job.run(json: request.jsonToken(), request.jsonReading()))
            }
            try request.rejectJSONMembers()
            let token = try request.compactToken()
            let encodings = try request.encodings()
            guard let payload = try request.detachedPayload() else {
                return try writer.verified(
                    job.verifier(of: token).verifyUnencoded(token, encodings: encodings))
            }
            try writer.verified(job.run(token, detached: payload, encodings))
        },
        deferred: { request, handler in
            guard try !request.isJSONToken(), !request.has("detached_payload"),
                !request.has("b64"), !request.has("signatures"), !request.has("unprotected_alg")
            else { return nil }
            let token = try request.compactToken()
            return .verify(
                verifier: try await request.verifyJob(handler).verifier(of: token), token: token)
        }
    )
}

extension BatchRequest {
    fileprivate func verifyJob(_ handler: BatchHandler) async throws -> VerifyJob {
        VerifyJob(
            keys: try await verificationKeys(handler), algorithms: try allowList("algs"),
            limits: handler.limits)
    }

    /// The signers are the objects in `signers`, or the request itself.
    fileprivate func signJob(_ handler: BatchHandler) async throws -> SignJob {
        var signers: [SignJob.Signer] = []
        for object in try parties("signers", without: ["alg", "header", "unprotected"]) {
            signers.append(try await signer(object, handler))
        }
        return SignJob(
            signers: signers,
            form: try form(default: has("signers") ? .general : .compact),
            isDetached: try bool("detached") ?? false,
            encoding: try bool("b64") == false ? .unencoded : .base64URL, limits: handler.limits)
    }

    private func signer(
        _ object: Int, _ handler: BatchHandler
    ) async throws -> (signer: JWSSigner, unprotected: [String: JSONValue]) {
        let (key, algorithm) = try await key(of: object, "a signer", handler)
        let header = try document.member("header", of: object)
            .map { try HeaderParameters(document, at: $0) }
        let signer = try JWSSigner(
            key: key, algorithm: key.signingAlgorithm(algorithm),
            header: header ?? HeaderParameters(), limits: handler.limits)
        return (signer, try document.members("unprotected", of: object))
    }

    fileprivate func detachedPayload() throws -> [UInt8]? {
        has("detached_payload") ? try bytes("detached_payload") : nil
    }

    /// Without `b64`, an unencoded payload is accepted only if it is detached.
    fileprivate func encodings() throws -> [PayloadEncoding] {
        switch try bool("b64") {
        case true?: [.base64URL]
        case false?: [.unencoded]
        case nil: has("detached_payload") ? [.base64URL, .unencoded] : [.base64URL]
        }
    }

    fileprivate func jsonReading() throws -> JSONReading {
        JSONReading(
            requirement: try requirement(), detached: try detachedPayload(),
            encodings: try encodings(),
            algorithmLocation: try bool("unprotected_alg") ?? false ? .anyHeader : .protectedHeader)
    }

    private func requirement() throws -> SignatureRequirement? {
        guard let node = node("signatures") else { return nil }
        guard document.kind(at: node) == .array else {
            guard let word = try string("signatures"),
                word.isExactly("any") || word.isExactly("all")
            else {
                throw Rejection.misuse("'signatures' must be any, all, or a list of kids")
            }
            return .named([word])
        }
        return .each(of: try strings("signatures") ?? [])
    }

    fileprivate func rejectJSONMembers() throws {
        guard !has("signatures"), !has("unprotected_alg") else {
            throw Rejection.misuse("'signatures' and 'unprotected_alg' require a JSON token")
        }
    }
}

extension JSONWriter {
    /// Writes the members of the first signature, then `signatures` with those of all.
    mutating func verified(_ verified: VerifiedJSONJWS) throws {
        name("payload")
        string(base64URL: verified.payload.span)
        let first = verified.signatures.first
        member("header", of: first?.header)
        member("kid", first?.keyID)
        try member("signatures", objects: verified.signatures) { writer, signature in
            writer.member("header", of: signature.header)
            try writer.member("unprotected", signature.unprotectedHeader)
            writer.member("kid", signature.keyID)
        }
    }
}
