// The preset for itsme's first generation.

import JOSE

extension OpenIDProfile {
    /// itsme, first generation; see `itsme0` for its oldest guide.
    public static let itsme1: OpenIDProfile = {
        var profile = OpenIDProfile(
            name: "itsme1",
            algorithms: AlgorithmRules(
                signature: [.rs256], keyManagement: [.rsaOAEP], content: [.a128CBCHS256]),
            authorization: .itsme(
                acrValues: [
                    "tag:sixdots.be,2016-06:acr_basic", "tag:sixdots.be,2016-06:acr_advanced",
                ]),
            requestObject: RequestObjectRules(layers: .signed, audience: .authorizationEndpoint),
            client: ClientRules(authentication: .assertion(.signedThenEncrypted)),
            idToken: .itsme, userInfo: .itsme)
        // All guides of itsme have the token endpoint as the aud of an assertion.
        profile.client.audience = .tokenEndpoint
        profile.requestObject.requiresRequestURIPort443 = true
        profile.requestObject.isSelfContained = false
        // The guide allows a nested object and does not ask for exp; iss and aud "should" be there.
        profile.requestObject.alsoAccepted = [.signedThenEncrypted]
        profile.requestObject.requiredClaims = []
        profile.requestObject.queryParameters.append("redirect_uri")
        profile.userInfo.names = .itsme1
        // The guides print this type for a response that is a nested JWT.
        profile.userInfo.otherMediaTypes = ["application/json"]
        profile.accessToken.hasRefreshTokens = false
        return profile
    }()
}

extension AuthorizationRules {
    static func itsme(acrValues: [String]) -> AuthorizationRules {
        var rules = AuthorizationRules()
        rules.optionalScopes = ["profile", "email", "phone", "address"]
        rules.requiresServiceScope = true
        rules.scopeError = .notImplemented
        rules.parameters = [
            ParameterRule("max_age", "itsme ignores max_age"),
            ParameterRule("response_mode", "itsme does not support response_mode"),
            ParameterRule("id_token_hint", "itsme ignores id_token_hint"),
            ParameterRule("claims_locales", "itsme does not support claims_locales"),
            ParameterRule(
                "registration", "itsme does not support registration",
                errorCode: .registrationNotSupported),
            ParameterRule(
                "display", ["page"], "itsme supports display=page only",
                errorCode: .notImplemented),
            ParameterRule(
                "prompt", ["consent"], "itsme supports prompt=consent only",
                errorCode: .interactionRequired),
            ParameterRule(
                "ui_locales", ["fr", "nl", "en", "de"], "itsme knows ui_locales fr, nl, en and de"),
        ]
        rules.loginHint.format = .telephone
        rules.loginHint.errorCode = nil
        rules.acr.weakestFirst = acrValues
        rules.acr.providerRejectsUnmetVoluntary = true
        rules.treatsVoluntaryAsEssential = true
        rules.requiresPKCE = false
        rules.responseModes = [.query]
        return rules
    }
}

extension IDTokenRules {
    fileprivate static let itsme: IDTokenRules = {
        var rules = IDTokenRules(layers: .signedThenEncrypted)
        // acr is present only if it was requested.
        rules.requiredClaims.append("auth_time")
        rules.omittedClaims = ["amr", "azp", "at_hash"]
        rules.subjectCharacterCount = 32
        return rules
    }()
}

extension UserInfoRules {
    static let itsme: UserInfoRules = {
        var rules = UserInfoRules(layers: .signedThenEncrypted)
        rules.scopeClaims = .itsme
        // The guides print responses without iss and aud, and compare only sub.
        rules.requiresIssuerAndAudience = false
        return rules
    }()
}
