// The operation on certificate chains.

import JOSE
import JOSEBytes

extension BatchOperation {
    static let chainVerify = BatchOperation(
        name: "chain.verify", required: ["anchors", "at"],
        optional: ["x5c", "jwk", "purpose", "crls"]
    ) { request, desk, writer in
        guard let now = try request.date("at") else { throw Rejection.misuse("'at' is missing") }
        let key = try await request.certifiedKey(desk)
        let purpose = try CertificatePurpose.wanted(request.string("purpose"), for: key)
        let store = try request.trustStore(desk)
        let trusted = try key.validated(by: store, purpose: purpose, at: now)
        writer.member("subject", try trusted.certificateSubject())
        writer.member("not_after", trusted.validatedChain.map { Timestamp.write($0.notAfter) })
        writer.member("public", json: Array(try trusted.publicJSON().utf8))
    }
}

extension BatchRequest {
    /// The key of `jwk`, or that of the leaf in `x5c`.
    fileprivate func certifiedKey(_ desk: BatchHandler) async throws -> JWK {
        guard has("jwk") != has("x5c") else {
            throw Rejection.misuse("give one of 'x5c' and 'jwk'")
        }
        if has("jwk") { return try await desk.keys.key(json("jwk")) }
        guard let texts = try strings("x5c") else { throw Rejection.misuse("'x5c' is missing") }
        guard texts.count <= desk.limits.chainCount else {
            throw Rejection(
                .limitExceeded, step: "certificate", message: "'x5c' has too many certificates")
        }
        return try JWK(certificates: certificates("x5c"), limits: desk.limits)
    }

    fileprivate func trustStore(_ desk: BatchHandler) throws -> TrustStore {
        let material = TrustMaterial(
            anchors: try named("anchors"), lists: try named("crls"))
        // A JSON array ends with its own bracket: the two texts cannot be mistaken for others.
        let text = try json("anchors") + (has("crls") ? json("crls") : [])
        do {
            return try desk.keys.trust(text) { () throws(JOSEError) in try material.store() }
        } catch let error as JOSEError {
            throw material.rejection(error)
        }
    }

    private func named(_ name: String) throws -> [TrustMaterial.Entry] {
        try certificates(name).enumerated().map { index, der in
            let name = "'\(name)'[\(index)]"
            // A store reads PEM too; this protocol has DER alone.
            guard StrictDER.isOneValue(der.span) else {
                throw Rejection(.malformed, step: "certificate", message: "\(name): not DER")
            }
            return (name, der)
        }
    }

    /// DER in standard base64; empty where there is no such member.
    private func certificates(_ name: String) throws -> [[UInt8]] {
        try (strings(name) ?? []).map { text in
            guard let der = StandardBase64.decode(text.utf8.span) else {
                throw Rejection(
                    .malformed, step: "certificate",
                    message: "'\(name)' holds something that is not padded base64")
            }
            return der
        }
    }
}
