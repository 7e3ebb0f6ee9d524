// The demo's messages that one guide has and the others do not: its errors, its app, its app switch.

import JOSE
import JOSEBytes
import JOSEOpenID

extension Demo {
    /// Shows what belongs to the profile's guide alone; nothing for a profile without a guide.
    mutating func tellGuide(_ world: DemoWorld, _ login: DemoLogin) async throws {
        if profile.authorization.requiresServiceScope {
            try await tellErrors(world, login)
        } else if profile.authorization.context.methodPrefix != nil {
            try await tellActivation(world)
        } else if profile.authorization.hasAppSwitch {
            try await tellAppSwitch(world, login)
        }
    }

    // MARK: itsme

    /// The errors of the guide, each as the provider answers it.
    private mutating func tellErrors(_ world: DemoWorld, _ login: DemoLogin) async throws {
        try title("The guide's errors")
        try errorLine(
            "a scope without service:<code>",
            await world.error { $0.set("scope", "openid") })
        try errorLine(
            "the parameter registration", await world.error { $0.set("registration", "{}") })
        if !profile.requestObject.allowsReference {
            try errorLine(
                "the parameter request_uri",
                await world.error { $0.set("request_uri", "https://rp.example:443/object") })
        }
        let redeemed = try await world.repeatedCode(login)
        try errorLine(
            "the code redeemed again, HTTP \(redeemed.status)", TokenError(json: redeemed.body).code
        )
        let unknown = try BearerError(.invalidToken).answer()
        let error = try BearerError(header: unknown.header("WWW-Authenticate") ?? "")
        try errorLine("UserInfo with an unknown token, HTTP \(unknown.status)", error.code)
    }

    private mutating func errorLine(_ what: String, _ code: OAuthErrorCode?) throws {
        let name = code?.name ?? ""
        responses.append((what, name))
        try say("\(padded(name, 28))\(what)")
    }

    // MARK: Signicat

    /// What the app sees: of a registration, and of one that is rejected.
    private mutating func tellActivation(_ world: DemoWorld) async throws {
        try title("Registration of a device, by the app")
        let request = AuthorizationRequest.mobileIDRegistration(
            method: "register", deviceName: "phone", artifact: "artifact-1",
            externalReference: "user-1")
        let started = try await world.party.start(request, at: world.now)
        guard
            case .accepted(let received) = try await world.client.receive(
                authorization: DemoLogin.query(started.url), at: world.now)
        else { throw Refusal(.internal, step: "message", message: "the registration is refused") }
        try say("GET with login_hint \(received.loginHints.joined(separator: ", "))")
        let issuer = world.metadata.issuer
        let answers: [ActivationAnswer] = [
            .started(
                StartedActivation(
                    activationCode: "123456", statusURL: issuer + "/status/1",
                    completeURL: issuer + "/complete/1")),
            .failed(
                code: "urn:signicat:error:idp:ACCESS_DENIED", message: "Access denied.",
                completeURL: issuer + "/complete/2"),
        ]
        for answer in answers {
            switch try ActivationAnswer(json: answer.answer().body) {
            case .started(let activation):
                responses.append(("activation", "OK"))
                try say("OK        activation code \(activation.activationCode ?? "")")
                try more("status at \(activation.statusURL ?? "")")
                try more("a GET of \(activation.completeURL) brings the code")
            case .failed(let code, _, let completeURL):
                let redirect = try await world.client.redirect(
                    error: AuthorizationError(.accessDenied), for: received, at: world.now)
                guard
                    case .error(let error) = try await world.answer(
                        redirect.parameters.encoded, to: started.remembered)
                else { throw Refusal(.internal, step: "message", message: "no error came back") }
                responses.append(("completeUrl after an error", error.code.name))
                try say("ERROR     \(printable(code))")
                try more("a GET of \(completeURL ?? "") brings \(error.code.name)")
            }
        }
    }

    // MARK: Nets

    /// The parameters of the switch, and where they may lead to.
    private mutating func tellAppSwitch(_ world: DemoWorld, _ login: DemoLogin) async throws {
        try title("App switch of MitID")
        let mitID = login.received.identityProviderParameters?["mitid"]
        try say(
            "idp_params with app_switch_os \(mitID?["app_switch_os"]?.string ?? ""), "
                + "app_switch_url \(mitID?["app_switch_url"]?.string ?? "")")
        try more("signed by the client: any address of its app")
        let code = try await world.error {
            $0.set("idp_params", login.received.parameters["idp_params"] ?? "")
        }
        responses.append(("an unsigned app_switch_url that is not registered", code.name))
        try more("unsigned, and not registered: \(code.name)")
    }
}

extension DemoWorld {
    /// What the provider answers to the demo's request in plain parameters, after a change that it must not accept.
    fileprivate func error(
        _ change: (inout OpenIDParameters) -> Void
    ) async throws -> OAuthErrorCode {
        var request = row.request
        request.delivery = RequestObjectDelivery.none
        request.identityProviderParameters = nil
        let started = try await party.start(request, at: now)
        var parameters = try OpenIDParameters(decoding: DemoLogin.query(started.url))
        change(&parameters)
        guard
            case .refused(let refused) = try await client.receive(
                authorization: parameters.encoded, at: now)
        else { throw Refusal(.internal, step: "call", message: "a bad request was accepted") }
        return refused.error.code
    }

    /// The answer to a good token request with a code that was redeemed.
    fileprivate func repeatedCode(_ login: DemoLogin) async throws -> HTTPAnswer {
        let request = try await party.tokenRequest(
            code: login.grant.code, for: login.started.remembered, at: now,
            within: HeldKeys.patience)
        let proved = try await client.receive(
            tokenRequest: request.body, authorization: request.authorization, at: now)
        do throws(JOSEError) {
            try await client.redeem(proved, login.grant, at: now)
        } catch {
            return try TokenError(refusingGrant: error).answer()
        }
        throw Refusal(.internal, step: "call", message: "a code was redeemed twice")
    }
}

extension OpenIDParameters {
    /// Puts one value in place of those that a parameter has.
    fileprivate mutating func set(_ name: String, _ value: String) {
        self = OpenIDParameters(
            all.filter { !$0.name.isExactly(name) } + [OpenIDParameter(name, value)])
    }
}
