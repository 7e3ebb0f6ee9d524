// The checks of a discovery document: form, addresses, and whether it offers what a profile needs.

import JOSE
import JOSEBytes

struct MetadataCheck: Sendable {
    let members: JSONObject

    init(_ members: JSONObject) { self.members = members }

    /// The issuer, if it is exactly the expected one and an https address without query.
    func issuer(_ expected: String) throws(JOSEError) -> String {
        guard let issuer = members["issuer"]?.string, issuer.isExactly(expected) else {
            throw .claimRejected(
                "issuer",
                "the document names another issuer than it was asked for; a slash at the end counts"
            )
        }
        guard let address = WebURL(issuer), !address.hasQuery else {
            throw .claimRejected("issuer", "it is no https address without query and fragment")
        }
        return issuer
    }

    func address(_ name: String) throws(JOSEError) -> String {
        guard let value = members[name] else { throw .claimRejected(name, "it is missing") }
        guard let text = value.string, WebURL(text) != nil else {
            throw .claimRejected(name, "it must be an https URL without userinfo and fragment")
        }
        return text
    }

    /// Endpoints that only some providers have must be https URLs too.
    func otherEndpoints() throws(JOSEError) {
        for name in members.names where MetadataCheck.isEndpoint(name) { _ = try address(name) }
    }

    /// Throws for an address whose host is no name of the public Internet.
    func namesPublicHosts() throws(JOSEError) {
        for name in members.names
        where MetadataCheck.isEndpoint(name) || name.isExactly("jwks_uri")
            || name.isExactly("issuer")
        {
            guard let text = members[name]?.string, let address = WebURL(text),
                !address.isLocal
            else {
                throw .claimRejected(
                    name, "its host is an IP address or a local name, and the issuer is not trusted"
                )
            }
        }
    }

    /// The most members that `ProviderMetadata.ignored` lists.
    static let maxIgnored = 64

    /// The flags that the library reads (Discovery 1.0, 3; RFC 9101, 10.5; RFC 9126, 5; RFC 9207,
    /// 3; CIBA Core 1.0, 4).
    private static let flags = [
        "authorization_response_iss_parameter_supported", "require_signed_request_object",
        "require_pushed_authorization_requests", "request_parameter_supported",
        "request_uri_parameter_supported", "claims_parameter_supported",
        "backchannel_user_code_parameter_supported",
    ]

