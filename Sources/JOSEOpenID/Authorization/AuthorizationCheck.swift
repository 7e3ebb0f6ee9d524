// Checks the parameters of an authorization request, for relying parties and providers.

import JOSE
import JOSEBytes

struct AuthorizationCheck {
    let rules: AuthorizationRules
    /// A provider passes its effective parameters (`AuthorizationRules.effective`).
    let parameters: OpenIDParameters
    /// The parameters that are in a signed request object.
    let signed: OpenIDParameters
    /// A provider accepts unknown values of `acr_values`.
    let isProvider: Bool
    /// The values of `app_switch_url` that an unsigned request of this client may have.
    let appSwitchURIs: [String]

    /// Checks all rules and returns what the ID Token must contain.
    @discardableResult
    func check() throws(ProfileViolation) -> RequestedClaims {
        try checkForbidden()
        try checkLists()
        guard let type = parameters["response_type"] else {
            throw ProfileViolation("response_type is missing")
        }
        guard type.isExactly("code") else {
            throw ProfileViolation("response_type must be code", .unsupportedResponseType)
        }
        guard let redirect = parameters["redirect_uri"], WebURL.isURIWithoutFragment(redirect)
        else {
            throw ProfileViolation(WebURL.redirectFailure(parameters["redirect_uri"] ?? ""))
        }
        guard !rules.requiresHTTPSRedirect || WebURL(redirect) != nil else {
            throw ProfileViolation("redirect_uri must be an https URL")
        }
        try checkScopes()
        try checkACRValues()
        try checkLoginHints()
        try checkResources()
        try checkState()
        guard parameters["nonce"] != nil || !rules.requiresNonce else {
            throw ProfileViolation("nonce is required")
        }
        try checkPKCE()
        if let thumbprint = parameters["dpop_jkt"], !SHA256String.isWellFormed(thumbprint) {
            throw ProfileViolation("dpop_jkt is not a base64url SHA-256 digest")
        }
        try checkResponseMode()
        try checkMaximumAge()
        let prompts = parameters.words("prompt")
        if prompts.contains(where: { $0.isExactly("none") }), prompts.count > 1 {
            throw ProfileViolation("prompt=none excludes other prompt values")
        }
        try checkDetails()
        try checkIdentityProviderParameters()
        return try RequestedClaims(parameters, rules, isProvider: isProvider)
    }

    /// Checks the rules that also apply to backchannel requests.
    func checkBackchannel() throws(ProfileViolation) -> RequestedClaims {
        try checkLists()
        try checkScopes()
        try checkACRValues()
        try checkResources()
        try checkMaximumAge()
        try checkDetails()
        return try RequestedClaims(parameters, rules, isProvider: isProvider)
    }

    /// RFC 8707, 2 requires absolute URIs without fragment.
    private func checkResources() throws(ProfileViolation) {
        guard parameters.values("resource").allSatisfy(WebURL.isURIWithoutFragment) else {
            throw ProfileViolation(
                "resource must be an absolute URI without fragment", .invalidTarget)
        }
    }

    private func checkForbidden() throws(ProfileViolation) {
        for rule in rules.parameters {
            guard let value = parameters[rule.name] else { continue }
            let isAllowed =
                !rule.values.isEmpty
                && value.words.allSatisfy { word in
                    rule.values.contains { $0.isExactly(word) }
                }
            guard isAllowed else {
                throw ProfileViolation(rule.reason, rule.errorCode ?? .invalidRequest)
            }
        }
    }

    private func checkLists() throws(ProfileViolation) {
        let all = parameters.all.span
        for index in all.indices where !KnownParameter.isWellFormed(all[index]) {
            guard !all[index].name.isExactly("scope") else {
                throw ProfileViolation(KnownParameter.scopeErrorText, .invalidScope)
            }
            throw ProfileViolation(
                "a parameter with a list of words has characters other than visible ASCII")
        }
    }

