// Judges the parameters of an authorization request by the profile's rules, for both sides.

import JOSE
import JOSEBytes

/// Applies the rules to parameters. A provider gives those that it heeds; an `acr` that it does not know is no fault where
/// it was asked for by `acr_values`.
struct AuthorizationCheck {
    let rules: AuthorizationRules
    let parameters: OpenIDParameters
    /// Those of them that a signed object carries.
    let signed: OpenIDParameters
    /// Whether a provider judges.
    let isProvider: Bool
    /// Where this client's app may be switched to by what nobody signed.
    let appSwitchURIs: [String]

    /// Throws where a rule is broken.
    ///
    /// - Returns: What the ID Token that answers must say.
    @discardableResult
    func check() throws(ProfileViolation) -> RequestedClaims {
        try checkForbidden()
        try checkWords()
        guard let type = parameters["response_type"] else {
            throw ProfileViolation("response_type is missing")
        }
        guard type.isExactly("code") else {
            throw ProfileViolation("only response_type=code is used", .unsupportedResponseType)
        }
        guard let redirect = parameters["redirect_uri"], WebURL.isRedirect(redirect) else {
            throw ProfileViolation(WebURL.redirectFailure(parameters["redirect_uri"] ?? ""))
        }
        guard !rules.requiresHTTPSRedirect || WebURL(redirect) != nil else {
            throw ProfileViolation("redirect_uri must be an https address")
        }
        try checkScopes()
        try checkACRValues()
        try checkLoginHints()
        try checkResources()
        try checkState()
        try checkProofKey()
        if let thumbprint = parameters["dpop_jkt"], !FreshText.isDigest(thumbprint) {
            throw ProfileViolation("dpop_jkt is no SHA-256 digest in base64url")
        }
        try checkResponseMode()
        try checkStructured()
        return try RequestedClaims(parameters, rules, isProvider: isProvider)
    }

    /// As `check`, of a request that comes from the client itself: what belongs to no browser.
    func checkBackchannel() throws(ProfileViolation) -> RequestedClaims {
        try checkWords()
        try checkScopes()
        try checkACRValues()
        try checkResources()
        try checkMaximumAge()
        try checkDetails()
        return try RequestedClaims(parameters, rules, isProvider: isProvider)
    }

    /// RFC 8707, 2.
    private func checkResources() throws(ProfileViolation) {
        guard parameters.values("resource").allSatisfy(WebURL.isRedirect) else {
            throw ProfileViolation(
                "resource must be an absolute address without fragment", .invalidTarget)
        }
    }

    private func checkForbidden() throws(ProfileViolation) {
        for rule in rules.parameters {
            guard let value = parameters[rule.name] else { continue }
            let isKept =
                !rule.values.isEmpty
                && value.words.allSatisfy { word in
                    rule.values.contains { $0.isExactly(word) }
                }
            guard isKept else {
                throw ProfileViolation(rule.reason, rule.errorCode ?? .invalidRequest)
            }
        }
    }

    /// A word of a list is what every reader takes for one: visible ASCII.
    private func checkWords() throws(ProfileViolation) {
        let all = parameters.all.span
        for index in all.indices where !KnownParameter.isWellFormed(all[index]) {
            guard !all[index].name.isExactly("scope") else {
                throw ProfileViolation(
                    KnownParameter.scopeForm,
                    .invalidScope)
            }
            throw ProfileViolation(
                "a parameter that is a list of words holds more than visible ASCII")
        }
    }

    private func checkScopes() throws(ProfileViolation) {
        let scopes = parameters.words("scope")
        for required in rules.requiredScopes
        where !scopes.contains(where: { $0.isExactly(required) }) {
            throw ProfileViolation(
                "the scope openid, or another that is required, is missing", rules.scopeError)
        }
        for forbidden in rules.forbiddenScopes
        where scopes.contains(where: { $0.isExactly(forbidden) }) {
            throw ProfileViolation("the provider does not grant this scope", .invalidScope)
        }
        let services = scopes.filter { $0.begins(with: "service:") && $0.utf8.count > 8 }
        if rules.requiresServiceScope, services.count != 1 {
            throw ProfileViolation("exactly one scope service:<code> is required", rules.scopeError)
        }
        guard let optional = rules.optionalScopes else { return }
        let known = rules.requiredScopes + optional + (rules.requiresServiceScope ? services : [])
        guard scopes.allSatisfy({ scope in known.contains { $0.isExactly(scope) } }) else {
            throw ProfileViolation("the provider does not have this scope", .invalidScope)
        }
    }

