// Prints the messages of a login and the errors of the attacks.

import JOSE
import JOSEBytes
import JOSEOpenID
import JOSEPKCS11

/// One run of the demo.
struct DemoScript {
    let profile: Profile
    private var titleCount = 0
    private var rules: OpenIDProfile { profile.rules }

    init(_ profile: Profile) { self.profile = profile }

    /// Runs the login and the attacks.
    ///
    /// - Parameter token: The PKCS#11 token with the client's private keys; nil for keys in memory.
    /// - Throws: The error that rejects a message of the login. `DemoFailure` if an attack is
    ///   accepted.
    mutating func run(_ attacks: [Attack], token: PKCS11Token? = nil) async throws {
        let env = try await DemoEnvironment(profile, token: token)
        print("\(profile.name): a login at an OpenID provider, with both sides in memory")
        title("Keys: each side publishes its public keys with certificates")
        show(env.providerKeys, "provider")
        show(env.clientKeys, "client")
        if token != nil { line("the client's private keys are in a PKCS#11 token") }
        if !rules.encrypts { line("this profile does not encrypt: it relies on TLS") }

        let login = try await Login(env)
        if let push = login.request.push {
            show(push, login)
        } else {
            title("Authorization request: the browser carries it to the provider")
            if let object = try OpenIDParameters(
                decoding: login.request.started.url.query)["request"]
            {
                show("request object", object, rules.requestObject.layers)
            } else {
                line("parameters in the URL")
            }
            showParameters(login.received)
        }
        showTokenRequest(login)
        if let use = login.use { show(use, login.accessToken) }
        showUser(login)
        title("Attacks: \(attacks.count) messages that must be rejected, and their errors")
        for attack in attacks {
            let error = try await attack.error(env, login)
            line("rejected  \(attack.title)")
            more("\(error.code.name): \(error.message)")
        }
    }

    // MARK: Messages

    private func show(_ keys: Keys, _ name: String) {
        let own = keys.own.keys.map { "\($0.algorithm ?? "") key \(short($0.keyID ?? "", 8))" }
        line("\(name): \(own.joined(separator: ", "))")
        accepted("\(keys.published.count) of \(keys.own.keys.count) certificate chains are valid")
    }

    private func showParameters(_ request: ReceivedAuthorization) {
        accepted("scope \(request.scopes.joined(separator: " "))")
        if let acr = request.acrValues.last { more("acr_values \(acr)") }
        if let hint = request.loginHints.first {
            more("login_hint \(hint) (\(request.loginHints.count) in all)")
        }
        if request.identityProviderParameters != nil { more("idp_params with an app switch") }
        if request.responseMode == .formPost { more("response_mode form_post") }
        let pkce = request.parameters["code_challenge"] == nil ? "" : ", code_challenge (PKCE)"
        more("state and nonce, 256 random bits each" + pkce)
    }

    /// Shows the pushed request between servers, and the browser's part.
    private mutating func show(_ push: Push, _ login: Login) {
        title("Pushed authorization request: from the client's server to the provider")
        let error = (try? TokenError(json: push.challenge.body).code.name) ?? ""
        line("first attempt: \(push.challenge.status) \(error), the provider requires a nonce")
        line("DPoP-Nonce: \(short(push.challenge.header("DPoP-Nonce") ?? "", 40))")
        line("second attempt: POST \(push.request.url), \(push.request.body.utf8.count) bytes")
        for (name, label) in [
            ("request", "request object"), ("client_assertion", "client assertion"),
        ] {
            guard let token = push.request.parameters[name] else { continue }
            show(label, token, .signed)
        }
        showProof(push.request)
        showParameters(login.received)
        line("response: \(push.response.status) \(short(push.response.body, 60))")
        title("Authorization request: the browser carries only the request_uri")
        line(short(login.request.started.url, 84))
        accepted("the request_uri is this client's; the user's consent uses it up")
        title("Authorization response: the browser carries a code back")
        if rules.signsResponses {
            show(
                "JWT (JARM)", String(login.callback.drop { $0 != "=" }.dropFirst()), .signed)
            accepted("iss, aud, exp and state; the code is valid once, for 60 s")
        } else {
            line(short(login.callback, 84))
            accepted("state and iss; the code is valid once, for 60 s")
        }
    }