    private func checkScopes() throws(ProfileViolation) {
        let scopes = parameters.words("scope")
        for required in rules.requiredScopes
        where !scopes.contains(where: { $0.isExactly(required) }) {
            throw ProfileViolation(
                "scope lacks openid or another scope that the provider requires", rules.scopeError)
        }
        for forbidden in rules.forbiddenScopes
        where scopes.contains(where: { $0.isExactly(forbidden) }) {
            throw ProfileViolation("the provider does not grant one of the scopes", .invalidScope)
        }
        let services = scopes.filter { $0.begins(with: "service:") && $0.utf8.count > 8 }
        if rules.requiresServiceScope, services.count != 1 {
            throw ProfileViolation("exactly one scope service:<code> is required", rules.scopeError)
        }
        guard let optional = rules.optionalScopes else { return }
        let known = rules.requiredScopes + optional + (rules.requiresServiceScope ? services : [])
        guard scopes.allSatisfy({ scope in known.contains { $0.isExactly(scope) } }) else {
            throw ProfileViolation("the provider does not support one of the scopes", .invalidScope)
        }
    }

    private func checkACRValues() throws(ProfileViolation) {
        let requested = parameters.words("acr_values")
        if let prefix = rules.acr.methodPrefix {
            guard requested.count == 1, let value = requested.first, value.begins(with: prefix),
                value.utf8.count > prefix.utf8.count
            else { throw ProfileViolation("acr_values must be exactly one method of the provider") }
        }
        guard !rules.acr.weakestFirst.isEmpty else { return }
        let claimed = try RequestedClaims.claimedACRValues(
            parameters, onlyEssential: isProvider && !rules.acr.providerRejectsUnmetVoluntary)
        // A provider may ignore acr_values, but must reject an essential acr in claims that it does
        // not support (OpenID Connect Core, 5.5.1.1).
        guard claimed.isEmpty || !rules.acr.known(claimed).isEmpty else {
            throw ProfileViolation(
                "the provider does not support the acr values", .unmetAuthenticationRequirements)
        }
        guard !isProvider else { return }
        for value in requested + claimed where rules.acr.strength(value) == nil {
            throw ProfileViolation("the provider does not support one of the acr values")
        }
    }

    private func checkLoginHints() throws(ProfileViolation) {
        let hints = parameters.values("login_hint")
        guard hints.count <= rules.loginHint.maxCount else {
            throw ProfileViolation("more login_hint parameters than the provider accepts")
        }
        for hint in hints where !rules.loginHint.format.fits(hint) {
            throw ProfileViolation(
                rules.loginHint.format.expectation, rules.loginHint.errorCode ?? .invalidRequest)
        }
        guard rules.loginHint.format.isComplete(hints) else {
            throw ProfileViolation(
                "the login_hint values must be exactly those of one operation")
        }
    }

    private func checkState() throws(ProfileViolation) {
        guard let state = parameters["state"] else {
            guard !rules.requiresState else { throw ProfileViolation("state is required") }
            return
        }
        guard state.isPrintableASCII else { throw ProfileViolation("state is not printable ASCII") }
        if rules.stateBeginsWithMethod, let method = rules.acr.method(of: parameters) {
            guard state.begins(with: method + ":"), state.utf8.count > method.utf8.count + 1 else {
                throw ProfileViolation("state must be the method, a colon and a random string")
            }
        }
    }

    private func checkPKCE() throws(ProfileViolation) {
        guard let challenge = parameters["code_challenge"] else {
            guard !rules.requiresPKCE else { throw ProfileViolation("code_challenge is required") }
            guard parameters["code_challenge_method"] == nil else {
                throw ProfileViolation("code_challenge_method requires code_challenge")
            }
            return
        }
        guard let method = parameters["code_challenge_method"], method.isExactly("S256") else {
            throw ProfileViolation("code_challenge_method must be S256")
        }
        guard SHA256String.isWellFormed(challenge) else {
            throw ProfileViolation("code_challenge is not a base64url SHA-256 digest")
        }
    }

