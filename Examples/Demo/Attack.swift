// The attacks of the demo: hostile messages, each made as an attacker would make it.

import JOSE
import JOSEBytes
import JOSEOpenID

/// One attack; `attempt` throws the error that rejects it, and returns if it is accepted.
struct Attack: Sendable {
    let what: String
    let attempt: @Sendable (World, Login) async throws -> Void

    /// Ten, as the profile has them.
    static func all(_ profile: OpenIDProfile) -> [Attack] {
        if profile.accessToken.requiresBinding {
            return [
                changedBit, stranger, notSigned, otherLogin, otherIssuer, notPushed,
                otherAudience, repeatedAssertion, otherKey, asBearer,
            ]
        }
        let reduced = profile.idToken.layers == .signedThenEncrypted ? notEncrypted : notSigned
        let client = profile.client.authentication == .basic ? stolenCode : repeatedAssertion
        let request = profile.client.authentication == .basic ? repeatedCode : changedRequest
        return [
            changedBit, stranger, reduced, otherLogin, otherClient, late, otherState, otherUser,
            client, request,
        ]
    }

    /// The error that rejects the attack.
    ///
    /// - Throws: `DemoFailure` where it is accepted.
    func error(_ world: World, _ login: Login) async throws -> JOSEError {
        do {
            try await attempt(world, login)
        } catch let error as JOSEError {
            return error
        }
        throw DemoFailure("an attack was accepted: \(what)")
    }

    // MARK: against the relying party

    static let changedBit = Attack(what: "one bit of the ID Token changed") {
        world, login in
        var parts = login.idToken.split(separator: ".").map(String.init)
        // The ciphertext of an encrypted token, the claims of a signed one.
        let place = parts.count == 5 ? 3 : 1
        guard var bytes = Base64URL.decode(parts[place].utf8.span), !bytes.isEmpty else { return }
        bytes[bytes.count / 2] ^= 1
        parts[place] = Base64URL.encodeToString(bytes.span)
        try await present(parts.joined(separator: "."), world, login)
    }

    static let stranger = Attack(
        what: "an ID Token signed by a stranger under the provider's kid"
    ) { world, login in
        let names = world.providerKeys.own.keys.map(\.keyID)
        let keys = try await Keys.make(world.rules, keyIDs: names + [nil])
        let responses = try world.responses(keys: JWKSet(keys: keys))
        try await present(try made(responses, world, login), world, login)
    }

    private static let notEncrypted = Attack(
        what: "the provider's ID Token without its encryption"
    ) { world, login in
        let responses = try world.responses { $0.idToken.layers = .signed }
        try await present(try made(responses, world, login), world, login)
    }

