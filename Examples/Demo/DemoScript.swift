// What the demo prints: a title for each message, what it is, and what its reader made of it.

import JOSE
import JOSEBytes
import JOSEOpenID
import JOSEPKCS11

/// One run of the demo.
struct DemoScript {
    let profile: Profile
    private var titles = 0
    private var rules: OpenIDProfile { profile.rules }

    init(_ profile: Profile) { self.profile = profile }

    /// Plays the login and the attacks.
    ///
    /// - Parameter token: Where the client's private keys are; without it in memory.
    /// - Throws: The error that rejected a message of the login; `DemoFailure` where an attack was
    ///   accepted.
    mutating func run(_ attacks: [Attack], token: PKCS11Token? = nil) async throws {
        let env = try await TestEnvironment(profile, token: token)
        print("\(profile.name): a login between a relying party and its provider")
        title("Keys, certified by a sandbox authority, published as JWK Sets with x5c")
        show(env.providerKeys, "provider")
        show(env.clientKeys, "client")
        if token != nil { say("the client's private keys are in a token") }
        if !rules.encrypts { say("no encryption: this profile signs and relies on TLS") }

        let login = try await Login(env)
        if let push = login.request.push {
            show(push, login)
        } else if let object = try OpenIDParameters(
            decoding: login.request.started.url.query)["request"]
        {
            title("Request object, \(words(rules.requestObject.layers))")
            show(object, rules.requestObject.layers)
            showParameters(login.received)
        } else {
            title("Authorization request, in plain parameters")
            showParameters(login.received)
        }
        showTokenRequest(login)
        if let use = login.use { show(use, login.accessToken) }
        showUser(login)
        try await show(attacks, env, login)
    }

    // MARK: the messages

    private func show(_ keys: Keys, _ name: String) {
        let words = keys.own.keys.map { "\($0.algorithm ?? "") \(short($0.keyID ?? "", 8))" }
        say("\(name)  \(words.joined(separator: "  "))")
        accepted(
            "\(keys.published.count) of \(keys.own.keys.count) chains lead to the authority, "
                + "\(keys.publishedBytes) bytes")
    }

    private func showParameters(_ request: ReceivedAuthorization) {
        accepted("scope \(request.scopes.joined(separator: " "))")
        if let acr = request.acrValues.last { more("acr_values \(acr)") }
        if let hint = request.loginHints.first {
            more("login_hint \(hint), \(request.loginHints.count) in all")
        }
        if request.identityProviderParameters != nil { more("idp_params with an app switch") }
        if request.responseMode == .formPost { more("response_mode form_post") }
        let proof = request.parameters["code_challenge"] == nil ? "" : ", code_challenge S256"
        more("state and nonce of 256 random bits" + proof)
    }

    /// The request as it goes from server to server, and what the browser sees of it.
    private mutating func show(_ push: Push, _ login: Login) {
        title("Pushed request, server to server, with the client's assertion and a proof")
        let error = (try? TokenError(json: push.challenge.body).code.name) ?? ""
        say("first without a nonce: \(push.challenge.status), \(error)")
        more("DPoP-Nonce \(short(push.challenge.header("DPoP-Nonce") ?? "", 40))")
        say("POST \(push.request.url), \(push.request.body.utf8.count) bytes")
        for name in ["request", "client_assertion"] {
            guard let token = push.request.parameters[name] else { continue }
            say(name)
            show(token, .signed)
        }
        showProof(push.request)
        showParameters(login.received)
        say("\(push.response.status), \(short(push.response.body, 60))")
        title("The browser brings the reference, and nothing else")
        say(short(login.request.started.url, 84))
        accepted("the reference is this client's, and used up by the user's consent")
        if rules.signsResponses {
            title("Authorization response, one signed token in the browser's URL")
            show(String(login.callback.drop { $0 != "=" }.dropFirst()), .signed)
            accepted("iss, aud, exp, then state as sent; the code lives 60 s, once")
        } else {
            title("Authorization response, in the browser's URL")
            say(short(login.callback, 84))
            accepted("state as sent, iss is the provider; the code lives 60 s, once")
        }
    }

