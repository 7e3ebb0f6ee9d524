// Runs one published vector: selects by kind and checks everything that the vector prints.

import JOSE
import JOSEBytes
import JOSECrypto
import JOSEOpenID
import Testing

struct VectorRunner {
    let vector: VectorCase

    /// Runs the vector. Failed expectations are recorded with its id.
    func run() throws -> Outcome {
        switch vector.kind {
        case "jws", "jws-unsecured": return try signed()
        case "jws-json": return try signedJSON()
        case "jwe-json": return try encryptedJSON()
        case "jws-detached": return try detached()
        case "jws-b64false": return try unencoded()
        case "jwt": return try vector.file == "attacks.json" ? control() : token()
        case "jwe" where vector.file == "attacks.json": return try control()
        case "nested": return try control()
        case "jwe": return try encrypted()
        case "aead": return try content()
        case "kdf": return try agreement()
        case "jwk": return try key()
        case "jwk-x5c-trust": return try trustedChain()
        case "jwk-x5c": return try keyWithChain()
        case "x5c": return try bareChain()
        case "jwks": return try vector["compact"] == nil ? keySet() : control()
        case "thumbprint", "thumbprint-uri": return try thumbprint()
        case "base64url": return try base64URL()
        case "half-hash": return try halfHash()
        case "pkce": return try proofKey()
        case "dpop":
            let proof = try ProofRunner(entry: vector).run()
            equal(proof.keyThumbprint, vector.output["jkt"]?.string, "jkt")
            return .ran
        case "header": return try header()
        case "claims": return try claims()
        default:
            Issue.record("no runner for \(vector.id) of kind \(vector.kind)")
            return .leftOut(vector.kind)
        }
    }

    func equal<Value: Equatable>(
        _ got: Value, _ wanted: Value, _ what: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(got == wanted, "\(vector.id): \(what)", sourceLocation: sourceLocation)
    }

    /// A control of attacks.json: accepted under the profile.
    private func control() throws -> Outcome {
        switch try AttackRunner(vector).verdict() {
        case .leftOut(let reason): return .leftOut(reason)
        case .verdict(let verdict):
            equal(verdict, "accepted", "control")
            return .ran
        }
    }
}

extension VectorRunner {
    private func base64URL() throws -> Outcome {
        let bytes = try Independent.hex(need(vector["bytes_hex"]))
        let text = try need(vector.output["text"]?.string)
        equal(Base64URL.encodeToString(bytes.span), text, "encoded")
        equal(Base64URL.decode(text.utf8.span), bytes, "decoded")
        return .ran
    }

    private func proofKey() throws -> Outcome {
        let verifier = try need(vector.output["code_verifier"]?.string)
        let random = try Independent.hex(need(vector["verifier_bytes_hex"]))
        equal(Independent.base64URL(random), verifier, "verifier")
        equal(
            try PKCE(verifier: verifier).challenge, vector.output["code_challenge"]?.string,
            "challenge")
        return .ran
    }

    private func key() throws -> Outcome {
        if let reason = LeftOut.signature(vector["alg"]) { return .leftOut(reason) }
        let text = try need(vector.key())
        let key = try JWK(json: text.json)
        if let published = vector.output["public_jwk"] {
            // RFC 8037, A.1 and A.2: the same key without its private part.
            equal(try VectorValue(json: key.publicJSON()), published, "public part")
            equal(try VectorValue(json: key.privateJSON()), text, "written again")
            return .ran
        }
        equal(key.keyType.name, vector.output["kty"]?.string, "kty")
        equal(key.isPrivate, vector.output["has_private"]?.isTrue ?? false, "private")
        equal(try key.thumbprint(), vector.output["thumbprint_sha256"]?.string, "thumbprint")
        equal(key.keyID, text["kid"]?.string, "kid")
        equal(key.use?.name, text["use"]?.string, "use")
        // Every member is written as it was read, since numbers have one encoding.
        equal(try VectorValue(json: key.privateJSON()), text, "written again")
        return .ran
    }

    private func keySet() throws -> Outcome {
        let text = try need(vector.input["jwks"])
        let wanted = try need(vector.output["summary"]?.array)
        let members = try need(text["keys"]?.array)
        let set = try JWKSet(json: text.json)
        equal(set.skipped.count, 0, "skipped keys")
        equal(set.keys.count, members.count, "usable keys")
        for (key, (member, summary)) in zip(set.keys, zip(members, wanted)) {
            equal(key.keyID, summary["kid"]?.string, "kid")
            equal(key.use?.name, summary["use"]?.string, "use")
            equal(key.algorithm?.name, summary["alg"]?.string, "alg")
            equal(key.isPrivate, summary["has_private"]?.isTrue ?? false, "private")
            equal(try key.thumbprint(), summary["thumbprint_sha256"]?.string, "thumbprint")
            equal(try VectorValue(json: key.privateJSON()), member, "written again")
        }
        // A set with private members is never a third party's public set.
        if wanted.contains(where: { $0["has_private"]?.isTrue ?? false }) {
            expectRejection("key-unusable", vector.id) { _ = try PublicJWKSet(json: text.json) }
        } else {
            equal(try PublicJWKSet(json: text.json).keys().count, members.count, "public keys")
        }
        return .ran
    }

    private func thumbprint() throws -> Outcome {
        var text = try need(vector.key())
        // If libcrypto cannot check the private part, the error says so. The thumbprint is of the
        // public part.
        if LeftOut.signature(text["alg"]?.string) != nil { text = text.publicPart }
        let hash = try need(JWK.ThumbprintHash.all.first { $0.name == vector["hash"] })
        let key = try JWK(json: text.json)
        if vector.kind == "thumbprint-uri" {
            equal(try key.thumbprintURI(hash), vector.output["uri"]?.string, "uri")
            return .ran
        }
        equal(try key.thumbprint(hash), vector.output["thumbprint_b64u"]?.string, "thumbprint")
        if key.keyType == .oct {
            expectRejection("key-unusable", vector.id) { _ = try key.publicKey.thumbprint(hash) }
        } else {
            equal(try key.publicKey.thumbprint(hash), try key.thumbprint(hash), "public part")
        }
        return .ran
    }
}
