// The operation `chain.verify`.

import JOSE
import JOSEBytes

extension BatchOperation {
    static let chainVerify = BatchOperation(
        name: "chain.verify", required: ["anchors", "at"],
        optional: ["x5c", "jwk", "purpose", "crls"]
    ) { request, handler, writer in
        guard let now = try request.date("at") else { throw Rejection.missing("at") }
        let key = try await request.certifiedKey(handler)
        let purpose = try CertificatePurpose.named(request.string("purpose"), for: key)
        let store = try request.trustStore(handler)
        let trusted = try key.validated(by: store, purpose: purpose, at: now)
        writer.member("subject", try trusted.certificateSubject())
        writer.member("not_after", trusted.validatedChain.map { Timestamp.write($0.notAfter) })
        writer.member("public", json: Array(try trusted.publicJSON().utf8))
    }
}

extension BatchRequest {
    fileprivate func certifiedKey(_ handler: BatchHandler) async throws -> JWK {
        guard has("jwk") != has("x5c") else {
            throw Rejection.misuse("either 'x5c' or 'jwk' is required")
        }
        if has("jwk") { return try await handler.keys.key(json("jwk")) }
        guard let texts = try strings("x5c") else { throw Rejection.missing("x5c") }
        guard texts.count <= handler.limits.chainCount else {
            throw Rejection(
                .limitExceeded, step: "certificate", message: "'x5c' has too many certificates")
        }
        return try JWK(certificates: certificates("x5c"), limits: handler.limits)
    }

    fileprivate func trustStore(_ handler: BatchHandler) throws -> TrustStore {
        let material = TrustMaterial(
            anchors: try named("anchors"), lists: try named("crls"))
        // Identifies the store in the cache. JSON arrays end with `]`, so the text is unambiguous.
        let text = try json("anchors") + (has("crls") ? json("crls") : [])
        do {
            return try handler.keys.trust(text) { () throws(JOSEError) in try material.store() }
        } catch let error as JOSEError {
            throw material.rejection(error)
        }
    }

    private func named(_ name: String) throws -> [TrustMaterial.Entry] {
        try certificates(name).enumerated().map { index, der in
            let name = "'\(name)'[\(index)]"
            // `TrustStore` also reads PEM; requests have DER only.
            guard StrictDER.isOneValue(der.span) else {
                throw Rejection(.malformed, step: "certificate", message: "\(name): not DER")
            }
            return (name, der)
        }
    }

    private func certificates(_ name: String) throws -> [[UInt8]] {
        try (strings(name) ?? []).map { text in
            guard let der = StandardBase64.decode(text.utf8.span) else {
                throw Rejection(
                    .malformed, step: "certificate",
                    message: "'\(name)' has an element that is not padded base64")
            }
            return der
        }
    }
}