    private func checkACRValues() throws(ProfileViolation) {
        let asked = parameters.words("acr_values")
        if let prefix = rules.acr.methodPrefix {
            guard asked.count == 1, let value = asked.first, value.begins(with: prefix),
                value.utf8.count > prefix.utf8.count
            else {
                throw ProfileViolation("acr_values must name exactly one method of the provider")
            }
        }
        guard !rules.acr.weakestFirst.isEmpty else { return }
        let claimed = try RequestedClaims.claimedACRValues(
            parameters, onlyEssential: isProvider && !rules.acr.voluntaryIsBinding)
        // By acr_values it was a wish, and a provider may pass over it; by claims it must be met or rejected
        // (OpenID Connect Core, 5.5.1.1).
        guard claimed.isEmpty || !rules.acr.known(claimed).isEmpty else {
            throw ProfileViolation(
                "the provider does not know this acr value", .unmetAuthenticationRequirements)
        }
        guard !isProvider else { return }
        for value in asked + claimed where rules.acr.strength(value) == nil {
            throw ProfileViolation("the provider does not know this acr value")
        }
    }

    private func checkLoginHints() throws(ProfileViolation) {
        let hints = parameters.values("login_hint")
        guard hints.count <= rules.loginHint.maxCount else {
            throw ProfileViolation("too many login_hint parameters")
        }
        for hint in hints where !rules.loginHint.format.fits(hint) {
            throw ProfileViolation(
                "login_hint has not the form that the provider asks for",
                rules.loginHint.errorCode ?? .invalidRequest)
        }
        guard rules.loginHint.format.isComplete(hints) else {
            throw ProfileViolation(
                "the login_hint parameters are not those of one kind of operation")
        }
    }

    private func checkState() throws(ProfileViolation) {
        guard let state = parameters["state"] else {
            guard !rules.requiresState else { throw ProfileViolation("state is required") }
            return try checkNonce()
        }
        guard state.isVisible else { throw ProfileViolation("state is not visible ASCII") }
        if rules.stateBeginsWithMethod, let method = rules.acr.method(of: parameters) {
            guard state.begins(with: method + ":"), state.utf8.count > method.utf8.count + 1 else {
                throw ProfileViolation("state must be the method, a colon and a random text")
            }
        }
        try checkNonce()
    }

    private func checkNonce() throws(ProfileViolation) {
        guard parameters["nonce"] != nil || !rules.requiresNonce else {
            throw ProfileViolation("nonce is required")
        }
    }

    private func checkProofKey() throws(ProfileViolation) {
        guard let challenge = parameters["code_challenge"] else {
            guard !rules.requiresPKCE else { throw ProfileViolation("code_challenge is required") }
            guard parameters["code_challenge_method"] == nil else {
                throw ProfileViolation("code_challenge_method stands without code_challenge")
            }
            return
        }
        guard let method = parameters["code_challenge_method"], method.isExactly("S256") else {
            throw ProfileViolation("the only code_challenge_method is S256")
        }
        guard FreshText.isDigest(challenge) else {
            throw ProfileViolation("code_challenge is no SHA-256 digest in base64url")
        }
    }

    private func checkResponseMode() throws(ProfileViolation) {
        guard let mode = parameters["response_mode"] else {
            // What a request for a code means that does not say it.
            guard rules.responseModes.contains(.query) else {
                throw ProfileViolation("response_mode must say one that the provider supports")
            }
            return
        }
        guard rules.responseModes.contains(where: { $0.rawValue.isExactly(mode) }) else {
            throw ProfileViolation(modes)
        }
    }