    private mutating func showTokenRequest(_ login: Login) {
        title("Token request: the client exchanges the code for tokens")
        guard let assertion = login.tokenRequest.parameters["client_assertion"],
            case .assertion(let layers) = rules.client.authentication
        else {
            line("HTTP Basic with the client secret")
            return accepted("the client and its code_verifier; the code is used up")
        }
        show("client assertion", assertion, layers)
        showProof(login.tokenRequest)
        accepted("the client (private_key_jwt); the assertion and the code are used up")
    }

    /// Shows a bound access token and its use.
    private mutating func show(_ use: AccessTokenUse, _ token: String) {
        title("Access token: a JWT that is bound to the client's key (DPoP)")
        show("access token", token, .signed)
        accepted("typ at+jwt, aud \(DemoEnvironment.resource)")
        more("scope \(use.access.scopes.joined(separator: " "))")
        more("cnf jkt \(use.access.binding.keyThumbprint ?? "")")
        title("Resource request: GET \(Binding.url)")
        for header in use.headers {
            line("\(header.name): \(short(header.value, 60))  \(header.value.utf8.count) bytes")
        }
        accepted("client \(use.access.clientID) for user \(use.access.subject)")
        more("the token, its binding, the proof and the scope; the proof is used up")
        guard let introspection = use.introspection else { return }
        title("Introspection: the resource server asks the provider about the token")
        show("response", introspection.token, rules.introspection.layers)
        accepted("active, scope \(introspection.response.scopes.joined(separator: " "))")
    }

    private mutating func showUser(_ login: Login) {
        title("ID Token: the user and the authentication")
        show("ID Token", login.idToken, rules.idToken.layers)
        let token = login.accepted
        accepted("sub \(token.subject)")
        more(
            "aud \(DemoEnvironment.clientID), nonce of the request, "
                + "expires \(token.expires?.utc ?? "")")
        if let acr = token.acr { more("acr \(acr)") }
        more(token["at_hash"] == nil ? "no at_hash in this profile" : "at_hash of the access token")
        title("UserInfo: more claims about the user")
        if let layers = rules.userInfo.layers {
            show("UserInfo", login.userInfo, layers)
        } else {
            line("plain JSON: \(login.userInfo)")
        }
        accepted("sub of the ID Token")
        for (name, value) in profile.claims { more("\(name) \(value.string ?? "")") }
    }

    // MARK: Lines

    private mutating func title(_ text: String) {
        titleCount += 1
        print("\n\(titleCount)  \(text)")
    }

    private func line(_ text: String) { print("   " + text) }

    private func accepted(_ text: String) { line("accepted  " + text) }

    /// Prints a line below `accepted` or `rejected`.
    private func more(_ text: String) { line("          " + text) }

    /// Prints the start of a token, its size and its algorithms.
    private func show(_ name: String, _ token: String, _ layers: TokenLayers) {
        let isSigned = layers == .signed
        line("\(name), \(isSigned ? "signed" : "signed and encrypted")")
        line("\(short(token, 48))  \(token.utf8.count) bytes")
        let algorithms = rules.algorithms
        let names =
            [algorithms.signature.first?.name]
            + (isSigned
                ? [] : [algorithms.keyManagement.first?.name, algorithms.content.first?.name])
        line("algorithms: \(names.compactMap(\.self).joined(separator: ", "))")
    }

    private func showProof(_ request: TokenRequest) {
        guard let proof = request.proofs.first else { return }
        line("DPoP proof: \(short(proof, 48))  \(proof.utf8.count) bytes")
    }

    private func short(_ text: String, _ count: Int) -> String { text.prefix(count) + "…" }
}
