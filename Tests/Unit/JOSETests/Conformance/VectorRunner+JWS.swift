// Published signed tokens: verified, and created again byte for byte.

import JOSE
import JOSECrypto
import Testing

extension VectorRunner {
    func signed() throws -> Outcome {
        if vector["alg"] == "none" { return try unsecured() }
        if let reason = LeftOut.signature(vector["alg"]) { return .leftOut(reason) }
        let algorithm = try need(SignatureAlgorithm(name: need(vector["alg"])))
        let key = try JWK(json: need(vector.key()).json)
        let compact = try need(vector.output["compact"]?.string)
        let header = try need(vector["protected_text"])
        let payload = try need(vector["payload_text"])

        let verified = try JWSVerifier(key: key.forVerifying, algorithms: [algorithm])
            .verify(compact)
        equal(String(decoding: verified.payload, as: UTF8.self), payload, "payload")
        equal(try verified.header().json, header, "header")
        equal(
            try VectorValue(json: verified.header().json), try VectorValue(json: header), "members")

        guard vector.reproducible == "yes" else { return .ran }
        equal(try TestToken.signed(header, payload, by: key, algorithm), compact, "made again")
        // The signer writes the same header if the source has neither white space nor `typ`.
        let own = try JWSSigner(key: key, algorithm: algorithm).sign(payload)
        let members = try need(VectorValue(json: header).object)
        if Set(members.keys).isSubset(of: ["alg", "kid"]) {
            equal(own, compact, "made by the signer")
        }
        return .ran
    }

    /// `none` is a name that no policy can allow (RFC 8725 section 3.2).
    private func unsecured() throws -> Outcome {
        let compact = try need(vector.output["compact"]?.string)
        #expect(SignatureAlgorithm(name: "none") == nil)
        let verifier = try JWSVerifier(
            key: TestKeys.bare(TestKeys.signing.publicKey), algorithms: SignatureAlgorithm.all)
        expectRejection("algorithm-not-allowed", vector.id) { _ = try verifier.verify(compact) }
        return .ran
    }

    /// A JWT outside attacks.json: verified at a time when it was valid, with its own claims as the
    /// expected values.
    func token() throws -> Outcome {
        if vector["alg"] == "none" { return try unsecured() }
        if let reason = LeftOut.signature(vector["alg"]) { return .leftOut(reason) }
        let algorithm = try need(SignatureAlgorithm(name: need(vector["alg"])))
        let key = try JWK(json: need(vector.key()).json).forVerifying
        let compact = try need(vector.output["compact"]?.string)
        let claims = try need(vector.output["claims"])
        var policy = ClaimsPolicy(
            issuer: .exactly(try need(claims["iss"]?.string)),
            audience: claims["aud"]?.string.map { .contains($0) } ?? .any)
        // Some examples are incomplete tokens without `exp`.
        policy.requiredClaims = claims["exp"] == nil ? [] : ["exp"]
        let verifier = try JWTVerifier.checking(
            policy, signature: .required(key: key, algorithms: [algorithm]))
        var expectation = ClaimsExpectation(
            nonce: claims["nonce"]?.string, subject: claims["sub"]?.string,
            accessToken: vector["access_token"])
        expectation.requiresAccessTokenHash =
            claims["at_hash"] != nil && vector["access_token"] != nil
        expectation.code = vector["code"]
        expectation.requiresCodeHash = claims["c_hash"] != nil
        let end = claims["exp"]?.int
        let now = try need(
            NumericDate(exactly: min(1_311_281_000, Int64(end ?? .max) - 1)))
        let verified = try verifier.verify(compact, expecting: expectation, at: now)
        equal(try VectorValue(json: verified.json), claims, "claims")
        equal(verified.json, vector["payload_text"], "payload")
        equal(verified.keyID, vector.key()?["kid"]?.string, "kid")
        // A second after its end it is rejected.
        if let end {
            let later = try need(NumericDate(exactly: Int64(end) + 60))
            expectRejection("claim-rejected exp", vector.id) {
                _ = try verifier.verify(compact, expecting: expectation, at: later)
            }
        }
        return .ran
    }

    /// RFC 7523 prints headers without the rest of the token: signed here with our own key.
    func header() throws -> Outcome {
        let text = try need(vector["protected_text"])
        let wanted = try need(vector.output["header"])
        if let reason = LeftOut.signature(wanted["alg"]?.string) { return .leftOut(reason) }
        let algorithm = try need(SignatureAlgorithm(name: need(wanted["alg"]?.string)))
        let keyID = try need(wanted["kid"]?.string)
        let key = try TestKeys.named(TestKeys.signer(for: algorithm), keyID)
        let token = try JWSSigner(key: key, algorithm: algorithm).sign("x")
        equal(TestToken.parts(token)[0], vector.output["protected_b64u"]?.string, "made again")
        let verified = try JWSVerifier(key: key.forVerifying, algorithms: [algorithm])
            .verify(token)
        equal(try verified.header().json, text, "header")
        equal(try verified.header().algorithm?.name, wanted["alg"]?.string, "alg")
        equal(try verified.header().keyID, keyID, "kid")
        return .ran
    }

    /// A claims set without a token: signed here with our own key.
    func claims() throws -> Outcome {
        let text = try need(vector["payload_text"])
        let wanted = try need(vector.output["claims"])
        let token = try JWSSigner(key: TestKeys.signing, algorithm: .rs256).sign(text)
        let verifier = try JWTVerifier.checking(
            ClaimsPolicy(
                issuer: .exactly(need(wanted["iss"]?.string)),
                audience: .contains(need(wanted["aud"]?.string))))
        let start = try need(NumericDate(exactly: need(wanted["nbf"]?.int.map(Int64.init))))
        let verified = try verifier.verify(token, at: start)
        equal(try VectorValue(json: verified.json), wanted, "claims")
        for (name, value) in try need(wanted.object) {
            switch value {
            case .string(let text): equal(verified[name], .string(text), name)
            case .bool(let flag): equal(verified[name], .bool(flag), name)
            default: equal(verified[name]?.integer.map(Int.init), value.int, name)
            }
        }
        return .ran
    }

    /// `at_hash` (OpenID Connect Core 3.1.3.6), inside an ID Token that is signed here.
    func halfHash() throws -> Outcome {
        if let reason = LeftOut.signature(vector["alg"]) { return .leftOut(reason) }
        let algorithm = try need(SignatureAlgorithm(name: need(vector["alg"])))
        let key = try TestKeys.signer(for: algorithm)
        let hash = try need(vector.output["hash"]?.string)
        let token = try JWSSigner(key: key, algorithm: algorithm)
            .sign("{\"exp\":2000000000,\"at_hash\":\"\(hash)\",\"c_hash\":\"\(hash)\"}")
        let verifier = try JWTVerifier.checking(
            signature: .required(key: key.forVerifying, algorithms: [algorithm]))
        var expectation = ClaimsExpectation(accessToken: vector["value"])
        expectation.requiresAccessTokenHash = true
        expectation.code = vector["value"]
        expectation.requiresCodeHash = true
        let now = try need(NumericDate(exactly: 1_760_000_000))
        _ = try verifier.verify(token, expecting: expectation, at: now)
        return .ran
    }
}
