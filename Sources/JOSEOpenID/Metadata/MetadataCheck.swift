// Checks a discovery document: types, URLs, and support for a profile.

import JOSE
import JOSEBytes

struct MetadataCheck: Sendable {
    let members: JSONObject
    /// Whether `http` URLs of this machine are allowed. True only if `issuer` is such a URL: the
    /// document of an https issuer must not name services of this machine.
    private let allowsLoopbackHTTP: Bool

    init(_ members: JSONObject, allowsLoopbackHTTP: Bool) {
        self.members = members
        self.allowsLoopbackHTTP =
            allowsLoopbackHTTP && members["issuer"]?.string?.begins(with: "http://") == true
    }

    private func webURL(_ text: String) -> WebURL? {
        WebURL(text, allowsLoopbackHTTP: allowsLoopbackHTTP)
    }

    /// Returns the issuer, which must be exactly the expected one and an allowed URL without query.
    func issuer(_ expected: String) throws(JOSEError) -> String {
        guard let issuer = members["issuer"]?.string, issuer.isExactly(expected) else {
            throw .claimRejected(
                "issuer",
                "the document names another issuer than requested; a trailing slash counts"
            )
        }
        guard let url = webURL(issuer), !url.hasQuery else {
            throw .claimRejected("issuer", "it must be an https URL without query and fragment")
        }
        return issuer
    }

    func url(_ name: String) throws(JOSEError) -> String {
        guard let value = members[name] else { throw .claimRejected(name, "it is missing") }
        guard let text = value.string, webURL(text) != nil else {
            throw .claimRejected(name, "it must be an https URL without userinfo and fragment")
        }
        return text
    }

    func checkOtherEndpoints() throws(JOSEError) {
        for name in members.names where MetadataCheck.isEndpoint(name) { _ = try url(name) }
    }

    /// Rejects `http`, and URLs whose host is an IP address or a local name.
    func checkPublicHosts() throws(JOSEError) {
        for name in members.names
        where MetadataCheck.isEndpoint(name) || name.isExactly("jwks_uri")
            || name.isExactly("issuer")
        {
            guard let text = members[name]?.string, let url = WebURL(text),
                !url.hasAddressOrLocalName
            else {
                throw .claimRejected(
                    name, "its host is an IP address or a local name, and the issuer is untrusted"
                )
            }
        }
    }

    static let maxIgnored = 64

    /// The Boolean members that this library reads (Discovery 1.0, 3; RFC 9101, 10.5; RFC 9126, 5;
    /// RFC 9207, 3; CIBA Core 1.0, 4).
    private static let flags = [
        "authorization_response_iss_parameter_supported", "require_signed_request_object",
        "require_pushed_authorization_requests", "request_parameter_supported",
        "request_uri_parameter_supported", "claims_parameter_supported",
        "backchannel_user_code_parameter_supported",
    ]

    /// Returns optional endpoints and Boolean members whose values are unusable.
    func unusableMembers() -> [IgnoredMember] {
        let needed = ["authorization_endpoint", "token_endpoint"]
        return members.names.compactMap { name in
            if MetadataCheck.flags.contains(where: name.isExactly) {
                return members[name]?.bool == nil
                    ? IgnoredMember(member: name, reason: "it is not a boolean") : nil
            }
            guard MetadataCheck.isEndpoint(name), !needed.contains(where: name.isExactly) else {
                return nil
            }
            guard let text = members[name]?.string else {
                return IgnoredMember(member: name, reason: "it is not a string")
            }
            guard !text.isEmpty else { return IgnoredMember(member: name, reason: "it is empty") }
            return webURL(text) == nil
                ? IgnoredMember(
                    member: name, reason: "it must be an https URL without userinfo and fragment")
                : nil
        }
    }

    /// Returns a note if the client secret signs ID Tokens, but the provider does not list HS256.
    /// It is no error: providers such as LINE list only the algorithms of their own keys.
    func missingHS256(_ profile: OpenIDProfile) -> [IgnoredMember] {
        let name = "id_token_signing_alg_values_supported"
        guard profile.idToken.signature == .clientSecretHS256, let list = members[name]?.array,
            !list.contains(where: { $0.string?.isExactly("HS256") == true })
        else { return [] }
        return [
            IgnoredMember(
                member: name,
                reason: """
                    it does not list HS256: the client must be registered with \
                    id_token_signed_response_alg HS256
                    """)
        ]
    }

    private static func isEndpoint(_ name: String) -> Bool {
        name.ends(with: "_endpoint") || name.isExactly("check_session_iframe")
    }