    private mutating func showTokenRequest(_ login: Login) {
        guard let assertion = login.tokenRequest.parameters["client_assertion"],
            case .assertion(let layers) = rules.client.authentication
        else {
            title("Token request, HTTP Basic with the client's secret")
            return accepted("the code is the client's, with its code_verifier")
        }
        title("Token request, with the client's assertion, \(words(layers))")
        show(assertion, layers)
        showProof(login.tokenRequest)
        accepted("private_key_jwt; its jti is used up, and so is the code")
    }

    /// The access token, and the call that it is for.
    private mutating func show(_ use: AccessTokenUse, _ token: String) {
        title("Access token, signed, bound to the client's key")
        show(token, .signed)
        accepted("token_type DPoP; typ at+jwt, aud \(TestEnvironment.resource)")
        more("scope \(use.access.scopes.joined(separator: " "))")
        more("cnf jkt \(use.access.binding.keyThumbprint ?? "")")
        title("Resource request: GET \(Binding.url)")
        for header in use.headers {
            say("\(header.name): \(short(header.value, 60))  \(header.value.utf8.count) bytes")
        }
        accepted("\(use.access.clientID) for \(use.access.subject)")
        more("token, its key, the proof of this request, the scope; the proof is used up")
        guard let introspection = use.introspection else { return }
        title("Introspection response, signed, for the resource server")
        show(introspection.token, rules.introspection.layers)
        accepted("active, scope \(introspection.response.scopes.joined(separator: " "))")
    }

    private mutating func showUser(_ login: Login) {
        title("ID Token, \(words(rules.idToken.layers))")
        show(login.idToken, rules.idToken.layers)
        let token = login.accepted
        accepted("sub \(token.subject)")
        more("aud \(TestEnvironment.clientID), nonce as sent, until \(token.expires?.utc ?? "")")
        if let acr = token.acr { more("acr \(acr)") }
        more(token["at_hash"] == nil ? "no at_hash: this profile has none" : "at_hash matches")
        if let layers = rules.userInfo.layers {
            title("UserInfo, \(words(layers))")
            show(login.userInfo, layers)
        } else {
            title("UserInfo, plain JSON: this profile neither signs nor encrypts it")
            say(login.userInfo)
        }
        accepted("sub is the ID Token's")
        for (name, value) in profile.facts { more("\(name) \(value.string ?? "")") }
    }

    private mutating func show(_ attacks: [Attack], _ env: TestEnvironment, _ login: Login) async throws {
        title("\(attacks.count) attacks")
        for attack in attacks {
            let error = try await attack.error(env, login)
            say("rejected  \(attack.what)")
            more("\(error.code.name): \(error.message)")
        }
    }

    // MARK: words

    private mutating func title(_ text: String) {
        titles += 1
        print("\n\(titles)  \(text)")
    }

    private func say(_ text: String) { print("   " + text) }

    private func accepted(_ text: String) { say("accepted  " + text) }

    /// A line below `accepted` or `rejected`.
    private func more(_ text: String) { say("          " + text) }

    /// A token by its beginning and its size, with its algorithms.
    private func show(_ token: String, _ layers: TokenLayers) {
        say("\(short(token, 48))  \(token.utf8.count) bytes")
        let algorithms = rules.algorithms
        let signature = algorithms.signature.first?.name ?? ""
        guard layers == .signedThenEncrypted else { return say(signature) }
        let (key, content) = (algorithms.keyManagement.first, algorithms.content.first)
        say("\(signature) inside \(key?.name ?? "") with \(content?.name ?? "")")
    }

    private func showProof(_ request: TokenRequest) {
        guard let proof = request.proofs.first else { return }
        say("DPoP: \(short(proof, 48))  \(proof.utf8.count) bytes")
    }

    private func words(_ layers: TokenLayers) -> String {
        layers == .signed ? "signed" : "signed, then encrypted"
    }

    private func short(_ text: String, _ count: Int) -> String { text.prefix(count) + "…" }
}
