// The integers of OpenID Connect messages and of a profile.

import JOSE
import JOSEBytes
import JOSEOpenID

extension NumberUse {
    static let messages = [
        NumberUse("max_age") { number, other in
            var request = AuthorizationRequest(scopes: ["openid"])
            request.maxAge = .seconds(Int64(number))
            let started = try awaiting { [request] in
                try await env.party.start(request, at: time(other))
            }
            try hold(range ~= Int64(number), "it was asked for")
            try hold(started.url.contains("max_age=\(number)"), "another was asked for")
        },
        NumberUse("remembered max_age") { number, other in
            let session = try ClaimsDecoder.decode(
                AuthorizationSession.self,
                from: Array(
                    #"""
                    {"clientID":"c","issuer":"https://idp.example",\#
                    "redirectURI":"https://rp.example/cb","state":"s","nonce":"n",\#
                    "acrValues":[],"requiredClaims":[],"subjects":[],"responseMode":"query",\#
                    "maxAgeSeconds":\#(number)}
                    """#.utf8), maxDepth: 4)
            let now = time(other)
            let token = try JWTIssuer(
                key: Known.signing, algorithm: .rs256, lifetime: .seconds(60)
            ).issue(
                JSONValue.object([
                    "iss": "https://idp.example", "sub": "u", "aud": "c", "nonce": "n",
                    "auth_time": .integer(now.seconds / 2),
                ]), at: now)
            _ = try awaiting {
                try await env.party.verifyIDToken(token, for: session, at: now)
            }
            try hold(range ~= Int64(number), "it was remembered")
            try hold(now.seconds - now.seconds / 2 - 60 <= Int64(number), "the user is too old")
        },
        NumberUse("received max_age") { number, other in
            let received = NumberEnvironment.received(maxAge: number)
            try hold(received.maxAgeSeconds == Int64(number), "another was received")
            var user = UserAuthentication(subject: "u", time: time(number))
            user.acr = "0"
            let now = time(other)
            _ = try env.tokenIssuer.idToken(for: received, user, at: now)
            try hold(
                now.seconds - time(number).seconds - 60 <= Int64(number), "the user is too old")
        },
        NumberUse("expires_in") { number, _ in
            let text = try TokenResponse(
                accessToken: "a", idToken: "b", expiresInSeconds: Int64(number)
            ).json()
            try hold(range ~= Int64(number), "it was written")
            try hold(
                TokenResponse(json: text).expiresIn == .seconds(number), "another was read")
            let read = try? TokenResponse(
                json:
                    #"{"access_token":"a","token_type":"Bearer","id_token":"b","expires_in":\#(number)}"#
            )
            try hold((read != nil) == (range ~= Int64(number)), "it was read")
        },
    ]

    static let profiles: [NumberUse] = [
        use("leeway", 0...300) { $0.leeway = .seconds($1) },
        use("validity of assertions", 0...600) { $0.client.maxAssertionValidity = .seconds($1) },
        use("life of assertions", lives) { $0.client.assertionLifetime = .seconds($1) },
        use("life of codes", lives) { $0.client.codeLifetime = .seconds($1) },
        use("life of request objects", lives) { $0.requestObject.lifetime = .seconds($1) },
        use("longest life of ID Tokens", lives) { $0.idToken.maxLifetime = .seconds($1) },
        use("life of ID Tokens", lives) { $0.idToken.lifetime = .seconds($1) },
        use("life of signed answers", 1...600) { $0.jarm.lifetime = .seconds($1) },
        use("validity of signed answers", lives) { $0.jarm.maxValidity = .seconds($1) },
        use("life of logout tokens", 1...600) { $0.logout.lifetime = .seconds($1) },
        use("validity of logout tokens", 1...86_400) { $0.logout.maxValidity = .seconds($1) },
        use("life of pushed requests", 5...600) { $0.pushedRequests.lifetime = .seconds($1) },
        use("time for a decision", 1...86_400) { $0.pushedRequests.decisionTime = .seconds($1) },
        use("life of signed backchannel requests", 1...3_600) {
            $0.backchannel.objectLifetime = .seconds($1)
        },
        use("validity of signed backchannel requests", 1...3_600) {
            $0.backchannel.maxObjectValidity = .seconds($1)
        },
        use("time of a user who is asked for", 1...86_400) {
            $0.backchannel.lifetime = .seconds($1)
        },
        use("time between two questions", 1...300) { $0.backchannel.interval = .seconds($1) },
        use("bytes of a binding_message", 1...1_024) { $0.backchannel.maxBindingMessageBytes = $1 },
        use("life of access tokens", lives) { $0.accessToken.lifetime = .seconds($1) },
        use("age of introspection answers", lives) { $0.introspection.maxAge = .seconds($1) },
        use("age of proofs", 1...300) { $0.accessToken.dpop.maxAge = .seconds($1) },
        use("leeway of proofs", 0...300) { $0.accessToken.dpop.leeway = .seconds($1) },
        use("characters of sub", 1...255) { $0.idToken.subjectCharacterCount = $1 },
        use("login_hint", 0...Int.max) { $0.authorization.loginHint.maxCount = $1 },
    ]

    private static let lives = 1...253_402_300_799

    /// A member of a profile: both sides can be created exactly if it is in range, and then create
    /// their messages.
    private static func use(
        _ name: String, _ allowed: ClosedRange<Int>,
        _ set: @escaping @Sendable (inout OpenIDProfile, Int) -> Void
    ) -> NumberUse {
        NumberUse("profile: \(name)") { number, other in
            var profile = OpenIDProfile.openID
            set(&profile, number)
            for side in ["party", "provider"] {
                do {
                    if side == "party" {
                        _ = try NumberEnvironment.party(profile)
                    } else {
                        _ = try NumberEnvironment.provider(profile)
                    }
                    try hold(allowed ~= number, "a \(side) was made")
                } catch let error as JOSEError {
                    try hold(error.code == .misuse && !(allowed ~= number), "\(side): \(error)")
                }
            }
            guard allowed ~= number else { return }
            let (party, provider) = (
                try NumberEnvironment.party(profile), try NumberEnvironment.provider(profile)
            )
            let now = time(other)
            var request = AuthorizationRequest(scopes: ["openid"])
            request.delivery = .byValue
            for attempt in [
                { [request] in _ = try awaiting { try await party.start(request, at: now) } },
                { try token(NumberEnvironment.tokenIssuer(provider), profile, now) },
                {
                    let client = try NumberEnvironment.client(provider)
                    let received = NumberEnvironment.received()
                    let grant = try awaiting { try await client.grant(received, at: now) }
                    try hold(grant.expires > now, "a code that has expired")
                },
            ] as [() throws -> Void] {
                do {
                    try attempt()
                } catch let error as JOSEError {
                    try hold(error.code != .internal, "\(error)")
                }
            }
        }
    }

    private static func token(
        _ tokenIssuer: ClientTokenIssuer, _ profile: OpenIDProfile, _ now: NumericDate
    ) throws {
        let token = try tokenIssuer.idToken(
            for: NumberEnvironment.received(), UserAuthentication(subject: "u", time: now), at: now)
        try life(of: token, now, profile.idToken.lifetime.components.seconds)
    }

    private static let env = NumberEnvironment.standard
}

/// A client and a provider that know each other.
struct NumberEnvironment: Sendable {
    let party: RelyingParty
    let tokenIssuer: ClientTokenIssuer

    /// The leak checker does not follow a pointer that an enum stores with a tag, as the verifiers
    /// store theirs to a set.
    let published: PublicJWKSet

    static let standard: NumberEnvironment = {
        do {
            let published = try JWKSet(keys: [Known.signing]).publicKeys
            return NumberEnvironment(
                party: try party(.openID, published),
                tokenIssuer: try tokenIssuer(provider(.openID)),
                published: published)
        } catch {
            preconditionFailure("no world of OpenID Connect: \(error)")
        }
    }()

    private static func metadata(_ profile: OpenIDProfile) throws -> ProviderMetadata {
        let base = "https://idp.example"
        return try ProviderMetadata(
            issuer: base, authorizationEndpoint: base, tokenEndpoint: base, userInfoEndpoint: base,
            jwksURI: base, profile: profile)
    }

    static func party(
        _ profile: OpenIDProfile, _ published: PublicJWKSet? = nil
    ) throws -> RelyingParty {
        try RelyingParty(
            profile: profile, metadata: metadata(profile), clientID: "c",
            redirectURI: "https://rp.example/cb", keys: JWKSet(keys: [Known.client]),
            secret: ClientSecret("s"),
            providerKeys: published ?? JWKSet(keys: [Known.signing]).publicKeys)
    }

    static func provider(_ profile: OpenIDProfile) throws -> OpenIDProvider {
        try OpenIDProvider(
            profile: profile, metadata: metadata(profile), keys: JWKSet(keys: [Known.signing]),
            replays: MemoryReplayStore())
    }

    static func client(_ provider: OpenIDProvider) throws -> RegisteredClient {
        try provider.client(registration, keys: JWKSet(keys: [Known.client]).publicKeys)
    }

    static func tokenIssuer(_ provider: OpenIDProvider) throws -> ClientTokenIssuer {
        try provider.tokenIssuer(for: registration, keys: JWKSet(keys: [Known.client]).publicKeys)
    }

    private static var registration: ClientRegistration {
        ClientRegistration(
            clientID: "c", redirectURIs: ["https://rp.example/cb"], secret: ClientSecret("s"))
    }

    /// A request as stored by a provider. If it could not be read, every use of it would be a
    /// rejection.
    static func received(maxAge: Int? = nil) -> ReceivedAuthorization {
        let age = maxAge.map { #",{"name":"max_age","value":"\#($0)"}"# } ?? ""
        let text = #"""
            {"issuer":"https://idp.example","signedCount":0,\#
            "parameters":{"all":[{"name":"client_id","value":"c"}\#(age)]}}
            """#
        do {
            return try ClaimsDecoder.decode(
                ReceivedAuthorization.self, from: Array(text.utf8), maxDepth: 8)
        } catch {
            preconditionFailure("a request that was received: \(error)")
        }
    }
}