    /// Checks client authentication and proofs only, for a server without OpenID Connect.
    func checkClients(_ profile: OpenIDProfile) throws(JOSEError) {
        try checkClientAuthentication(profile)
        if profile.accessToken.proofs == .required { try checkDPoP(profile.accessToken.dpop) }
    }

    /// Throws `claimRejected` with the first member that shows a lack of support for the profile.
    func check(_ profile: OpenIDProfile) throws(JOSEError) {
        try requireAny("response_types_supported", ["code"])
        try requireAny("subject_types_supported", ["public", "pairwise"])
        if members["scopes_supported"] != nil { try requireAny("scopes_supported", ["openid"]) }
        // If the client secret signs, the list need not contain HS256; see `missingHS256`.
        try checkTokens(
            "id_token", profile.idToken.layers, profile.algorithms,
            requiresSigning: profile.idToken.signature == .providerKey)
        if let layers = profile.userInfo.layers {
            _ = try url("userinfo_endpoint")
            try checkTokens("userinfo", layers, profile.algorithms)
        }
        if profile.requestObject.isRequired || profile.requestObject.delivery != .none {
            try checkRequestObjects(profile)
        }
        if profile.requestObject.delivery != .none {
            try checkAccepts(delivery: profile.requestObject.delivery)
        }
        if profile.pushedRequests.isRequired {
            _ = try url("pushed_authorization_request_endpoint")
        }
        // A JARM response contains the issuer anyway (JARM, 2.1).
        if profile.authorization.sendsIssuerInResponse,
            !profile.authorization.responseModes.allSatisfy(\.isSigned)
        {
            let name = "authorization_response_iss_parameter_supported"
            guard members[name]?.bool == true else {
                throw .claimRejected(name, "it must be true for this profile")
            }
        }
        if profile.authorization.usesJARM { try checkJARM(profile) }
        try checkClientAuthentication(profile)
        if profile.authorization.requiresPKCE { try checkPKCE() }
        if profile.accessToken.proofs == .required { try checkDPoP(profile.accessToken.dpop) }
    }

    /// Checks the algorithms of JARM responses. Absent members are accepted (JARM, 4).
    private func checkJARM(_ profile: OpenIDProfile) throws(JOSEError) {
        let isNested = profile.jarm.layers == .signedThenEncrypted
        let rules = profile.algorithms
        let required: [(String, [String])] = [
            ("signing_alg", rules.signature.map(\.name)),
            ("encryption_alg", isNested ? rules.keyManagement.map(\.name) : []),
            ("encryption_enc", isNested ? rules.content.map(\.name) : []),
        ]
        for (part, values) in required where !values.isEmpty {
            let name = "authorization_\(part)_values_supported"
            if members[name] != nil { try requireAny(name, values) }
        }
    }

    /// Without `response_modes_supported`, accepts every mode, not only those that Discovery
    /// assumes then: the caller may know the provider better.
    func checkAccepts(responseMode mode: ResponseMode) throws(JOSEError) {
        guard members["response_modes_supported"] != nil else { return }
        try requireAny("response_modes_supported", [mode.rawValue])
    }

    func lists(_ mode: ResponseMode) -> Bool {
        (members["response_modes_supported"]?.array ?? []).contains {
            $0.string?.isExactly(mode.rawValue) ?? false
        }
    }

    func checkAcceptsUnpushed() throws(JOSEError) {
        let name = "require_pushed_authorization_requests"
        guard members[name]?.bool != true else {
            throw .claimRejected(name, "the provider accepts only pushed requests")
        }
    }

    /// Checks that the provider supports a backchannel request (CIBA Core 1.0, 4).
    func checkBackchannel(
        _ delivery: BackchannelDelivery, isSigned: Bool, hasUserCode: Bool, _ profile: OpenIDProfile
    ) throws(JOSEError) {
        try requireAny("backchannel_token_delivery_modes_supported", [delivery.rawValue])
        if isSigned {
            try requireAny(
                "backchannel_authentication_request_signing_alg_values_supported",
                profile.algorithms.signature.map(\.name))
        }
        let name = "backchannel_user_code_parameter_supported"
        guard !hasUserCode || members[name]?.bool == true else {
            throw .claimRejected(name, "the provider does not accept user_code")
        }
    }

    /// Throws if the list of methods lacks S256. An absent list is accepted.
    func checkPKCE() throws(JOSEError) {
        guard members["code_challenge_methods_supported"] != nil else { return }
        try requireAny("code_challenge_methods_supported", ["S256"])
    }

    func checkDPoP(_ rules: DPoPRules) throws(JOSEError) {
        try requireAny("dpop_signing_alg_values_supported", rules.algorithmNames)
    }

