// The two operations of Signicat MobileID, with the hints that each needs, and with PKCE, which the guide leaves open.

extension AuthorizationRequest {
    /// A registration of a device with Signicat MobileID.
    ///
    /// - Parameters:
    ///   - method: The name of the registration method at Signicat.
    ///   - deviceName: What the user calls the device.
    ///   - artifact: What was made for this registration.
    ///   - externalReference: The name of the user's account.
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

    /// An authentication with Signicat MobileID.
    ///
    /// - Parameters:
    ///   - method: The name of the authentication method at Signicat.
    ///   - deviceID: What the app's client says that its device is.
    ///   - externalReference: The name of the user's account.
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
