// The itsme recipes. The articles contain them word for word.

import JOSE
import JOSEOpenID

/// itsme, second generation.
enum Itsme2 {
    static func request() -> AuthorizationRequest {
        let names = OpenIDProfile.itsme2.userInfo.names
        var request = AuthorizationRequest(
            scopes: ["profile", "email"], serviceCode: "MY_LOGIN",
            acrValues: ["http://itsme.services/v2/claim/acr_advanced"])
        if let number = names.nationalNumber?.requested {
            request.claims = ClaimsRequest(userInfo: [number: .essential])
        }
        request.delivery = .byValue  // signed, then encrypted for itsme
        return request
    }

    /// Creates the relying party, once when the service starts.
    static func party(
        _ document: String, _ keys: JWKSet, _ providerKeys: any KeySource
    ) throws -> RelyingParty {
        let metadata = try ProviderMetadata(
            json: document, issuer: "https://idp.e2e.itsme.services/v2", profile: .itsme2)
        return try RelyingParty(
            profile: .itsme2, metadata: metadata, clientID: "MY_PARTNER_CODE",
            redirectURI: "https://rp.example/callback", keys: keys, providerKeys: providerKeys)
    }
}

/// itsme, first generation.
enum Itsme1 {
    /// - Parameter name: A new random name for the URL of the request object.
    static func request(_ name: String) -> AuthorizationRequest {
        let names = OpenIDProfile.itsme1.userInfo.names
        var request = AuthorizationRequest(
            scopes: ["profile", "email"], serviceCode: "MY_LOGIN",
            acrValues: ["tag:sixdots.be,2016-06:acr_advanced"])
        request.locales = ["nl"]
        if let photo = names.photo?.requested, let card = names.identityCard?.requested {
            request.claims = ClaimsRequest(
                userInfo: [photo: .voluntary, card: .essential])
        }
        // The guide requires the port in the URL, and a registered URL.
        request.delivery = .byReference("https://rp.example:443/request-objects/" + name)
        return request
    }

    /// Creates the relying party, once when the service starts.
    static func party(
        _ document: String, _ keys: JWKSet, _ providerKeys: any KeySource
    ) throws -> RelyingParty {
        let metadata = try ProviderMetadata(
            json: document, issuer: "https://e2emerchant.itsme.be/oidc", profile: .itsme1)
        return try RelyingParty(
            profile: .itsme1, metadata: metadata, clientID: "MY_PARTNER_CODE",
            redirectURI: "https://rp.example/callback", keys: keys, providerKeys: providerKeys)
    }
}

/// itsme, by its oldest guide.
enum Itsme0 {
    /// The request object is encrypted too, since it may contain a telephone number.
    static let profile: OpenIDProfile = {
        var profile = OpenIDProfile.itsme0
        profile.requestObject.layers = .signedThenEncrypted
        return profile
    }()

    /// - Parameter telephone: The user's number, if you know it.
    static func request(telephone: String? = nil) -> AuthorizationRequest {
        var request = AuthorizationRequest(scopes: ["profile", "email"], serviceCode: "MY_LOGIN")
        // The guide prefers to request the level in the request object.
        var claims = ClaimsRequest(idToken: [
            "acr": .init(
                isEssential: true, value: "tag:itsmetag:sixdots.be,2016-06:acr_advanced")
        ])
        if let card = profile.userInfo.names.identityCard?.requested {
            claims.userInfo[card] = .essential
        }
        // Encrypted, unlike login_hint in the URL.
        if let telephone { claims.userInfo["phone_number"] = .value(.string(telephone)) }
        request.claims = claims
        request.delivery = .byValue
        return request
    }

    /// Creates the relying party, once when the service starts.
    static func party(
        _ document: String, _ keys: JWKSet, _ providerKeys: any KeySource
    ) throws -> RelyingParty {
        let metadata = try ProviderMetadata(
            json: document, issuer: "https://merchant.itsme.be/oidc", profile: profile)
        return try RelyingParty(
            profile: profile, metadata: metadata, clientID: "MY_PARTNER_CODE",
            redirectURI: "https://rp.example/callback", keys: keys, providerKeys: providerKeys)
    }

    /// Returns the metadata with the authorization endpoint of itsme apps from before June 2018.
    ///
    /// No discovery document names it. Create a second relying party for users with such an app.
    static func forOldApps(_ metadata: ProviderMetadata) throws -> ProviderMetadata {
        try ProviderMetadata(
            issuer: metadata.issuer,
            authorizationEndpoint: "https://mobileapp.sixdots.be/mobile/authorize",
            tokenEndpoint: metadata.tokenEndpoint, userInfoEndpoint: metadata.userInfoEndpoint,
            jwksURI: metadata.jwksURI, profile: profile)
    }
}
