// What is pushed to a provider, and answers at the redirect address that are signed tokens.

import JOSE
import JOSEOpenID

extension Bounded {
    static func pushedFamilies() throws -> [Family] {
        let world = try PushedWorld()
        let sizes = [4_096, 16_384, 60_000]
        let forms: [(String, (Int) -> String)] = [
            ("one long state", { "state=" + String(repeating: "a", count: $0 - 20) }),
            ("many scopes", { "scope=openid" + String(repeating: "+a", count: ($0 - 20) / 2) }),
            (
                "a claims request of white space",
                { "claims=" + String(repeating: "%0A", count: ($0 - 20) / 3) + "%7B%7D" }
            ),
            (
                "what proves the client, at the end",
                { "x=" + String(repeating: "a", count: $0 - 40) + "&client_secret=a" }
            ),
            ("an object of dots", { "request=" + String(repeating: ".", count: $0 - 20) }),
            ("a reference", { "request_uri=" + String(repeating: "a", count: $0 - 20) }),
        ]
        let pushed = forms.map { name, form in
            Family(
                name: "pushed: " + name, sizes: sizes,
                hostile: { world.push(form($0 - 220)) },
                valid: { try world.accepted(String(repeating: "a", count: $0 - 220)) })
        }
        let answers = Shape.allCases.map { shape in
            Family(
                name: "signed answer: " + shape.rawValue, sizes: sizes,
                hostile: { try world.answer(shape.members($0 * 3 / 4 - 700)) },
                valid: { size in
                    try world.acceptedAnswer { bytes in
                        let value = String(repeating: "v", count: max(1, bytes / 200 - 24))
                        return (0..<200).map { #""name_\#($0)":"\#(value)""# }
                            .joined(separator: ",")
                    }(size * 3 / 4 - 700)
                })
        }
        return pushed + answers
    }
}

/// A provider that keeps nothing of what is pushed, and a party that it answers.
private final class PushedWorld {
    private let client: RegisteredClient
    private let party: RelyingParty
    private let remembered: RememberedRequest
    private let signer: JWSSigner
    private let thread = CallingThread()
    private let now = NumericDate.now

    init() throws {
        var profile = OpenIDProfile.openID
        profile.authorization.responseModes = [.query, .queryJWT]
        let issuer = "https://idp.example"
        let signing = try JWK.generate(keyID: "op", use: .signature, algorithm: "RS256")
        let metadata = try ProviderMetadata(
            issuer: issuer, authorizationEndpoint: issuer + "/a", tokenEndpoint: issuer + "/t",
            keySetAddress: issuer + "/k", pushedRequestEndpoint: issuer + "/p", profile: profile)
        let provider = try OpenIDProvider(
            profile: profile, metadata: metadata, keys: JWKSet(keys: [signing]),
            replays: MemoryReplayStore(), pushedRequests: Forgetful())
        client = try provider.client(
            ClientRegistration(
                clientID: "c", redirectURIs: ["https://rp.example/cb"], secret: ClientSecret("s")),
            keys: PublicJWKSet(keys: []))
        party = try RelyingParty(
            profile: profile, metadata: metadata, clientID: "c",
            redirectURI: "https://rp.example/cb", keys: JWKSet(keys: []),
            secret: ClientSecret("s"), providerKeys: JWKSet(keys: [signing]).publicKeys)
        var request = AuthorizationRequest()
        request.responseMode = .queryJWT
        remembered = try party.start(request).remembered
        signer = try JWSSigner(key: signing, algorithm: .rs256)
    }

    private struct Forgetful: PushedRequestStore {
        func keep(_ request: PushedRequest, at now: NumericDate) async throws(PushedRequestFault) {
        }
        func find(
            _ reference: String, at now: NumericDate
        ) async throws(PushedRequestFault) -> PushedRequest? { nil }
        func remove(_ reference: String, at now: NumericDate) async throws(PushedRequestFault) {}
    }

    private static func form(_ parameters: String) -> String {
        "client_id=c&response_type=code&redirect_uri=https://rp.example/cb&code_challenge_method=S256&"
            + "code_challenge=" + String(repeating: "A", count: 43) + "&" + parameters
    }

    /// A form of the client with its right secret.
    func push(_ parameters: String) -> Sample {
        let form = PushedWorld.form(parameters)
        return Sample(bytes: form.utf8.count) { [thread, client, now] in
            _ = try? thread.run {
                await client.receive(pushedRequest: form, authorization: "Basic Yzpz", at: now)
            }
        }
    }

    /// One that is accepted.
    func accepted(_ nonce: String) throws -> Sample {
        let parameters = "scope=openid&nonce=" + nonce
        let form = PushedWorld.form(parameters)
        let verdict = try thread.run { [client, now] in
            await client.receive(pushedRequest: form, authorization: "Basic Yzpz", at: now)
        }
        guard case .accepted = verdict else { throw Refused() }
        return push(parameters)
    }

    private func token(_ members: String) throws -> String {
        let claims =
            #"{"iss":"https://idp.example","aud":"c","exp":\#(now.seconds + 300),"code":"c","state":"#
            + "\"\(remembered.state)\",\(members)}"
        return try signer.sign(Array(claims.utf8))
    }

    func answer(_ members: String) throws -> Sample {
        let query = "response=" + (try token(members))
        return Sample(bytes: query.utf8.count) { [party, remembered, now] in
            _ = try? party.answer(query: query, for: remembered, at: now)
        }
    }

    /// One that is accepted, with members that nobody knows.
    func acceptedAnswer(_ members: @escaping (Int) -> String) -> (Int) throws -> Sample {
        { [self] bytes in
            let query = "response=" + (try token(members(bytes)))
            _ = try party.answer(query: query, for: remembered, at: now)
            return try answer(members(bytes))
        }
    }

    private struct Refused: Error {}
}
