// The recipes of Signicat MobileID, Nets eID Broker and other providers. The articles contain them
// word for word.

import JOSE
import JOSEOpenID

/// Signicat MobileID, on the merchant's server.
enum SignicatMobileID {
    /// Registers the user's first device.
    ///
    /// - Parameter artifact: The artifact from Signicat's SOAP call.
    static func registration(
        account: String, device: String, artifact: String
    ) -> AuthorizationRequest {
        .mobileIDRegistration(
            method: "MY_REGISTRATION", deviceName: device, artifact: artifact,
            externalReference: account)
    }

    /// Authenticates a user with a registered device.
    static func authentication(account: String, deviceID: String) -> AuthorizationRequest {
        .mobileIDAuthentication(
            method: "MY_AUTHENTICATION", deviceID: deviceID, externalReference: account)
    }

    /// The next step of the app after its GET of `url`. A GET of `completeURL` leads to the
    /// callback.
    enum NextStep: Sendable {
        /// The app activates with the code, or authenticates without one.
        case activate(code: String?, statusURL: String?, completeURL: String)
        /// Signicat rejected the operation. Log `code`. Without `completeURL` no callback follows.
        case rejected(code: String, completeURL: String?)
    }

    /// Reads the response to the app's GET.
    static func activation(_ body: String) throws -> NextStep {
        switch try ActivationResponse(json: body) {
        case .started(let activation):
            .activate(
                code: activation.activationCode, statusURL: activation.statusURL,
                completeURL: activation.completeURL)
        case .failed(let code, _, let completeURL):
            .rejected(code: code, completeURL: completeURL)
        }
    }

    /// Creates the relying party, once when the service starts.
    static func party(
        _ document: String, issuer: String, secret: ClientSecret, _ providerKeys: any KeySource
    ) throws -> RelyingParty {
        let profile = OpenIDProfile.signicatMobileID
        let metadata = try ProviderMetadata(json: document, issuer: issuer, profile: profile)
        return try RelyingParty(
            profile: profile, metadata: metadata, clientID: "MY_CLIENT",
            redirectURI: "https://merchant.example/callback", keys: JWKSet(keys: []),
            secret: secret, providerKeys: providerKeys)
    }
}

/// Signs users in with MitID through Nets eID Broker, on the app's backend.
struct NetsLogin {
    let party: RelyingParty
    let post: @Sendable (TokenRequest) async throws -> OpenIDHTTPResponse  // your HTTP client

    /// Starts a login. The app opens `url` in a browser tab. Store `session` on the backend.
    ///
    /// - Parameter system: `ios` or `android`; nil in a browser.
    func start(system: String?) async throws -> AuthorizationStart {
        var request = AuthorizationRequest()
        if let system {
            request.identityProviderParameters = AuthorizationRequest.appSwitch(
                system: system, url: "https://app.example/")
        }
        return try await party.start(request)
    }

    /// Finishes a login with the form that the browser posts; see `OpenIDLogin`.
    func finish(
        _ form: String, _ session: AuthorizationSession,
        remove: @Sendable () async throws -> Void
    ) async throws -> VerifiedIDToken {
        let response = try await party.authorizationResponse(form: form, for: session)
        if case .unauthenticatedError(let error) = response { throw error }  // keep the session
        try await remove()  // before the token request, or two callbacks could send the code
        let code = try response.code()

        let request = try await party.tokenRequest(code: code, for: session)
        let tokenResponse = try await post(request)
        guard tokenResponse.status == 200 else { throw try TokenError(response: tokenResponse) }
        let tokens = try TokenResponse(json: tokenResponse.body, to: request)
        return try await party.verifyIDToken(
            tokens.idToken, for: session, accessToken: tokens.accessToken, code: code)
    }

    /// Creates the relying party, once when the service starts.
    static func party(
        _ document: String, issuer: String, _ keys: JWKSet, _ providerKeys: any KeySource
    ) throws -> RelyingParty {
        let profile = OpenIDProfile.netsEIDBroker
        let metadata = try ProviderMetadata(json: document, issuer: issuer, profile: profile)
        return try RelyingParty(
            profile: profile, metadata: metadata, clientID: "MY_CLIENT",
            redirectURI: "https://backend.example/callback", keys: keys, providerKeys: providerKeys)
    }
}

/// A provider of OpenID Connect Core, with a client secret and PKCE.
enum CoreProvider {
    static func request() -> AuthorizationRequest {
        AuthorizationRequest(scopes: ["profile", "email"])
    }

    /// Creates the relying party, once when the service starts.
    static func party(
        _ document: String, issuer: String, secret: String, _ providerKeys: any KeySource
    ) throws -> RelyingParty {
        let metadata = try ProviderMetadata(json: document, issuer: issuer, profile: .openID)
        return try RelyingParty(
            profile: .openID, metadata: metadata, clientID: "my-client",
            redirectURI: "https://rp.example/callback", keys: JWKSet(keys: []),
            secret: ClientSecret(secret), providerKeys: providerKeys)
    }
}
