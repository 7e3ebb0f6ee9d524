// The two requests of Signicat MobileID. They use PKCE, which is optional in Signicat's guide.

extension AuthorizationRequest {
    /// Creates a request that registers a device with Signicat MobileID.
    ///
    /// - Parameters:
    ///   - method: The name of the registration method at Signicat.
    ///   - deviceName: The user's name for the device.
    ///   - artifact: The artifact of this registration.
    ///   - externalReference: The identifier of the user's account.
    public static func mobileIDRegistration(
        method: String, deviceName: String, artifact: String, externalReference: String
    ) -> AuthorizationRequest {
        mobileID(
            method,
            [
                "deviceName-" + deviceName, "artifact-" + artifact,
                "externalRef-" + externalReference,
            ])
    }

    /// Creates a request that authenticates a user with Signicat MobileID.
    ///
    /// - Parameters:
    ///   - method: The name of the authentication method at Signicat.
    ///   - deviceID: The device ID that the app reports.
    ///   - externalReference: The identifier of the user's account.
    public static func mobileIDAuthentication(
        method: String, deviceID: String, externalReference: String
    ) -> AuthorizationRequest {
        mobileID(method, ["deviceId-" + deviceID, "externalRef-" + externalReference])
    }

    private static func mobileID(_ method: String, _ hints: [String]) -> AuthorizationRequest {
        var request = AuthorizationRequest(
            scopes: ["profile", "mobileid"], acrValues: ["urn:signicat:oidc:method:" + method])
        request.loginHints = hints
        request.usesPKCE = true
        return request
    }
}
