// Published certificate chains, and the chains of x5c.json with their anchors.

import Foundation
import JOSE
import JOSECrypto
import Testing

/// One case of x5c.json: a key with its chain, the caller's anchors and clock.
struct ChainRunner {
    let chain: VectorCase

    /// The validation result, or the rejection.
    func validate() throws -> JWK {
        let limits = JOSELimits.with { $0.keySetBytes = 64 << 20 }
        let key = try JWK(json: text().json, limits: limits)
        let anchors = try need(chain.input["trust_anchors"]?.array).map {
            Array(try need(Data(base64Encoded: need($0.string))))
        }
        let now = try need(NumericDate(exactly: Int64(need(chain.input["validation_time"]?.int))))
        let purpose: CertificatePurpose = chain["use"] == "enc" ? .encryption : .signature
        let store = try TrustStore(anchors: anchors)
        let trusted = try key.validated(by: store, purpose: purpose, at: now)
        #expect(trusted.validatedChain?.contains(now) == true, "\(chain.id)")
        // The second time it is cached and must be the same.
        let again = try store.validate(key, purpose: purpose, at: now)
        #expect(again == trusted.validatedChain, "\(chain.id)")
        return trusted
    }

    /// The JWK. A chain that is too large to store is repeated from one certificate.
    private func text() throws -> VectorValue {
        let jwk = try need(chain.input["jwk"])
        guard let more = jwk["x5c_repeat"] else { return jwk }
        var members = try need(jwk.object)
        members["x5c_repeat"] = nil
        let copies = Array(
            repeating: try need(more["certificate"]), count: try need(more["times"]?.int))
        members["x5c"] = .array((jwk["x5c"]?.array ?? []) + copies)
        return .object(members)
    }
}

extension VectorRunner {
    func trustedChain() throws -> Outcome {
        let key = try ChainRunner(chain: vector).validate()
        let leaf = try need(key.certificateChain?.first)
        let thumbprint = try Independent.base64URL(Hash.digest(.sha256, leaf.span))
        equal(thumbprint, vector.output["x5t_s256_b64u"]?.string, "x5t#S256")
        return .ran
    }

    /// A key with a chain that is not trusted today: it is read, used and written, but trust is
    /// rejected.
    func keyWithChain() throws -> Outcome {
        let text = try need(vector.input["jwk"])
        let key = try JWK(json: text.json)
        equal(try key.thumbprint(), vector.output["thumbprint_sha256"]?.string, "thumbprint")
        equal(try VectorValue(json: key.publicJSON()), text, "written again")
        try certificate(
            need(key.certificateChain?.first), vector.output, sha1: "x5t_b64u",
            sha256: "x5t_s256_b64u")
        _ = try JWSVerifier.rs256(key)
        let now = try need(NumericDate(exactly: Int64(need(vector.output["not_before"]?.int)) + 1))
        let other = try need(
            VectorFile.named("x5c.json").vectors.first?.input["trust_anchors"]?.array?.first)
        let anchor = Array(try need(Data(base64Encoded: need(other.string))))
        let store = try TrustStore(anchors: [anchor])
        expectRejection("untrusted-key", vector.id) {
            _ = try key.validated(by: store, purpose: .signature, at: now)
        }
        return .ran
    }

    /// RFC 7515 appendix B: three certificates, leaf first.
    func bareChain() throws -> Outcome {
        let chain = try need(vector.input["x5c"]?.array).map {
            Array(try need(Data(base64Encoded: need($0.string))))
        }
        let key = try JWK(certificates: chain)
        equal(key.certificateChain, chain, "chain")
        for (der, wanted) in zip(chain, try need(vector.output["certificates"]?.array)) {
            try certificate(der, wanted, sha1: "sha1_x5t", sha256: "sha256_x5t")
        }
        return .ran
    }

    private func certificate(
        _ der: [UInt8], _ wanted: VectorValue, sha1: String, sha256: String
    ) throws {
        equal(try Independent.base64URL(Hash.digest(.sha1, der.span)), wanted[sha1]?.string, "x5t")
        equal(
            try Independent.base64URL(Hash.digest(.sha256, der.span)), wanted[sha256]?.string,
            "x5t#S256")
    }
}
