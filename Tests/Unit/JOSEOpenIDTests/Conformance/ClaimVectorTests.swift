// The claims part of attacks.json and the OpenID vectors, verified by the relying party.

import Foundation
import JOSE
import JOSEOpenID
import Testing

struct Case: Sendable, CustomTestStringConvertible {
    let id: String
    let kind: String
    let catalogue: Int
    let input: [String: String]
    let output: [String: String]
    let isHashRequired: Bool
    let hasRepeat: Bool

    var testDescription: String { id }

    init(_ value: [String: Any]) {
        let input = value["input"] as? [String: Any] ?? [:]
        id = value["id"] as? String ?? ""
        kind = value["kind"] as? String ?? ""
        catalogue = value["catalogue"] as? Int ?? 0
        self.input = input.compactMapValues { $0 as? String }
        output = (value["output"] as? [String: Any] ?? [:]).compactMapValues { $0 as? String }
        isHashRequired = input["at_hash_required"] as? Bool ?? false
        hasRepeat = input["repeat"] != nil
    }

    static func read(_ file: String, _ list: String) -> [Case] {
        (document(file)[list] as? [[String: Any]] ?? []).map(Case.init)
    }

    static func document(_ file: String) -> [String: Any] {
        let data = try? Data(contentsOf: TestKeys.vectors.appending(path: file))
        let value = data.flatMap { try? JSONSerialization.jsonObject(with: $0) }
        return value as? [String: Any] ?? [:]
    }

    static let verdicts = document("verdicts.json")["verdicts"] as? [String: String] ?? [:]
}

/// Our relying party in place of the vectors' verifier.
struct VectorParty {
    static let now = NumericDate(exactly: 1_760_000_000) ?? .earliest
    static let nonce = "n-0S6_WzA2Mj"
    let party: RelyingParty
    let session: AuthorizationSession

    init(
        issuer: String = "https://issuer.example", client: String = "https://rp.example",
        layers: TokenLayers = .signed, nonce: String = VectorParty.nonce,
        requiresHash: Bool = false, trusting audiences: [String] = [],
        keys: PublicJWKSet? = nil
    ) throws {
        var profile = OpenIDProfile.openID
        profile.algorithms.keyManagement = [.rsaOAEP]
        profile.idToken.layers = layers
        profile.userInfo.layers = layers
        profile.idToken.requiresAccessTokenHash = requiresHash
        profile.idToken.trustedAudiences = audiences
        let metadata = try ProviderMetadata(
            issuer: issuer, authorizationEndpoint: "https://issuer.example/a",
            tokenEndpoint: "https://issuer.example/t",
            userInfoEndpoint: "https://issuer.example/u",
            jwksURI: "https://issuer.example/k", profile: profile)
        let decrypting = TestKeys.vectorDecrypting
        let signing = TestKeys.vectorSigning
        party = try RelyingParty(
            profile: profile, metadata: metadata, clientID: client,
            redirectURI: "https://rp.example/callback", keys: JWKSet(keys: [decrypting]),
            secret: ClientSecret("s"), providerKeys: keys ?? PublicJWKSet(keys: [signing.publicKey])
        )
        let text = """
            {"clientID":"\(client)","issuer":"\(issuer)",\
            "redirectURI":"https://rp.example/callback",\
            "state":"s","nonce":"\(nonce)","acrValues":[],"requiredClaims":[],"subjects":[],\
            "responseMode":"query"}
            """
        session = try JSONDecoder().decode(AuthorizationSession.self, from: Data(text.utf8))
    }

    func idToken(_ token: String, accessToken: String? = nil) async throws -> VerifiedIDToken {
        try await party.verifyIDToken(
            token, for: session, accessToken: accessToken, at: VectorParty.now)
    }

    /// An accepted ID Token of this subject, for UserInfo requests.
    func idToken(of subject: String) async throws -> VerifiedIDToken {
        let claims: [String: JSONValue] = [
            "iss": "https://issuer.example", "aud": "https://rp.example", "sub": .string(subject),
            "iat": 1_760_000_000, "exp": 1_760_000_300, "nonce": .string(VectorParty.nonce),
        ]
        let signing = TestKeys.vectorSigning
        return try await idToken(
            JWTIssuer(key: signing, algorithm: .rs256).issue(JSONValue.object(claims)))
    }
}

@Suite("Claim vectors")
struct ClaimVectorTests {
    static let claims = Case.read("attacks.json", "negative").filter {
        (99...108).contains($0.catalogue) && $0.catalogue != 107 && $0.input["compact"] != nil
    }
    static let nested = Case.read("attacks.json", "negative").filter {
        (92...98).contains($0.catalogue) && $0.input["compact"] != nil
    }

    @Test("the number of vectors matches the file") func counts() {
        #expect(Self.claims.count == 79)
        #expect(Self.nested.count == 32)
    }

    @Test(
        "catalogue 99 to 108: hostile claims are rejected with their expected code",
        arguments: ClaimVectorTests.claims)
    func hostileClaims(_ attack: Case) async throws {
        let party = try VectorParty(requiresHash: attack.isHashRequired)
        let token = try need(attack.input["compact"])
        await expectRejection(try need(Case.verdicts[attack.id]), attack.id) {
            if let subject = attack.input["expected_sub"] {
                let idToken = try await party.idToken(of: subject)
                _ = try await party.party.verifyUserInfo(token, for: idToken, at: VectorParty.now)
            } else {
                _ = try await party.idToken(token, accessToken: attack.input["access_token"])
            }
        }
    }

