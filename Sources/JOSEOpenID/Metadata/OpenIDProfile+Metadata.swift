// The members of a discovery document that follow from profiles.

import JOSE
import JOSEBytes

extension OpenIDProfile {
    var metadataMembers: JSONObject {
        var members: JSONObject = [
            "response_types_supported": ["code"],
            "subject_types_supported": [
                .string(idToken.hasPairwiseSubjects ? "pairwise" : "public")
            ],
            "grant_types_supported": accessToken.hasClientCredentials
                ? ["authorization_code", "client_credentials"] : ["authorization_code"],
            "claims_parameter_supported": true,
            "request_parameter_supported": true,
            "request_uri_parameter_supported": .bool(requestObject.allowsReference),
            "claims_supported": .strings(claimNames),
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": .strings(client.methods),
            "response_modes_supported": .array(
                authorization.responseModes.map { .string($0.rawValue) }),
            "scopes_supported": .strings(scopes),
        ]
        add("id_token", idToken.layers, idTokenAlgorithms.signature, to: &members)
        if let layers = userInfo.layers { add("userinfo", layers, to: &members) }
        let objectLayers = [requestObject.layers] + requestObject.alsoAccepted
        add(
            "request_object",
            objectLayers.contains(.signedThenEncrypted) ? .signedThenEncrypted : .signed,
            to: &members)
        if client.authentication.isAssertion {
            members["token_endpoint_auth_signing_alg_values_supported"] = .strings(
                algorithms.signature.map(\.name))
        }
        // A provider fetches only registered request URIs.
        if requestObject.allowsReference { members["require_request_uri_registration"] = true }
        if requestObject.isRequired { members["require_signed_request_object"] = true }
        if accessToken.proofs != .ignored {
            members["dpop_signing_alg_values_supported"] = .strings(accessToken.dpop.algorithmNames)
        }
        if authorization.sendsIssuerInResponse {
            members["authorization_response_iss_parameter_supported"] = true
        }
        if pushedRequests.isRequired { members["require_pushed_authorization_requests"] = true }
        if authorization.usesJARM {
            add("authorization", jarm.layers, to: &members)
        }
        if !authorization.acr.weakestFirst.isEmpty {
            members["acr_values_supported"] = .array(
                authorization.acr.weakestFirst.map(JSONValue.string))
        }
        return members
    }

    /// Adds the members of CIBA Core 1.0, 4, with the algorithms of all profiles.
    func addBackchannel(_ others: [OpenIDProfile], to members: inout JSONObject) {
        let grants = members["grant_types_supported"]?.array ?? []
        members["grant_types_supported"] = .array(
            grants + [.string(OpenIDProfile.backchannelGrant)])
        members["backchannel_token_delivery_modes_supported"] = ["poll", "ping"]
        var all: [String] = []
        for name in ([self] + others).flatMap({ $0.algorithms.signature.map(\.name) })
        where !all.contains(where: name.isExactly) { all.append(name) }
        members["backchannel_authentication_request_signing_alg_values_supported"] = .strings(all)
        members["backchannel_user_code_parameter_supported"] = true
    }

    /// The `grant_type` of CIBA Core 1.0, 10.1.
    static let backchannelGrant = "urn:openid:params:grant-type:ciba"

    /// Adds the algorithms of RFC 9701, 7.
    func addIntrospection(to members: inout JSONObject) {
        add("introspection", introspection.layers, to: &members)
    }

    /// The claims that the library sets, and the profile's names for user claims.
    private var claimNames: [String] {
        let registered = ["sub", "iss", "aud", "exp", "iat", "nonce", "auth_time", "acr"]
        let hashes = ["at_hash", "c_hash"]
        return registered
            + hashes.filter { hash in !idToken.omittedClaims.contains { $0.isExactly(hash) } }
            + userInfo.names.all.map(\.preferred)
    }

    /// The required scopes, then `optionalScopes` (if nil, the scopes that request claims).
    private var scopes: [String] {
        let rules = authorization
        var scopes = rules.requiredScopes
        for scope in rules.optionalScopes ?? userInfo.scopeClaims.scopes
        where !(scopes + rules.forbiddenScopes).contains(where: scope.isExactly) {
            scopes.append(scope)
        }
        return scopes
    }

    private func add(
        _ kind: String, _ layers: TokenLayers, _ signature: [SignatureAlgorithm]? = nil,
        to members: inout JSONObject
    ) {
        members["\(kind)_signing_alg_values_supported"] = .strings(
            (signature ?? algorithms.signature).map(\.name))
        guard layers == .signedThenEncrypted else { return }
        members["\(kind)_encryption_alg_values_supported"] = .strings(
            algorithms.keyManagement.map(\.name))
        members["\(kind)_encryption_enc_values_supported"] = .strings(
            algorithms.content.map(\.name))
    }
}

extension JSONObject {
    /// Requirements are listed only if all profiles have them. `require_request_uri_registration`
    /// is not one of them: it applies only to requests by `request_uri`, so any profile may add it.
    private static let requirements = [
        "require_signed_request_object", "require_pushed_authorization_requests",
    ]

    /// Joins lists, sets a flag if either object sets it, and keeps requirements that both have.
    mutating func mergeMetadata(_ other: JSONObject) {
        for (name, value) in other {
            if let own = self[name]?.array, let others = value.array {
                self[name] = .array(own + others.filter { !own.contains($0) })
            } else if let own = self[name]?.bool, let other = value.bool {
                self[name] = .bool(own || other)
            } else if self[name] == nil, !JSONObject.requirements.contains(where: name.isExactly) {
                self[name] = value
            }
        }
        for name in JSONObject.requirements where other[name] == nil { self[name] = nil }
    }
}