    /// The list of signature algorithms of request objects may be absent (Discovery 1.0, 3).
    func checkRequestObjects(_ profile: OpenIDProfile) throws(JOSEError) {
        let isListed = members["request_object_signing_alg_values_supported"] != nil
        guard isListed || profile.requestObject.layers == .signedThenEncrypted else { return }
        try checkTokens(
            "request_object", profile.requestObject.layers, profile.algorithms,
            requiresSigning: isListed)
    }

    /// Throws if the document forbids this delivery (Discovery 1.0, 3; RFC 9101, 10.5).
    func checkAccepts(delivery: RequestObjectDelivery) throws(JOSEError) {
        switch delivery {
        case .none:
            let name = "require_signed_request_object"
            guard members[name]?.bool != true else {
                throw .claimRejected(name, "it is true: send a request object")
            }
        case .byValue, .byReference:
            let name =
                delivery == .byValue
                ? "request_parameter_supported" : "request_uri_parameter_supported"
            guard members[name]?.bool != false else {
                throw .claimRejected(name, "it is false: choose another delivery")
            }
        }
    }

    private func checkClientAuthentication(_ profile: OpenIDProfile) throws(JOSEError) {
        let methods = "token_endpoint_auth_methods_supported"
        // An absent list means client_secret_basic (Discovery 1.0, 3). `none` need not be listed:
        // few providers with public clients list it.
        let isPublic = profile.client.authentication == .publicClient
        if !isPublic, members[methods] != nil || profile.client.authentication != .basic {
            let needsPost =
                profile.client.sendsSecretInForm && profile.client.authentication == .basic
            try requireAny(
                methods,
                needsPost ? [ClientAuthentication.secretInForm] : profile.client.methods)
        }
        let algorithms = "token_endpoint_auth_signing_alg_values_supported"
        if profile.client.authentication.isAssertion, members[algorithms] != nil {
            try requireAny(algorithms, profile.algorithms.signature.map(\.name))
        }
    }

    private func checkTokens(
        _ kind: String, _ layers: TokenLayers, _ algorithms: AlgorithmRules,
        requiresSigning: Bool = true
    ) throws(JOSEError) {
        if requiresSigning {
            try requireAny(
                "\(kind)_signing_alg_values_supported", algorithms.signature.map(\.name))
        }
        guard layers == .signedThenEncrypted else { return }
        try requireAny(
            "\(kind)_encryption_alg_values_supported",
            algorithms.keyManagement.map(\.name))
        try requireAny(
            "\(kind)_encryption_enc_values_supported", algorithms.content.map(\.name))
    }

    private func requireAny(_ name: String, _ values: [String]) throws(JOSEError) {
        guard let list = members[name]?.array else {
            throw .claimRejected(
                name, members[name] == nil ? "it is missing" : "it is not an array")
        }
        var isFound = false
        for element in list {
            guard let text = element.string else {
                throw .claimRejected(name, "an element is not a string")
            }
            if values.contains(where: { $0.isExactly(text) }) { isFound = true }
        }
        guard isFound else {
            throw MetadataCheck.missingValuesError(name, values)
        }
    }

    /// The error names the first two of the missing values.
    private static func missingValuesError(_ name: String, _ values: [String]) -> JOSEError {
        let known = values.compactMap(staticName)
        guard let first = known.first else {
            return .claimRejected(name, "it does not list a value that the profile requires")
        }
        // For this list, where providers often differ, the error also names the profile's option.
        if name.isExactly("token_endpoint_auth_methods_supported") {
            return known.count > 1
                ? .claimRejected(
                    name, "it lists neither {} nor {} (client.authentication)", .name(first),
                    .name(known[1]))
                : .claimRejected(name, "it does not list {} (client.authentication)", .name(first))
        }
        guard known.count > 1 else {
            return .claimRejected(name, "it does not list {}", .name(first))
        }
        return known.count == 2
            ? .claimRejected(name, "it lists neither {} nor {}", .name(first), .name(known[1]))
            : .claimRejected(
                name, "it lists none of the profile's values, such as {} and {}", .name(first),
                .name(known[1]))
    }

    /// Returns a value as the static string that an error can contain; nil for other values.
    private static func staticName(_ value: String) -> StaticString? {
        words.first { value.isExactly($0) } ?? SignatureAlgorithm(name: value)?.staticName
            ?? KeyManagementAlgorithm(name: value)?.staticName
            ?? ContentEncryptionAlgorithm(name: value)?.staticName
    }

    /// Values in the lists of discovery documents, except algorithms.
    private static let words: [StaticString] = [
        "code", "public", "pairwise", "openid", "S256", "private_key_jwt", "client_secret_basic",
        "client_secret_post", "query", "form_post", "jwt", "query.jwt", "fragment.jwt",
        "form_post.jwt", "poll", "ping",
    ]
}