    /// The optional endpoints and the flags that cannot be used, each with the reason.
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
            return WebURL(text) == nil
                ? IgnoredMember(
                    member: name, reason: "it must be an https URL without userinfo and fragment")
                : nil
        }
    }

    /// The list of the provider's algorithms where the client secret signs ID Tokens and the list
    /// lacks HS256. That is no error: providers such as LINE list the algorithms of their own keys,
    /// and the client's registration decides.
    func unusedAlgorithms(_ profile: OpenIDProfile) -> [IgnoredMember] {
        let name = "id_token_signing_alg_values_supported"
        guard profile.idToken.signature == .clientSecretHS256, let list = members[name]?.array,
            !list.contains(where: { $0.string?.isExactly("HS256") == true })
        else { return [] }
        return [
            IgnoredMember(
                member: name,
                reason:
                    "it does not list HS256, which the client must be registered for"
            )
        ]
    }

    private static func isEndpoint(_ name: String) -> Bool {
        name.ends(with: "_endpoint") || name.isExactly("check_session_iframe")
    }

    func fits(_ profile: OpenIDProfile) throws(JOSEError) {
        try offers("response_types_supported", ["code"])
        try offers("subject_types_supported", ["public", "pairwise"])
        if members["scopes_supported"] != nil { try offers("scopes_supported", ["openid"]) }
        // Whether the client secret signs is a matter of the client's registration: a provider with
        // both kinds of clients, such as LINE, lists the algorithms of its own keys.
        try tokens(
            "id_token", profile.idToken.layers, profile.algorithms,
            saysSigning: profile.idToken.signature == .providerKey)
        if let layers = profile.userInfo.layers {
            _ = try address("userinfo_endpoint")
            try tokens("userinfo", layers, profile.algorithms)
        }
        if profile.requestObject.isRequired || profile.requestObject.delivery != .none {
            try requestObjects(profile)
        }
        if profile.requestObject.delivery != .none { try takes(profile.requestObject.delivery) }
        if profile.pushedRequests.isRequired {
            _ = try address("pushed_authorization_request_endpoint")
        }
        // A signed answer names its issuer by itself (JARM, 2.1).
        if profile.authorization.sendsIssuerInResponse,
            !profile.authorization.responseModes.allSatisfy(\.isSigned)
        {
            try sendsIssuerInResponse()
        }
        if profile.authorization.usesJARM { try jarmResponses(profile) }
        try clients(profile)
        if profile.authorization.requiresPKCE { try proofKeys() }
        if profile.accessToken.proofs == .required { try proofs(profile.accessToken.dpop) }
    }

    /// Whether answers may be signed by the profile's algorithms, where the document says by which they are (JARM, 4: these
    /// members may be absent).
    private func jarmResponses(_ profile: OpenIDProfile) throws(JOSEError) {
        let kind = "authorization"
        let isNested = profile.jarm.layers == .signedThenEncrypted
        let rules = profile.algorithms
        let offered: [(String, [String])] = [
            ("signing_alg", rules.signature.map(\.name)),
            ("encryption_alg", isNested ? rules.keyManagement.map(\.name) : []),
            ("encryption_enc", isNested ? rules.content.map(\.name) : []),
        ]
        for (part, wanted) in offered where !wanted.isEmpty {
            let name = "\(kind)_\(part)_values_supported"
            if members[name] != nil { try offers(name, wanted) }
        }
    }

    /// Whether answers name their issuer (RFC 9207, 3).
    private func sendsIssuerInResponse() throws(JOSEError) {
        let name = "authorization_response_iss_parameter_supported"
        guard members[name]?.bool == true else {
            throw .claimRejected(name, "it does not say what the profile demands")
        }
    }

    /// Throws where the document lists response modes without this one. Discovery 1.0, 3 gives an
    /// absent list a meaning, but a caller that names a mode may know its provider better.
    func responses(in mode: ResponseMode) throws(JOSEError) {
        guard members["response_modes_supported"] != nil else { return }
        try offers("response_modes_supported", [mode.rawValue])
    }

    /// Whether the document lists this response mode.
    func lists(_ mode: ResponseMode) -> Bool {
        (members["response_modes_supported"]?.array ?? []).contains {
            $0.string?.isExactly(mode.rawValue) ?? false
        }
    }

    /// Throws where requests must be pushed.
    func takesUnpushed() throws(JOSEError) {
        let name = "require_pushed_authorization_requests"
        guard members[name]?.bool != true else {
            throw .claimRejected(name, "the provider takes pushed requests only")
        }
    }

    /// Whether users are asked for without a browser, and a client learns of it in this way (CIBA Core 1.0, 4).
    func backchannel(
        _ delivery: BackchannelDelivery, isSigned: Bool, hasUserCode: Bool, _ profile: OpenIDProfile
    ) throws(JOSEError) {
        try offers("backchannel_token_delivery_modes_supported", [delivery.rawValue])
        if isSigned {
            try offers(
                "backchannel_authentication_request_signing_alg_values_supported",
                profile.algorithms.signature.map(\.name))
        }
        let name = "backchannel_user_code_parameter_supported"
        guard !hasUserCode || members[name]?.bool == true else {
            throw .claimRejected(name, "the provider takes no user_code")
        }
    }

    /// Whether S256 is offered where the document says what is.
    func proofKeys() throws(JOSEError) {
        guard members["code_challenge_methods_supported"] != nil else { return }
        try offers("code_challenge_methods_supported", ["S256"])
    }

    /// Whether proofs of possession are taken by an algorithm of ours (RFC 9449, 5.1).
    func proofs(_ rules: DPoPRules) throws(JOSEError) {
        try offers("dpop_signing_alg_values_supported", rules.algorithmNames)
    }

    /// Whether requests may travel in objects of the profile's layers, where the document says by
    /// which algorithms they may be signed: the member is optional (Discovery 1.0, 3).
    func requestObjects(_ profile: OpenIDProfile) throws(JOSEError) {
        let isSaid = members["request_object_signing_alg_values_supported"] != nil
        guard isSaid || profile.requestObject.layers == .signedThenEncrypted else { return }
        try tokens(
            "request_object", profile.requestObject.layers, profile.algorithms,
            saysSigning: isSaid)
    }

    /// Whether the document does not say that requests of this way are not taken (Discovery 1.0, 3; RFC 9101, 10.5).
    func takes(_ delivery: RequestObjectDelivery) throws(JOSEError) {
        let (name, rejection) =
            switch delivery {
            case .none: ("require_signed_request_object", true)
            case .byValue: ("request_parameter_supported", false)
            case .byReference: ("request_uri_parameter_supported", false)
            }
        guard members[name]?.bool != rejection else {
            throw .claimRejected(name, "the provider takes no requests of this way")
        }
    }

    private func clients(_ profile: OpenIDProfile) throws(JOSEError) {
        let methods = "token_endpoint_auth_methods_supported"
        // Absent means client_secret_basic (Discovery 1.0, 3). Providers that serve public clients
        // seldom list none.
        let isPublic = profile.client.authentication == .publicClient
        if !isPublic, members[methods] != nil || profile.client.authentication != .basic {
            let isRegistered =
                profile.client.sendsSecretInForm && profile.client.authentication == .basic
            try offers(
                methods,
                isRegistered ? [ClientAuthentication.secretInForm] : profile.client.methods)
        }
        let algorithms = "token_endpoint_auth_signing_alg_values_supported"
        if profile.client.authentication.isAssertion, members[algorithms] != nil {
            try offers(algorithms, profile.algorithms.signature.map(\.name))
        }
    }

    private func tokens(
        _ kind: String, _ layers: TokenLayers, _ algorithms: AlgorithmRules,
        saysSigning: Bool = true
    ) throws(JOSEError) {
        if saysSigning {
            try offers(
                "\(kind)_signing_alg_values_supported", algorithms.signature.map(\.name))
        }
        guard layers == .signedThenEncrypted else { return }
        try offers(
            "\(kind)_encryption_alg_values_supported",
            algorithms.keyManagement.map(\.name))
        try offers(
            "\(kind)_encryption_enc_values_supported", algorithms.content.map(\.name))
    }

    /// A list of texts that holds one of the wanted at the least.
    private func offers(_ name: String, _ wanted: [String]) throws(JOSEError) {
        guard let list = members[name]?.array else {
            throw .claimRejected(
                name, members[name] == nil ? "it is missing" : "it is not an array")
        }
        var isFound = false
        for element in list {
            guard let text = element.string else {
                throw .claimRejected(name, "it holds something that is not a string")
            }
            if wanted.contains(where: { $0.isExactly(text) }) { isFound = true }
        }
        guard isFound else {
            throw MetadataCheck.lacks(name, wanted)
        }
    }

    /// The error for a list without any of the wanted values, of which it names the first two.
    private static func lacks(_ name: String, _ wanted: [String]) -> JOSEError {
        let known = wanted.compactMap(constant)
        guard let first = known.first else {
            return .claimRejected(name, "it does not list what the profile needs")
        }
        // Which member of a profile decides is named where a provider often has another.
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

    /// The value as a constant, which an error may name; nil for one that is not registered.
    private static func constant(_ value: String) -> StaticString? {
        words.first { value.isExactly($0) } ?? SignatureAlgorithm(name: value)?.word
            ?? KeyManagementAlgorithm(name: value)?.word
            ?? ContentEncryptionAlgorithm(name: value)?.word
    }

    /// Values of the lists of a discovery document that are no algorithms.
    private static let words: [StaticString] = [
        "code", "public", "pairwise", "openid", "S256", "private_key_jwt", "client_secret_basic",
        "client_secret_post", "query", "form_post", "jwt", "query.jwt", "fragment.jwt",
        "form_post.jwt", "poll", "ping",
    ]
}
