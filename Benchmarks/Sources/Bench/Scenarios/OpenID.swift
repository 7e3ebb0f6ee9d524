// ID Tokens under a profile beside the engine's nested make and open of the same claims: what the
// protocol's own checks cost.

@_spi(Bench) import JOSEBenchmark
import Foundation
import JOSE
import JOSEOpenID

func openIDScenarios(_ env: TestEnvironment) -> [Scenario] {
    openID(env, "600B", "iVBORw0KGgo")
        + openID(env, "64KB", String(repeating: "iVBORw0KGgoAAAAN", count: 4_096))
}

/// What a provider adds to the claims of every ID Token.
private struct PersonClaims: Codable {
    var name = "Zoë van den Berg"
    var given_name = "Zoë"
    var family_name = "van den Berg"
    var email = "zoe.vandenberg@example.com"
    var email_verified = true
    var locale = "nl-BE"
    var updated_at = 1_699_000_000
    var picture: String
}

/// The same token's claims as one type, for the engine alone.
private struct WholeClaims: Codable {
    var name: String
    var given_name: String
    var family_name: String
    var email: String
    var email_verified: Bool
    var locale: String
    var updated_at: Int
    var picture: String
    var iss: String
    var sub: String
    var aud: String
    var iat: Int
    var exp: Int
    var nonce: String
    var auth_time: Int
    var acr: String
}

/// Both sides of itsme's second generation, with the benchmark's keys.
private struct Peers {
    static let issuer = "https://idp.example.com"
    static let client = "s6BhdRkqt3"
    static let acr = "http://itsme.services/v2/claim/acr_advanced"
    static let nonce = "cQWwnrhKPyyNyPpVKxPwPF6dVJEBUB5ZzXkTRFkUFx0"
    static let redirect = "https://rp.example.com/callback"

    let party: RelyingParty
    let tokenIssuer: ClientTokenIssuer
    let request: ReceivedAuthorization
    let session: AuthorizationSession

    init(_ env: TestEnvironment) throws {
        let profile = OpenIDProfile.itsme2
        let metadata = try ProviderMetadata(
            issuer: Peers.issuer, authorizationEndpoint: Peers.issuer + "/authorization",
            tokenEndpoint: Peers.issuer + "/token", userInfoEndpoint: Peers.issuer + "/userinfo",
            jwksURI: Peers.issuer + "/jwkSet", profile: profile)
        let provider = try OpenIDProvider(
            profile: profile, metadata: metadata, keys: JWKSet(keys: [env.signingKey]),
            replays: MemoryReplayStore())
        // A relying party signs with a key of its own; here any will do.
        party = try RelyingParty(
            profile: profile, metadata: metadata, clientID: Peers.client,
            redirectURI: Peers.redirect,
            keys: JWKSet(keys: [env.signingKey, env.decryptionKey]),
            providerKeys: env.verificationSet)
        tokenIssuer = try provider.tokenIssuer(
            for: ClientRegistration(clientID: Peers.client, redirectURIs: [Peers.redirect]),
            keys: PublicJWKSet(keys: [env.encryptionKey]))
        request = try JSONDecoder().decode(
            ReceivedAuthorization.self,
            from: Data(
                (#"{"issuer":"\#(Peers.issuer)","signedCount":3,"parameters":{"all":["#
                    + #"{"name":"client_id","value":"\#(Peers.client)"},"#
                    + #"{"name":"nonce","value":"\#(Peers.nonce)"},"#
                    + #"{"name":"acr_values","value":"\#(Peers.acr)"}]}}"#).utf8))
        session = try JSONDecoder().decode(
            AuthorizationSession.self,
            from: Data(
                (#"{"clientID":"\#(Peers.client)","issuer":"\#(Peers.issuer)","redirectURI":"#
                    + #""\#(Peers.redirect)","state":"s","nonce":"\#(Peers.nonce)","#
                    + #""acrValues":["\#(Peers.acr)"],"requiredClaims":[],"subjects":[],"responseMode":"query"}"#)
                    .utf8))
    }

    var user: UserAuthentication {
        UserAuthentication(
            subject: "8f14e45fceea467a9af0c8f3d7d1b2a6", time: .now, acr: Peers.acr)
    }
}

private func openID(_ env: TestEnvironment, _ label: String, _ picture: String) -> [Scenario] {
    let person = PersonClaims(picture: picture)
    func recipient() throws -> JWTRecipient {
        try JWTRecipient(key: env.encryptionKey, algorithm: .rsaOAEP256, content: .a128CBCHS256)
    }
    func whole() throws -> WholeClaims {
        let sides = try Peers(env)
        let token = try sides.tokenIssuer.idToken(for: sides.request, sides.user, claims: person)
        return try CallingThread().run {
            try await sides.party.verifyIDToken(token, for: sides.session)
        }.decode(WholeClaims.self)
    }
    return [
        Scenario("openid/make-\(label)-engine") {
            let claims = try whole()
            let issuer = try JWTIssuer(key: env.signingKey, algorithm: .rs256)
            let recipient = try recipient()
            return { iterations, _ in
                for _ in 0..<iterations { _ = try issuer.issue(claims, encryptedFor: recipient) }
            }
        },
        Scenario(
            "openid/make-\(label)", baseline: "openid/make-\(label)-engine", bound: .ratio(1.03)
        ) {
            let sides = try Peers(env)
            let user = sides.user
            return { iterations, _ in
                for _ in 0..<iterations {
                    _ = try sides.tokenIssuer.idToken(for: sides.request, user, claims: person)
                }
            }
        },
        Scenario("openid/check-\(label)-engine") {
            let sides = try Peers(env)
            let token = try sides.tokenIssuer.idToken(
                for: sides.request, sides.user, claims: person)
            let verifier = try JWTVerifier(
                policy: .openID(issuer: Peers.issuer, clientID: Peers.client),
                encryption: .required(
                    keys: JWKSet(keys: [env.decryptionKey]), algorithms: [.rsaOAEP, .rsaOAEP256],
                    content: [.a128CBCHS256]),
                signature: .required(keys: env.verificationSet, algorithms: [.rs256]))
            return { iterations, _ in
                for _ in 0..<iterations {
                    _ = try verifier.verify(
                        token, as: WholeClaims.self, expecting: .init(nonce: Peers.nonce))
                }
            }
        },
        Scenario(
            "openid/check-\(label)", baseline: "openid/check-\(label)-engine", bound: .ratio(1.03)
        ) {
            let sides = try Peers(env)
            let token = try sides.tokenIssuer.idToken(
                for: sides.request, sides.user, claims: person)
            let (party, session, thread) = (sides.party, sides.session, CallingThread())
            return { iterations, _ in
                try thread.run {
                    for _ in 0..<iterations {
                        let idToken = try await party.verifyIDToken(token, for: session)
                        _ = try idToken.decode(WholeClaims.self)
                    }
                }
            }
        },
    ]
}
