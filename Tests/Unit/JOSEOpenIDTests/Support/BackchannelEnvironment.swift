// A client and a provider with CIBA.

import JOSE
import JOSEOpenID
import Testing

typealias BackchannelResult = RequestResult<ReceivedBackchannelRequest, RejectedRequest>

struct BackchannelEnvironment {
    static let endpoint = "https://idp.example/v2/bc-authorize"
    static let notifications = "https://rp.example/cb"
    static let grant = "urn:openid:params:grant-type:ciba"
    static let subject = "user-1-of-32-characters-in-total"

    let env: TestEnvironment
    let client: RegisteredClient

    init(
        _ profile: OpenIDProfile = .openIDWithAssertion,
        _ way: BackchannelRegistration.DeliveryMode = .poll,
        _ change: (inout BackchannelRegistration) -> Void = { _ in },
        additional: [String: JSONValue] = [:]
    ) throws {
        let offered: [String: JSONValue] = [
            "backchannel_authentication_endpoint": .string(BackchannelEnvironment.endpoint),
            "backchannel_token_delivery_modes_supported": ["poll", "ping"],
            "backchannel_authentication_request_signing_alg_values_supported": ["RS256"],
            "backchannel_user_code_parameter_supported": true,
        ]
        env = try TestEnvironment(
            profile, additional: offered.merging(additional) { _, changed in changed })
        client = try env.provider.client(BackchannelEnvironment.registration(way, change))
    }

    static func registration(
        _ way: BackchannelRegistration.DeliveryMode,
        _ change: (inout BackchannelRegistration) -> Void = { _ in }
    ) -> ClientRegistration {
        var registration = TestEnvironment.registration()
        var backchannel = BackchannelRegistration(way)
        backchannel.sendsUserCode = true
        change(&backchannel)
        registration.backchannel = backchannel
        return registration
    }

    var request: BackchannelRequest {
        let usual = env.request
        var request = BackchannelRequest(.name("tel:+32470000000"), scopes: usual.scopes)
        if let code = usual.serviceCode { request.scopes.append("service:" + code) }
        request.acrValues = usual.acrValues
        return request
    }

    func send(_ request: BackchannelRequest? = nil, at now: NumericDate = .testNow) async throws
        -> BackchannelAuthentication
    { try await env.party.backchannel(request ?? self.request, at: now) }

    func send(_ change: (inout BackchannelRequest) -> Void) async throws
        -> BackchannelAuthentication
    {
        var request = request
        change(&request)
        return try await send(request)
    }

    /// A received form of an authenticated client.
    func receive(
        _ body: String, authorization: String? = nil, by other: RegisteredClient? = nil,
        at now: NumericDate = .testNow
    ) async -> BackchannelResult {
        await (other ?? client).receiveBackchannelRequest(
            body, authorization: authorization, at: now)
    }

    func receive(_ sent: BackchannelAuthentication) async -> BackchannelResult {
        await receive(sent.request.body, authorization: sent.request.authorization)
    }

    func form(_ parameters: KeyValuePairs<String, String>) async throws -> String {
        try await form(urlForm(parameters).all)
    }

    /// A form with these parameters and valid client authentication.
    func form(_ parameters: [OpenIDParameter]) async throws -> String {
        let asking = [
            "scope", "login_hint", "acr_values", "request", "client_notification_token",
        ]
        let proof = try await send().request.parameters.all.filter { !asking.contains($0.name) }
        return OpenIDParameters(parameters + proof).encoded
    }

    /// Both sides, up to the wait for the user.
    func waiting(
        _ request: BackchannelRequest? = nil
    ) async throws -> (pending: PendingAuthentication, wait: BackchannelSession) {
        let sent = try await send(request)
        let received = try await receive(sent).accepted()
        let pending = try client.pending(received, at: .testNow)
        let response = try pending.response()
        #expect(response.status == 200 && response.header("Cache-Control") == "no-store")
        return (pending, try sent.accepted(BackchannelResponse(json: response.body), at: .testNow))
    }

    func poll(_ wait: BackchannelSession, resources: [String] = [], at now: NumericDate = .testNow)
        async throws -> ReceivedBackchannelPoll
    {
        let asked = try await env.party.tokenRequest(for: wait, resources: resources, at: now)
        return try await client.receiveBackchannelPoll(
            asked.body, authorization: asked.authorization, at: now)
    }

    func object(
        _ claims: [String: JSONValue], by key: JWK = TestKeys.partySigning, type: String? = nil
    ) throws -> String {
        try jwt(claims, by: key, type: type)
    }

    static func claims(_ jti: String = "j") -> [String: JSONValue] {
        return [
            "iss": .clientID, "aud": .issuer, "iat": .now(), "nbf": .now(), "exp": .now(300),
            "jti": .string(jti), "scope": "openid", "login_hint": "tel:+32470000000",
        ]
    }
}

extension OpenIDProfile {
    static var openIDWithAssertion: OpenIDProfile {
        return OpenIDProfile.openID.with { $0.client.authentication = .assertion(.signed) }
    }
}