    private func checkResponseMode() throws(ProfileViolation) {
        guard let mode = parameters["response_mode"] else {
            // `query` is the default of response_type=code.
            guard rules.responseModes.contains(.query) else {
                throw ProfileViolation("response_mode is required: the provider has no query mode")
            }
            return
        }
        guard rules.responseModes.contains(where: { $0.rawValue.isExactly(mode) }) else {
            throw ProfileViolation(responseModeReason)
        }
    }

    /// Reasons are static strings, so only modes of the presets are named.
    private var responseModeReason: StaticString {
        switch rules.responseModes {
        case [.query]: "response_mode must be query"
        case [.query, .formPost]: "response_mode must be query or form_post"
        case [.jwt]: "response_mode must be jwt"
        default:
            // The client's developer reads this text: do not name members of this library.
            isProvider
                ? "the provider does not support this response_mode"
                : "response_mode is not in the profile's authorization.responseModes"
        }
    }

    private func checkMaximumAge() throws(ProfileViolation) {
        guard let age = parameters["max_age"] else { return }
        guard let seconds = Int64(age), NumericDate.durations ~= seconds,
            String(seconds).isExactly(age)
        else {
            throw ProfileViolation("max_age must be 0 to 253402300799 seconds")
        }
    }

    /// RFC 9396, 2 and 5 require an array of objects with a `type`.
    private func checkDetails() throws(ProfileViolation) {
        guard let text = parameters["authorization_details"] else { return }
        guard
            let details = try? JSONValue(message: text, maxNodes: ClaimsRequest.maxNodes).array,
            !details.isEmpty, details.allSatisfy({ $0["type"]?.string?.isEmpty == false })
        else {
            throw ProfileViolation(
                "authorization_details must be a JSON array of objects with a type",
                .invalidAuthorizationDetails)
        }
    }

    private func checkIdentityProviderParameters() throws(ProfileViolation) {
        guard let text = parameters["idp_params"] else { return }
        guard let value = try? JSONValue(message: text), value.object != nil else {
            throw ProfileViolation("idp_params must be a JSON object")
        }
        guard rules.supportsAppSwitch, let mitID = value["mitid"] else { return }
        guard mitID.object != nil else {
            throw ProfileViolation("idp_params.mitid must be a JSON object")
        }
        if let system = mitID["app_switch_os"] {
            guard let name = system.string, name.isExactly("ios") || name.isExactly("android")
            else {
                throw ProfileViolation("app_switch_os must be ios or android")
            }
        }
        if let flag = mitID["enable_app_switch"] {
            guard let isOn = flag.bool else {
                throw ProfileViolation("enable_app_switch must be true or false")
            }
            guard !isOn || mitID["app_switch_os"] != nil && mitID["app_switch_url"] != nil else {
                throw ProfileViolation("enable_app_switch needs app_switch_os and app_switch_url")
            }
        }
        guard let member = mitID["app_switch_url"] else { return }
        guard let url = member.string, WebURL(url) != nil else {
            throw ProfileViolation("app_switch_url must be an https URL")
        }
        guard signed["idp_params"] != nil || appSwitchURIs.contains(where: { $0.isExactly(url) })
        else {
            throw ProfileViolation(
                "app_switch_url of an unsigned request is not in the client's allow-list")
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
        case .operations(let operations):
            return operations.joined().contains { LoginHintRule.Format.begins(hint, with: $0) }
        }
    }

    var expectation: StaticString {
        switch self {
        case .any: "login_hint is empty"
        case .telephone:
            "login_hint must be a telephone number: country code, +, number: 32+123456789"
        case .operations:
            "login_hint must begin with a prefix that the provider defines, followed by a value"
        }
    }

    func isComplete(_ hints: [String]) -> Bool {
        guard case .operations(let operations) = self else { return true }
        return operations.contains { prefixes in
            prefixes.count == hints.count
                && prefixes.allSatisfy { beginning in
                    hints.contains { LoginHintRule.Format.begins($0, with: beginning) }
                }
        }
    }

    private static func begins(_ hint: String, with beginning: String) -> Bool {
        hint.utf8.starts(with: beginning.utf8) && hint.utf8.count > beginning.utf8.count
    }
}