    /// Which modes there are, of those that presets have by name; a reason holds no text that is made.
    private var modes: StaticString {
        switch rules.responseModes {
        case [.query]: "the profile's only response_mode is query"
        case [.query, .formPost]: "the profile's response_mode is query or form_post"
        case [.jwt]: "the profile's only response_mode is jwt"
        default:
            // A client of ours learns nothing of our types.
            isProvider
                ? "response_mode is none of those that the provider supports"
                : "response_mode is none of the profile's (authorization.responseModes)"
        }
    }

    private func checkMaximumAge() throws(ProfileViolation) {
        guard let age = parameters["max_age"] else { return }
        guard let seconds = Int64(age), NumericDate.ages ~= seconds,
            String(seconds).isExactly(age)
        else {
            throw ProfileViolation("max_age is a whole number of seconds, 0 to 253402300799")
        }
    }

    private func checkStructured() throws(ProfileViolation) {
        try checkMaximumAge()
        let prompts = parameters.words("prompt")
        if prompts.contains(where: { $0.isExactly("none") }), prompts.count > 1 {
            throw ProfileViolation("prompt=none stands alone")
        }
        try checkDetails()
        try checkIdentityProviderParameters()
    }

    /// RFC 9396, 2 and 5.
    private func checkDetails() throws(ProfileViolation) {
        guard let text = parameters["authorization_details"] else { return }
        guard
            let details = try? JSONValue(message: text, most: ClaimsRequest.maxNodes).array,
            !details.isEmpty, details.allSatisfy({ $0["type"]?.string?.isEmpty == false })
        else {
            throw ProfileViolation(
                "authorization_details is a JSON array of objects with a type each",
                .invalidAuthorizationDetails)
        }
    }

    private func checkIdentityProviderParameters() throws(ProfileViolation) {
        guard let text = parameters["idp_params"] else { return }
        guard let value = try? JSONValue(message: text), value.object != nil else {
            throw ProfileViolation("idp_params is a JSON object")
        }
        guard rules.supportsAppSwitch, let mitID = value["mitid"] else { return }
        guard mitID.object != nil else {
            throw ProfileViolation("mitid of idp_params is a JSON object")
        }
        if let system = mitID["app_switch_os"] {
            guard let name = system.string, name.isExactly("ios") || name.isExactly("android")
            else {
                throw ProfileViolation("app_switch_os is ios or android")
            }
        }
        if let flag = mitID["enable_app_switch"] {
            guard let isOn = flag.bool else {
                throw ProfileViolation("enable_app_switch is true or false")
            }
            guard !isOn || mitID["app_switch_os"] != nil && mitID["app_switch_url"] != nil else {
                throw ProfileViolation("an app switch needs app_switch_os and app_switch_url")
            }
        }
        guard let url = mitID["app_switch_url"] else { return }
        guard let address = url.string, WebURL(address) != nil else {
            throw ProfileViolation("app_switch_url is an https address")
        }
        guard
            signed["idp_params"] != nil
                || appSwitchURIs.contains(where: { $0.isExactly(address) })
        else {
            throw ProfileViolation(
                "an unsigned request may name an app_switch_url of the client's allow-list only")
        }
    }
}

extension LoginHintRule.Format {
    func fits(_ hint: String) -> Bool {
        switch self {
        case .any: return !hint.isEmpty
        case .telephone:
            let parts = hint.utf8.split(
                separator: UInt8(ascii: "+"), omittingEmptySubsequences: false)
            return parts.count == 2 && 1...3 ~= parts[0].count && 4...15 ~= parts[1].count
                && parts.allSatisfy { $0.allSatisfy { 0x30...0x39 ~= $0 } }
        case .operations(let kinds):
            return kinds.joined().contains { LoginHintRule.Format.begins(hint, with: $0) }
        }
    }

    /// Whether the hints together are what the form asks for.
    func isComplete(_ hints: [String]) -> Bool {
        guard case .operations(let kinds) = self else { return true }
        return kinds.contains { kind in
            kind.count == hints.count
                && kind.allSatisfy { beginning in
                    hints.contains { LoginHintRule.Format.begins($0, with: beginning) }
                }
        }
    }

    private static func begins(_ hint: String, with beginning: String) -> Bool {
        hint.utf8.starts(with: beginning.utf8) && hint.utf8.count > beginning.utf8.count
    }
}
