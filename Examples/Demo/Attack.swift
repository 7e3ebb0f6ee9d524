// The attacks of the demo.

import JOSE
import JOSEBytes
import JOSEOpenID

/// An attack. `attempt` throws the error that rejects it, and returns if it is accepted.
struct Attack: Sendable {
    let title: String
    let attempt: @Sendable (DemoEnvironment, Login) async throws -> Void

    init(
        _ title: String,
        attempt: @escaping @Sendable (DemoEnvironment, Login) async throws -> Void
    ) {
        (self.title, self.attempt) = (title, attempt)
    }

    /// Returns the ten attacks on a profile.
    static func all(_ profile: OpenIDProfile) -> [Attack] {
        if profile.accessToken.requiresBinding {
            return [
                changedBit, otherSigner, notSigned, otherLogin, otherIssuer, notPushed,
                otherAudience, repeatedAssertion, otherKey, asBearer,
            ]
        }
        let reduced = profile.idToken.layers == .signedThenEncrypted ? notEncrypted : notSigned
        let client = profile.client.authentication == .basic ? stolenCode : repeatedAssertion
        let request = profile.client.authentication == .basic ? repeatedCode : changedRequest
        return [
            changedBit, otherSigner, reduced, otherLogin, otherClient, late, otherState, otherUser,
            client, request,
        ]
    }

    /// Returns the error that rejects the attack.
    ///
    /// - Throws: `DemoFailure` if it is accepted.
    func error(_ env: DemoEnvironment, _ login: Login) async throws -> JOSEError {
        do {
            try await attempt(env, login)
        } catch let error as JOSEError {
            return error
        }
        throw DemoFailure("an attack was accepted: \(title)")
    }

    // MARK: Attacks on the relying party

    static let changedBit = Attack("an ID Token with one bit changed") { env, login in
        var parts = login.idToken.split(separator: ".").map(String.init)
        // The ciphertext of an encrypted token, or the claims of a signed one.
        let index = parts.count == 5 ? 3 : 1
        guard var bytes = Base64URL.decode(parts[index].utf8.span), !bytes.isEmpty else { return }
        bytes[bytes.count / 2] ^= 1
        parts[index] = Base64URL.encodeToString(bytes.span)
        try await present(parts.joined(separator: "."), env, login)
    }

    static let otherSigner = Attack(
        "an ID Token signed by an attacker's key with the provider's kid"
    ) { env, login in
        let keyIDs = env.providerKeys.own.keys.map(\.keyID)
        let keys = try await Keys.make(env.rules, keyIDs: keyIDs + [nil])
        let tokenIssuer = try env.tokenIssuer(keys: JWKSet(keys: keys))
        try await present(try idToken(tokenIssuer, env, login), env, login)
    }

    private static let notEncrypted = Attack("an ID Token that is signed but not encrypted") {
        env, login in
        let tokenIssuer = try env.tokenIssuer { $0.idToken.layers = .signed }
        try await present(try idToken(tokenIssuer, env, login), env, login)
    }

