// Runs one case of attacks.json with the file's profile. Every token is cryptographically valid.

import JOSE
import JOSEOpenID
import Testing

struct AttackRunner {
    let attack: VectorCase

    init(_ attack: VectorCase) { self.attack = attack }

    enum Ending {
        case accepted
        case rejected(JOSEError)
        case leftOut(String)
    }

    func ending() throws -> Ending {
        if let reason = waiting { return .leftOut(reason) }
        if attack.kind == "jws-json" { return try serialised() }
        let token = try token()
        let verify = try verifier()
        do {
            try verify(token)
            return .accepted
        } catch let error as JOSEError {
            return .rejected(error)
        }
    }

    /// A JWS in JSON: the policy requires all signatures and knows both signers.
    private func serialised() throws -> Ending {
        let keys = try PublicJWKSet(keys: [TestKeys.signing.publicKey, TestKeys.client.publicKey])
        let verifier = try JWSVerifier.rs256(keys: keys)
        do {
            _ = try verifier.verifyJSON(need(attack.input["json"]).json, requiring: .all)
            return .accepted
        } catch let error as JOSEError {
            return .rejected(error)
        }
    }

    func verdict() throws -> HostileOutcome {
        switch try ending() {
        case .accepted: .verdict("accepted")
        case .rejected(let error): .verdict(Rejection.text(error))
        case .leftOut(let reason): .leftOut(reason)
        }
    }

    var waiting: String? {
        if attack.kind == "jwe" { return LeftOut.encryption(attack["alg"], attack["enc"]) }
        return nil
    }

    /// The token as given, or built from its recipe.
    func token() throws -> String {
        if let compact = attack["compact"] { return compact }
        let recipe = try need(attack.input["recipe"])
        func repeated(_ name: String) throws -> String {
            let pair = try need(recipe[name]?.array)
            return String(
                repeating: try need(pair[0].string), count: try need(pair[1].int))
        }
        let payload =
            try need(recipe["payload_prefix"]?.string) + repeated("repeat")
            + repeated("repeat_close") + need(recipe["payload_suffix"]?.string)
        return try TestToken.signed(
            need(recipe["header"]?.string), payload, by: JWK(json: need(attack.key()).json))
    }

    /// The verifier for the profile and the case; creating it may reject the key.
    private func verifier() throws -> (String) throws -> Void {
        if attack.kind == "jwe" {
            let decrypter = try decrypter()
            let plaintext = attack["plaintext_text"]
            return { token in
                let opened = try decrypter.decrypt(token)
                guard let plaintext else { return }
                #expect(opened.unauthenticatedPlaintext == Array(plaintext.utf8))
            }
        }
        let profile = try TestProfile(attack)
        return { token in
            let rules = (try self.encryption(), try self.signature())
            let verifier = try JWTVerifier.checking(profile.policy, rules.0, signature: rules.1)
            let store = MemoryReplayStore()
            // A token that is presented several times has the result of its last presentation.
            for _ in 0..<(self.attack.input["repeat"]?.int ?? 1) {
                let verified = try verifier.verify(
                    token, expecting: profile.expectation, at: profile.now)
                guard self.attack.catalogue == 107 else { continue }
                try AttackRunner.markUsed(verified, store, at: profile.now)
            }
        }
    }

    private static func markUsed(
        _ token: VerifiedJWT, _ store: MemoryReplayStore, at now: NumericDate
    ) throws {
        let use = ReplayEntry(
            purpose: "attack", issuer: token.issuer ?? "", audience: "",
            tokenID: token.jwtID ?? "", expires: now.advanced(by: .seconds(600)))
        do throws(ReplayStoreError) {
            try store.markUsedNow(use, at: now)
        } catch {
            throw JOSEError(error)
        }
    }

    /// The profile's decrypter with the changes of the case.
    private func decrypter() throws -> JWEDecrypter {
        if attack["allowed"] == "dir" {
            let key = try JWK(symmetricKey: attack.bytes("direct_key_b64u"))
            return try JWEDecrypter.with(key, .direct, .a128CBCHS256)
        }
        let key = try JWK(json: need(attack.key()).json)
        guard attack["key"] == "password" else {
            return try AttackRunner.decrypter(
                key, compression: attack.input["compression"]?.string == "on" ? [.deflate] : [])
        }
        let algorithm = try need(KeyManagementAlgorithm(name: need(attack["alg"])))
        return try JWEDecrypter.with(key, algorithm, .a128CBCHS256)
    }

    static func decrypter(
        _ key: JWK, compression: [CompressionAlgorithm] = []
    ) throws -> JWEDecrypter {
        try JWEDecrypter(
            key: key, algorithms: [.rsaOAEP], content: [.a128CBCHS256], compression: compression)
    }

    func encryption() throws -> EncryptionRule {
        guard attack.kind == "nested" else { return .notEncrypted }
        let keys = try JWKSet(keys: [JWK(json: need(attack.key()).json)])
        return .required(keys: keys, algorithms: [.rsaOAEP], content: [.a128CBCHS256])
    }

    /// The signer's keys: a set, or a single key if the case is about a key.
    private func signature() throws -> SignatureRule {
        if let jwk = attack.input["jwk"] {
            return .rs256(try JWK(json: jwk.json).publicKey)
        }
        return .rs256(keys: try signerKeys())
    }

    func signerKeys() throws -> PublicJWKSet {
        if attack.kind == "jwks" {
            return try PublicJWKSet(json: attack["jwks_text"] ?? need(attack.input["jwks"]).json)
        }
        let member = attack.kind == "nested" ? "inner_key" : "key"
        return try PublicJWKSet(keys: [JWK(json: need(attack.key(member)).json)])
    }
}

/// The `profile` member of attacks.json with the rules that the catalogue adds to it.
struct TestProfile {
    let policy: ClaimsPolicy
    let expectation: ClaimsExpectation
    let now: NumericDate

    init(_ attack: VectorCase) throws {
        let profile = try need(VectorFile.named("attacks.json").profile)
        let audience = try need(profile["audience"]?.string)
        var policy = ClaimsPolicy.openID(
            issuer: try need(profile["issuer"]?.string), clientID: audience)
        policy.leewaySeconds = try need(profile["leeway"]?.int)
        policy.requiredClaims += ["nonce"]
        // The control with a second audience: the client trusts it (OpenID Connect Core 3.1.3.7).
        if attack.id == "s105-azp" { policy.trustedAudiences = ["https://other.example"] }
        var expectation = ClaimsExpectation(
            nonce: profile["nonce"]?.string, accessToken: attack["access_token"])
        expectation.requiresAccessTokenHash = attack.input["at_hash_required"]?.isTrue ?? false
        if let subject = attack["expected_sub"] {
            // A UserInfo response: another kind of token, without nonce and times.
            policy = ClaimsPolicy(issuer: policy.issuer, audience: policy.audience)
            policy.requiredClaims = []
            expectation = ClaimsExpectation(subject: subject)
        }
        // Replay protection needs a jti (RFC 7523 section 3).
        if attack.catalogue == 107 { policy.requiredClaims += ["jti"] }
        self.policy = policy
        self.expectation = expectation
        now = try need(NumericDate(exactly: need(profile["clock"]?.int.map(Int64.init))))
    }
}
