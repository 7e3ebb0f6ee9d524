// What a profile's rules say in a discovery document, and what those of several profiles say together.

import JOSE
import JOSEBytes

extension OpenIDProfile {
    /// What the profile's rules say in a discovery document.
    var metadataMembers: JSONObject {
        var members: JSONObject = [
            "response_types_supported": ["code"],
            "subject_types_supported": [
                .string(idToken.hasPairwiseSubjects ? "pairwise" : "public")
            ],
            "grant_types_supported": ["authorization_code"], "claims_parameter_supported": true,
            "request_parameter_supported": true,
            "request_uri_parameter_supported": .bool(requestObject.allowsReference),
            "claims_supported": names(claimNames),
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": names(client.methods),
            "response_modes_supported": .array(
                authorization.responseModes.map { .string($0.rawValue) }),
            "scopes_supported": names(scopes),
        ]
        add("id_token", idToken.layers, idTokenAlgorithms.signature, to: &members)
        if let layers = userInfo.layers { add("userinfo", layers, to: &members) }
        let objectLayers = [requestObject.layers] + requestObject.alsoAccepted
        add(
            "request_object",
            objectLayers.contains(.signedThenEncrypted) ? .signedThenEncrypted : .signed,
            to: &members)
        if client.authentication.isAssertion {
            members["token_endpoint_auth_signing_alg_values_supported"] = names(
                algorithms.signature.map(\.name))
        }
        // A provider fetches from registered addresses alone.
        if requestObject.allowsReference { members["require_request_uri_registration"] = true }
        if requestObject.isRequired { members["require_signed_request_object"] = true }
        if accessToken.proofs != .ignored {
            members["dpop_signing_alg_values_supported"] = names(accessToken.dpop.algorithmNames)
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

    /// How users are asked for without a browser (CIBA Core 1.0, 4), by the algorithms of this and the other profiles.
    func addBackchannel(_ others: [OpenIDProfile], to members: inout JSONObject) {
        let grants = members["grant_types_supported"]?.array ?? []
        members["grant_types_supported"] = .array(
            grants + [.string(OpenIDProfile.backchannelGrant)])
        members["backchannel_token_delivery_modes_supported"] = ["poll", "ping"]
        var all: [String] = []
        for name in ([self] + others).flatMap({ $0.algorithms.signature.map(\.name) })
        where !all.contains(where: name.isExactly) { all.append(name) }
        members["backchannel_authentication_request_signing_alg_values_supported"] = names(all)
        members["backchannel_user_code_parameter_supported"] = true
    }

    /// The grant of a user who was asked so.
    static let backchannelGrant = "urn:openid:params:grant-type:ciba"

    /// What introspection answers as tokens are signed and encrypted by (RFC 9701, 7).
    func addIntrospection(to members: inout JSONObject) {
        add("introspection", introspection.layers, to: &members)
    }

    /// The claims that tokens and answers of these rules have or may have; what a provider's users have besides is its own.
    private var claimNames: [String] {
        let registered = ["sub", "iss", "aud", "exp", "iat", "nonce", "auth_time", "acr"]
        let hashes = ["at_hash", "c_hash"]
        return registered
            + hashes.filter { hash in !idToken.omittedClaims.contains { $0.isExactly(hash) } }
            + userInfo.names.all.map(\.preferred)
    }

    /// The scopes that are required, and those that may be there: where any may, those that ask for
    /// claims.
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
        members["\(kind)_signing_alg_values_supported"] = names(
            (signature ?? algorithms.signature).map(\.name))
        guard layers == .signedThenEncrypted else { return }
        members["\(kind)_encryption_alg_values_supported"] = names(
            algorithms.keyManagement.map(\.name))
        members["\(kind)_encryption_enc_values_supported"] = names(algorithms.content.map(\.name))
    }

    private func names(_ names: [String]) -> JSONValue {
        .array(names.map(JSONValue.string))
    }
}

extension JSONObject {
    /// What every client must do; said only where every profile does.
    private static let demands = [
        "require_signed_request_object", "require_pushed_authorization_requests",
    ]

    /// Adds what another profile's rules say: lists are joined, what either has is had.
    mutating func join(_ other: JSONObject) {
        for (name, value) in other {
            if let ours = self[name]?.array, let theirs = value.array {
                self[name] = .array(ours + theirs.filter { !ours.contains($0) })
            } else if let ours = self[name]?.bool, let theirs = value.bool {
                // Only what every client must do is required.
                self[name] = .bool(name.begins(with: "require_") ? ours && theirs : ours || theirs)
            } else if self[name] == nil, !JSONObject.demands.contains(where: name.isExactly) {
                self[name] = value
            }
        }
        for name in JSONObject.demands where other[name] == nil { self[name] = nil }
    }
}