    static let notSigned = Attack("an ID Token without signature (alg none)") { env, login in
        let claims = login.idToken.split(separator: ".")[1]
        let header = Base64URL.encodeToString(#"{"alg":"none"}"#.utf8.span)
        try await present(header + "." + claims + ".", env, login)
    }

    static let otherLogin = Attack("an ID Token of another login") { env, login in
        let other = try await Login(env)
        try await present(other.idToken, env, login, accessToken: other.accessToken)
    }

    private static let otherClient = Attack("an ID Token for another client") { env, login in
        let (party, client) = try env.other(clientID: "client-2")
        let request = try await env.begin(party, client).received
        let token = try await client.tokenIssuer().idToken(
            for: request, Login.user(request, login.accessToken, env.now), at: env.now)
        try await present(token, env, login)
    }

    private static let late = Attack("the ID Token, presented an hour later") { env, login in
        try await present(
            login.idToken, env, login, at: env.now.advanced(by: .seconds(3_600)))
    }

    private static let otherState = Attack("the authorization response of another browser") {
        env, login in
        let other = try await env.begin(env.party, env.client)
        _ = try await env.response(login.callback, to: other.started.session)
    }

    private static let otherUser = Attack("UserInfo of another user") { env, login in
        let other = try await env.client.tokenIssuer().userInfo(
            subject: String(Login.subject.reversed()), claims: env.profile.claims, at: env.now)
        _ = try await env.party.verifyUserInfo(
            other, for: login.accepted, at: env.now, timeout: keyTimeout)
    }

    // MARK: Attacks on the provider

    static let repeatedAssertion = Attack("the client assertion, sent again") { env, login in
        _ = try await env.client.receiveTokenRequest(login.tokenRequest.body, at: env.now)
    }

    private static let changedRequest = Attack("another redirect_uri next to the request object") {
        env, login in
        var parameters = try OpenIDParameters(decoding: login.request.started.url.query).all
        parameters.removeAll { $0.name == "redirect_uri" }
        parameters.append(OpenIDParameter("redirect_uri", "https://attacker.example/callback"))
        let query = OpenIDParameters(parameters).encoded
        try await env.client.accepted(query, at: env.now)
    }

    private static let stolenCode = Attack("a stolen code without its code_verifier") {
        env, login in
        let grant = try await env.client.grant(login.received, at: env.now)
        let request = try await env.party.tokenRequest(
            code: grant.code, for: login.session, at: env.now,
            timeout: keyTimeout)
        let form = request.parameters.all.filter { $0.name != "code_verifier" }
        let proved = try await env.client.receiveTokenRequest(
            OpenIDParameters(form).encoded, authorization: request.authorization,
            at: env.now)
        try await env.client.redeem(proved, grant, at: env.now)
    }

    private static let repeatedCode = Attack("the code, redeemed again") { env, login in
        let request = login.tokenRequest
        let proved = try await env.client.receiveTokenRequest(
            request.body, authorization: request.authorization, at: env.now)
        try await env.client.redeem(proved, login.grant, at: env.now)
    }

    // MARK: Attacks on pushed requests and bound tokens

    private static let otherIssuer = Attack("an authorization response of another provider") {
        env, login in
        let plain = OpenIDParameters([
            OpenIDParameter("code", login.grant.code),
            OpenIDParameter("state", login.session.state),
            OpenIDParameter("iss", "https://attacker.example"),
        ])
        _ = try await env.response(plain.encoded, to: login.session)
    }

    private static let notPushed = Attack("an authorization request that was not pushed") {
        env, login in
        var parameters = login.received.parameters.all
        parameters.removeAll { $0.name == "request_uri" }
        let query = OpenIDParameters(parameters).encoded
        try await env.client.accepted(query, at: env.now)
    }

    private static let otherAudience = Attack(
        "a client assertion whose audience is the endpoint, not the issuer"
    ) { env, login in
        let party = try env.party { $0.client.audience = .pushedRequestEndpoint }
        let pushed = try await party.push(
            env.profile.request, prover: env.bound?.prover, nonce: login.nonce,
            at: env.now, timeout: keyTimeout
        ).request
        if case .rejected(let rejected) = await env.client.receivePushedRequest(
            pushed.body, proofs: pushed.proofs, at: env.now)
        {
            throw rejected.cause
        }
    }

    private static let otherKey = Attack("a stolen code with a proof by the attacker's key") {
        env, login in
        let other = try await env.begin(env.party, env.client)
        let grant = try await env.client.grant(other.received, at: env.now)
        let request = try await env.party.tokenRequest(
            code: grant.code, for: other.started.session, prover: env.bound?.prover,
            at: env.now, timeout: keyTimeout)
        let proof = try DPoPProver.fresh().proof(
            method: "POST", url: request.url, nonce: login.nonce, at: env.now)
        let proved = try await env.client.receiveTokenRequest(
            request.body, proofs: [proof], at: env.now)
        try await env.client.redeem(proved, grant, at: env.now)
    }

    private static let asBearer = Attack("a stolen access token, used as a bearer token") {
        env, login in
        _ = try await env.bound?.server.verify(
            ResourceRequest(
                method: "GET", url: Binding.url,
                authorization: "Bearer " + login.accessToken), at: env.now)
    }

    // MARK: Helpers

    /// Makes an ID Token for this login with other keys or rules.
    private static func idToken(
        _ tokenIssuer: ClientTokenIssuer, _ env: DemoEnvironment, _ login: Login
    ) throws -> String {
        try tokenIssuer.idToken(
            for: login.received, Login.user(login.received, login.accessToken, env.now),
            at: env.now)
    }

    private static func present(
        _ token: String, _ env: DemoEnvironment, _ login: Login, accessToken: String? = nil,
        at now: NumericDate? = nil
    ) async throws {
        _ = try await env.party.verifyIDToken(
            token, for: login.session, accessToken: accessToken ?? login.accessToken,
            at: now ?? env.now, timeout: keyTimeout)
    }
}
