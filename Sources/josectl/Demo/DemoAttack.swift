// The attacks of the demo: hostile messages, each made as an attacker would make it.

import JOSE
import JOSEBytes
import JOSEOpenID

/// One attack; `attempt` throws what refuses it, and returns where it was accepted.
struct DemoAttack: Sendable {
    let what: String
    let attempt: @Sendable (DemoWorld, DemoLogin) async throws -> Void

    /// Ten, as the profile has them.
    static func all(_ profile: OpenIDProfile) -> [DemoAttack] {
        if profile.accessToken.requiresBinding { return bound }
        let reduced = profile.idToken.layers == .signedThenEncrypted ? notEncrypted : notSigned
        let client = profile.client.authentication == .basic ? stolenCode : repeatedAssertion
        let request = profile.client.authentication == .basic ? repeatedCode : changedRequest
        return [
            changedBit, stranger, reduced, otherLogin, otherClient, late, otherState, otherUser,
            client, request,
        ]
    }

    /// What refuses the attack.
    ///
    /// - Throws: A refusal of the whole demo where it is accepted.
    func refusal(_ world: DemoWorld, _ login: DemoLogin) async throws -> JOSEError {
        do {
            try await attempt(world, login)
        } catch let error as JOSEError {
            return error
        }
        throw Refusal(.internal, step: "call", message: "an attack was accepted: \(what)")
    }

    // MARK: against the relying party

    static let changedBit = DemoAttack(what: "one bit of the ID Token changed") {
        world, login in
        var parts = login.idToken.split(separator: ".").map(String.init)
        // The ciphertext of an encrypted token, the claims of a signed one.
        let place = parts.count == 5 ? 3 : 1
        guard var bytes = Base64URL.decode(parts[place].utf8.span), !bytes.isEmpty else { return }
        bytes[bytes.count / 2] ^= 1
        parts[place] = Base64URL.encodeToString(bytes.span)
        try await present(parts.joined(separator: "."), world, login)
    }

    static let stranger = DemoAttack(
        what: "an ID Token signed by a stranger under the provider's kid"
    ) { world, login in
        let answers = try world.answers(keys: world.providerKeys.imitated())
        try await present(try made(answers, world, login), world, login)
    }

    private static let notEncrypted = DemoAttack(
        what: "the provider's ID Token without its encryption"
    ) { world, login in
        let answers = try world.answers { $0.idToken.layers = .signed }
        try await present(try made(answers, world, login), world, login)
    }

    static let notSigned = DemoAttack(
        what: "the ID Token with alg none and no signature"
    ) { world, login in
        let claims = login.idToken.split(separator: ".")[1]
        let header = Base64URL.encodeToString(#"{"alg":"none"}"#.utf8.span)
        try await present(header + "." + claims + ".", world, login)
    }

    static let otherLogin = DemoAttack(what: "the ID Token of another login") {
        world, login in
        let other = try await DemoLogin(world)
        try await present(other.idToken, world, login, accessToken: other.accessToken)
    }

    private static let otherClient = DemoAttack(what: "an ID Token for another client") {
        world, login in
        let token = try await world.idToken(clientID: "client-2") { request in
            DemoLogin.user(request, login.accessToken, world.now)
        }
        try await present(token, world, login)
    }

    private static let late = DemoAttack(what: "the ID Token an hour later") { world, login in
        try await present(
            login.idToken, world, login, at: world.now.advanced(by: .seconds(3_600)))
    }

    private static let otherState = DemoAttack(what: "the answer to another browser's login") {
        world, login in
        let other = try await world.begin(world.party, world.client).started
        _ = try await world.answer(login.callback, to: other.remembered)
    }

    private static let otherUser = DemoAttack(what: "the UserInfo of another user") {
        world, login in
        let other = try await world.client.answers().userInfo(
            subject: String(DemoLogin.subject.reversed()), claims: world.row.facts, at: world.now)
        _ = try await world.party.verifyUserInfo(
            other, for: login.accepted, at: world.now, within: HeldKeys.patience)
    }

    // MARK: against the provider

    static let repeatedAssertion = DemoAttack(what: "the client assertion sent again") {
        world, login in
        _ = try await world.client.receive(tokenRequest: login.tokenRequest.body, at: world.now)
    }

    private static let changedRequest = DemoAttack(
        what: "another redirect_uri beside the request object"
    ) { world, login in
        var parameters = try OpenIDParameters(decoding: DemoLogin.query(login.started.url)).all
        parameters.removeAll { $0.name == "redirect_uri" }
        parameters.append(OpenIDParameter("redirect_uri", "https://attacker.example/callback"))
        let query = OpenIDParameters(parameters).encoded
        if case .refused(let refused) = try await world.client.receive(
            authorization: query, at: world.now)
        {
            throw refused.cause
        }
    }

    private static let stolenCode = DemoAttack(what: "a stolen code without its code_verifier") {
        world, login in
        let grant = try await world.client.grant(login.received, at: world.now)
        let request = try await world.party.tokenRequest(
            code: grant.code, for: login.started.remembered, at: world.now,
            within: HeldKeys.patience)
        let form = request.parameters.all.filter { $0.name != "code_verifier" }
        let proved = try await world.client.receive(
            tokenRequest: OpenIDParameters(form).encoded, authorization: request.authorization,
            at: world.now)
        try await world.client.redeem(proved, grant, at: world.now)
    }

    private static let repeatedCode = DemoAttack(what: "the code redeemed again") { world, login in
        let request = login.tokenRequest
        let proved = try await world.client.receive(
            tokenRequest: request.body, authorization: request.authorization, at: world.now)
        try await world.client.redeem(proved, login.grant, at: world.now)
    }

    // MARK: parts

    /// An ID Token for this login by other means.
    private static func made(
        _ answers: ClientAnswers, _ world: DemoWorld, _ login: DemoLogin
    ) throws -> String {
        try answers.idToken(
            for: login.received, DemoLogin.user(login.received, login.accessToken, world.now),
            at: world.now)
    }

    private static func present(
        _ token: String, _ world: DemoWorld, _ login: DemoLogin, accessToken: String? = nil,
        at now: NumericDate? = nil
    ) async throws {
        _ = try await world.party.verifyIDToken(
            token, for: login.started.remembered, accessToken: accessToken ?? login.accessToken,
            at: now ?? world.now, within: HeldKeys.patience)
    }
}
