// The attacks of the demo on a profile whose requests are pushed and whose tokens are bound to keys.

import JOSE
import JOSEOpenID

extension DemoAttack {
    /// Ten.
    static let bound = [
        changedBit, stranger, notSigned, otherLogin, otherIssuer, notPushed, otherAudience,
        repeatedAssertion, otherKey, asBearer,
    ]

    private static let otherIssuer = DemoAttack(what: "a plain answer of another provider") {
        world, login in
        let plain = OpenIDParameters([
            OpenIDParameter("code", login.grant.code),
            OpenIDParameter("state", login.started.remembered.state),
            OpenIDParameter("iss", "https://attacker.example"),
        ])
        _ = try await world.answer(plain.encoded, to: login.started.remembered)
    }

    private static let notPushed = DemoAttack(what: "a request that was not pushed") {
        world, login in
        var parameters = login.received.parameters.all
        parameters.removeAll { $0.name == "request_uri" }
        let query = OpenIDParameters(parameters).encoded
        if case .refused(let refused) = try await world.client.receive(
            authorization: query, at: world.now)
        {
            throw refused.cause
        }
    }

    private static let otherAudience = DemoAttack(
        what: "a client assertion for the endpoint's URL, not the issuer"
    ) { world, login in
        var rules = world.profile
        rules.client.audience = .pushedRequestEndpoint
        let party = try AsyncRelyingParty(
            profile: rules, metadata: world.metadata, clientID: DemoWorld.clientID,
            redirectURI: DemoWorld.callback, keys: world.clientKeys.own,
            source: world.providerKeys.published)
        let pushed = try await party.push(
            world.row.request, prover: world.bound?.prover, nonce: login.push?.nonce,
            at: world.now, within: HeldKeys.patience
        ).request
        if case .refused(let refused) = await world.client.receive(
            pushedRequest: pushed.body, proofs: pushed.proofs, at: world.now)
        {
            throw refused.cause
        }
    }

    private static let otherKey = DemoAttack(
        what: "a stolen code, and a proof by the thief's key"
    ) { world, login in
        let other = try await world.begin(world.party, world.client)
        let grant = try await world.client.grant(other.received, at: world.now)
        let request = try await world.party.tokenRequest(
            code: grant.code, for: other.started.remembered, prover: world.bound?.prover,
            at: world.now, within: HeldKeys.patience)
        let proof = try DPoPProver.fresh().proof(
            method: "POST", url: request.url, nonce: login.push?.nonce, at: world.now)
        let proved = try await world.client.receive(
            tokenRequest: request.body, proofs: [proof], at: world.now)
        try await world.client.redeem(proved, grant, at: world.now)
    }

    private static let asBearer = DemoAttack(what: "a stolen access token as a bearer token") {
        world, login in
        _ = try await world.bound?.server.verify(
            ResourceRequest(
                method: "GET", url: DemoBinding.url,
                authorization: "Bearer " + login.accessToken), at: world.now)
    }
}