    static let notSigned = Attack(
        what: "the ID Token with alg none and no signature"
    ) { world, login in
        let claims = login.idToken.split(separator: ".")[1]
        let header = Base64URL.encodeToString(#"{"alg":"none"}"#.utf8.span)
        try await present(header + "." + claims + ".", world, login)
    }

    static let otherLogin = Attack(what: "the ID Token of another login") {
        world, login in
        let other = try await Login(world)
        try await present(other.idToken, world, login, accessToken: other.accessToken)
    }

    private static let otherClient = Attack(what: "an ID Token for another client") {
        world, login in
        let (party, client) = try world.other(clientID: "client-2")
        let request = try await world.begin(party, client).received
        let token = try await client.responses().idToken(
            for: request, Login.user(request, login.accessToken, world.now), at: world.now)
        try await present(token, world, login)
    }

    private static let late = Attack(what: "the ID Token an hour later") { world, login in
        try await present(
            login.idToken, world, login, at: world.now.advanced(by: .seconds(3_600)))
    }

    private static let otherState = Attack(what: "the answer to another browser's login") {
        world, login in
        let other = try await world.begin(world.party, world.client)
        _ = try await world.response(login.callback, to: other.started.session)
    }

    private static let otherUser = Attack(what: "the UserInfo of another user") {
        world, login in
        let other = try await world.client.responses().userInfo(
            subject: String(Login.subject.reversed()), claims: world.profile.facts, at: world.now)
        _ = try await world.party.verifyUserInfo(
            other, for: login.accepted, at: world.now, within: patience)
    }

    // MARK: against the provider

    static let repeatedAssertion = Attack(what: "the client assertion sent again") {
        world, login in
        _ = try await world.client.receive(tokenRequest: login.tokenRequest.body, at: world.now)
    }

    private static let changedRequest = Attack(
        what: "another redirect_uri beside the request object"
    ) { world, login in
        var parameters = try OpenIDParameters(decoding: login.request.started.url.query).all
        parameters.removeAll { $0.name == "redirect_uri" }
        parameters.append(OpenIDParameter("redirect_uri", "https://attacker.example/callback"))
        let query = OpenIDParameters(parameters).encoded
        try await world.client.accepted(query, at: world.now)
    }

    private static let stolenCode = Attack(what: "a stolen code without its code_verifier") {
        world, login in
        let grant = try await world.client.grant(login.received, at: world.now)
        let request = try await world.party.tokenRequest(
            code: grant.code, for: login.session, at: world.now,
            within: patience)
        let form = request.parameters.all.filter { $0.name != "code_verifier" }
        let proved = try await world.client.receive(
            tokenRequest: OpenIDParameters(form).encoded, authorization: request.authorization,
            at: world.now)
        try await world.client.redeem(proved, grant, at: world.now)
    }

    private static let repeatedCode = Attack(what: "the code redeemed again") { world, login in
        let request = login.tokenRequest
        let proved = try await world.client.receive(
            tokenRequest: request.body, authorization: request.authorization, at: world.now)
        try await world.client.redeem(proved, login.grant, at: world.now)
    }

    // MARK: against pushed requests and bound tokens

    private static let otherIssuer = Attack(what: "a plain answer of another provider") {
        world, login in
        let plain = OpenIDParameters([
            OpenIDParameter("code", login.grant.code),
            OpenIDParameter("state", login.session.state),
            OpenIDParameter("iss", "https://attacker.example"),
        ])
        _ = try await world.response(plain.encoded, to: login.session)
    }

    private static let notPushed = Attack(what: "a request that was not pushed") {
        world, login in
        var parameters = login.received.parameters.all
        parameters.removeAll { $0.name == "request_uri" }
        let query = OpenIDParameters(parameters).encoded
        try await world.client.accepted(query, at: world.now)
    }

    private static let otherAudience = Attack(
        what: "a client assertion for the endpoint's URL, not the issuer"
    ) { world, login in
        let party = try world.party { $0.client.audience = .pushedRequestEndpoint }
        let pushed = try await party.push(
            world.profile.request, prover: world.bound?.prover, nonce: login.nonce,
            at: world.now, within: patience
        ).request
        if case .rejected(let rejected) = await world.client.receive(
            pushedRequest: pushed.body, proofs: pushed.proofs, at: world.now)
        {
            throw rejected.cause
        }
    }

    private static let otherKey = Attack(
        what: "a stolen code, and a proof by the thief's key"
    ) { world, login in
        let other = try await world.begin(world.party, world.client)
        let grant = try await world.client.grant(other.received, at: world.now)
        let request = try await world.party.tokenRequest(
            code: grant.code, for: other.started.session, prover: world.bound?.prover,
            at: world.now, within: patience)
        let proof = try DPoPProver.fresh().proof(
            method: "POST", url: request.url, nonce: login.nonce, at: world.now)
        let proved = try await world.client.receive(
            tokenRequest: request.body, proofs: [proof], at: world.now)
        try await world.client.redeem(proved, grant, at: world.now)
    }

    private static let asBearer = Attack(what: "a stolen access token as a bearer token") {
        world, login in
        _ = try await world.bound?.server.verify(
            ResourceRequest(
                method: "GET", url: Binding.url,
                authorization: "Bearer " + login.accessToken), at: world.now)
    }

    // MARK: parts

    /// An ID Token for this login by other means.
    private static func made(
        _ responses: ClientResponses, _ world: World, _ login: Login
    ) throws -> String {
        try responses.idToken(
            for: login.received, Login.user(login.received, login.accessToken, world.now),
            at: world.now)
    }

    private static func present(
        _ token: String, _ world: World, _ login: Login, accessToken: String? = nil,
        at now: NumericDate? = nil
    ) async throws {
        _ = try await world.party.verifyIDToken(
            token, for: login.session, accessToken: accessToken ?? login.accessToken,
            at: now ?? world.now, within: patience)
    }
}