    @Test(
        "catalogue 92 to 98: hostile nesting is rejected with its expected code",
        arguments: ClaimVectorTests.nested)
    func hostileNesting(_ attack: Case) async throws {
        let party = try VectorParty(
            layers: attack.kind == "nested" ? .signedThenEncrypted : .signed)
        await expectRejection(try need(Case.verdicts[attack.id]), attack.id) {
            _ = try await party.idToken(try need(attack.input["compact"]))
        }
    }

    @Test("the valid control vectors are accepted") func controls() async throws {
        var ran = 0
        for control in Case.read("attacks.json", "vectors") where control.kind == "jwt" {
            guard control.input["key"] == "sig",
                let token = control.input["compact"] ?? control.output["compact"]
            else { continue }
            // The vector with a second audience: the client trusts it (OpenID Connect Core
            // 3.1.3.7).
            let isShared = control.id == "s105-azp"
            let party = try VectorParty(trusting: isShared ? ["https://other.example"] : [])
            _ = try await party.idToken(token, accessToken: control.input["access_token"])
            if isShared {
                await expectRejection("claim-rejected aud") {
                    _ = try await VectorParty().idToken(token)
                }
            }
            ran += 1
        }
        #expect(ran > 0)
    }

    @Test("catalogue 107: a jti is required and accepted once, whatever the number of callers")
    func replay() async throws {
        let attacks = Case.read("attacks.json", "negative").filter { $0.catalogue == 107 }
        #expect(attacks.count == 4)
        let signing = TestKeys.vectorSigning
        var policy = ClaimsPolicy.openID(
            issuer: "https://issuer.example", clientID: "https://rp.example")
        policy.requiredClaims += ["jti"]
        let verifier = try JWTVerifier(
            policy: policy, signature: .required(key: signing.publicKey, algorithms: [.rs256]))
        for attack in attacks {
            let store = MemoryReplayStore()
            let token = try need(attack.input["compact"])
            let expected = try need(Case.verdicts[attack.id])
            func use() async throws {
                let verified = try verifier.verify(token, at: VectorParty.now)
                try await store.markUsed(
                    verified, purpose: "test", audience: "https://rp.example",
                    at: VectorParty.now)
            }
            if attack.hasRepeat { try await use() }
            for _ in 0..<64 { await expectRejection(expected, attack.id) { try await use() } }
        }
    }

    @Test("the printed ID Tokens of OpenID Connect Core verify, but their http issuer is rejected")
    func published() async throws {
        let key = TestKeys.key("oauth-oidc.json", "oidc-1e9gdk7", "1e9gdk7", nil)
        var ran = 0
        for vector in Case.read("oauth-oidc.json", "vectors") where vector.kind == "jwt" {
            let token = try need(vector.output["compact"])
            let payload = try need(Base64URLText.decode(token.split(separator: ".")[1]))
            let claims = try need(
                JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
            let issuer = try need(claims["iss"] as? String)
            guard issuer.hasPrefix("https:") else {
                await expectRejection("claim-rejected issuer") {
                    _ = try VectorParty(issuer: issuer)
                }
                continue
            }
            let party = try VectorParty(
                issuer: issuer, client: "s6BhdRkqt3", keys: PublicJWKSet(keys: [key]))
            let now = try need(NumericDate(exactly: 1_311_281_000))
            let idToken = try await party.party.verifyIDToken(
                token, for: party.session, accessToken: vector.input["access_token"],
                code: vector.input["code"], at: now)
            #expect(idToken.subject == "248289761001")
            ran += 1
        }
        #expect(ran >= 3)
    }

    @Test("RFC 7636 appendix B and its hostile variants") func proofKeys() async throws {
        let vector = try need(
            Case.read("oauth-oidc.json", "vectors").first { $0.kind == "pkce" })
        let verifier = try need(vector.output["code_verifier"])
        let challenge = try need(vector.output["code_challenge"])
        #expect(try PKCE(verifier: verifier).challenge == challenge)
        try PKCE(verifier: verifier).verify(challenge)
        let hostile = Case.read("oauth-oidc.json", "negative").filter { $0.kind == "pkce" }
        #expect(hostile.count == 7)
        for attack in hostile {
            await expectRejection(try need(Case.verdicts[attack.id]), attack.id) {
                let key = try PKCE(verifier: need(attack.input["code_verifier"]))
                try key.verify(need(attack.input["code_challenge"]))
            }
        }
        #expect(try PKCE().verifier.utf8.count == 43)
        #expect(try PKCE().verifier != PKCE().verifier)
    }

    @Test("at_hash and c_hash match the values printed in OpenID Connect Core")
    func hashes() throws {
        var ran = 0
        for vector in Case.read("oauth-oidc.json", "vectors") where vector.kind == "half-hash" {
            guard let algorithm = SignatureAlgorithm(name: try need(vector.input["alg"])) else {
                continue
            }
            let value = try need(vector.input["value"])
            #expect(try algorithm.tokenHash(of: value) == vector.output["hash"])
            ran += 1
        }
        #expect(ran >= 2)
    }
}
