// Clients from a file, with members of OpenID Connect Dynamic Client Registration 1.0, section 2.

import Agreement
import Foundation
import JOSE
import JOSEOpenID

/// The registered metadata of a client. A real provider stores it in its database.
struct ClientMetadata {
    let clientID: String
    /// The URL of the client's keys; nil if it needs none, or has them in `jwks`.
    let jwksURI: String?
    /// The keys of `jwks`; empty if it is absent.
    let keys: PublicJWKSet
    private let members: JSONObject

    /// The members that this provider acts on.
    private static let known = [
        "client_id", "client_secret", "redirect_uris", "jwks_uri", "jwks",
        "token_endpoint_auth_method", "token_endpoint_auth_signing_alg",
        "id_token_signed_response_alg", "id_token_encrypted_response_alg",
        "id_token_encrypted_response_enc", "userinfo_signed_response_alg",
        "userinfo_encrypted_response_alg", "userinfo_encrypted_response_enc",
        "request_object_signing_alg", "request_object_encryption_alg",
        "request_object_encryption_enc", "request_uris",
        "require_pushed_authorization_requests", "require_signed_request_object",
        "authorization_signed_response_alg", "response_types", "grant_types", "subject_type",
        // Not in the specification: clients without PKCE, and clients whose request objects lack
        // claims that the profile requires.
        "require_code_challenge", "lenient_request_objects",
    ]

    /// Members without effect on this provider. Other members are rejected, since they would be
    /// rules that it does not follow.
    private static let harmless = [
        "client_name", "client_uri", "logo_uri", "policy_uri", "tos_uri", "contacts",
        "application_type", "software_id", "software_version", "scope", "require_auth_time",
        "default_acr_values", "initiate_login_uri", "post_logout_redirect_uris",
    ]

    /// Reads a JSON array of clients.
    static func read(_ path: String) throws -> [ClientMetadata] {
        guard let text = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
            throw Disagreement(description: "--clients: \(path) cannot be read")
        }
        guard let clients = try? JSONDecoder().decode([JSONObject].self, from: text) else {
            throw Disagreement(
                description: "--clients: \(path) is not a JSON array of objects")
        }
        return try clients.map(ClientMetadata.init)
    }

    private init(_ members: JSONObject) throws {
        guard let clientID = members["client_id"]?.string else {
            throw Disagreement(description: "a client needs a client_id")
        }
        self.clientID = clientID
        self.members = members
        jwksURI = members["jwks_uri"]?.string
        let set = members["jwks"].map {
            String(decoding: (try? JSONEncoder().encode($0)) ?? Data(), as: UTF8.self)
        }
        keys = try PublicJWKSet(json: set ?? #"{"keys":[]}"#)
        if jwksURI == nil, members["jwks_uri"] != nil { throw failure("jwks_uri") }
        // RFC 7591, 2: only one of them.
        if jwksURI != nil, set != nil { throw failure("jwks", "it is there beside jwks_uri") }
        let all = ClientMetadata.known + ClientMetadata.harmless
        if let name = members.names.first(where: { !all.contains($0) }) { throw failure(name) }
        try accepts("subject_type", ["public"])
        for (name, value) in [("response_types", "code"), ("grant_types", "authorization_code")]
        where members[name] != nil {
            let values = try texts(name)
            // Other grants, such as refresh_token, may be registered but are not supported.
            guard values.contains(value), name == "grant_types" || values.count == 1 else {
                throw failure(name, values.joined(separator: ", "), [value])
            }
        }
    }

    /// Returns the provider's profile with the rules that this client registered.
    ///
    /// - Parameter keys: The provider's keys, which determine the algorithms it signs with.
    func profile(_ rules: OpenIDProfile, _ keys: JWKSet) throws -> OpenIDProfile {
        var rules = rules
        rules.name += " for " + clientID
        rules.client.sendsSecretInForm = false
        switch try text("token_endpoint_auth_method") {
        case nil: break
        case "client_secret_basic": rules.client.authentication = .basic
        case "client_secret_post":
            rules.client.authentication = .basic
            rules.client.sendsSecretInForm = true
        case "private_key_jwt":
            if rules.client.authentication == .basic {
                rules.client.authentication = .assertion(.signed)
            }
            // Many clients still use the token endpoint as the audience of assertions (RFC 7523,
            // 3).
            rules.client.otherAudiences = [.issuer, .tokenEndpoint]
        case "none": rules.client.authentication = .publicClient
        case let method?:
            throw failure(
                "token_endpoint_auth_method", method,
                ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"])
        }
        rules.client.allowsSecretInForm = rules.client.sendsSecretInForm
        try checkAlgorithms(rules, keys)
        if try text("id_token_encrypted_response_alg") != nil {
            rules.idToken.layers = .signedThenEncrypted
        }
        if try text("userinfo_signed_response_alg") != nil { rules.userInfo.layers = .signed }
        if try text("userinfo_encrypted_response_alg") != nil {
            rules.userInfo.layers = .signedThenEncrypted
        }
        if try text("request_object_encryption_alg") != nil {
            rules.requestObject.layers = .signedThenEncrypted
        }
        if let content = try contentEncryption(rules) {
            rules.algorithms.content = [content] + rules.algorithms.content.filter { $0 != content }
        }
        if try flag("lenient_request_objects") == true {
            // OpenID Connect Core, 6.1 allows it: many clients write neither exp nor cty.
            rules.requestObject.requiredClaims = []
            rules.requestObject.header.requiresContentType = false
        }
        if let isRequired = try flag("require_code_challenge") {
            rules.authorization.requiresPKCE = isRequired
        }
        let needsKeys =
            ![.basic, .publicClient].contains(rules.client.authentication)
            || rules.idToken.layers == .signedThenEncrypted
            || rules.userInfo.layers == .signedThenEncrypted
        if needsKeys, jwksURI == nil, members["jwks"] == nil { throw failure("jwks_uri") }
        return rules
    }

    /// Throws for an unsupported algorithm, which would otherwise be replaced by another.
    private func checkAlgorithms(_ rules: OpenIDProfile, _ keys: JWKSet) throws {
        let algorithms = rules.algorithms
        // The first key that can sign signs everything.
        let signing = keys.keys.lazy.compactMap { key in
            algorithms.signature.first { (try? JWTIssuer(key: key, algorithm: $0)) != nil }
        }.first
        for name in ["id_token", "userinfo", "authorization"] {
            try accepts(name + "_signed_response_alg", [signing?.name ?? ""])
        }
        for name in ["request_object_signing_alg", "token_endpoint_auth_signing_alg"] {
            try accepts(name, algorithms.signature.map(\.name))
        }
        for name in [
            "id_token_encrypted_response", "userinfo_encrypted_response",
            "request_object_encryption",
        ] {
            try accepts(name + "_alg", algorithms.keyManagement.map(\.name))
            try accepts(name + "_enc", algorithms.content.map(\.name))
            if members[name + "_enc"] != nil, members[name + "_alg"] == nil {
                throw failure(name + "_enc", "it is there without \(name)_alg")
            }
        }
    }

    /// Returns the content encryption for this client, A128CBC-HS256 by default (Dynamic Client
    /// Registration, 2); nil if nothing is encrypted.
    private func contentEncryption(_ rules: OpenIDProfile) throws -> ContentEncryptionAlgorithm? {
        let kinds = ["id_token", "userinfo"].filter {
            members[$0 + "_encrypted_response_alg"] != nil
        }
        let names = try kinds.map { try text($0 + "_encrypted_response_enc") ?? "A128CBC-HS256" }
        guard let name = names.first else { return nil }
        guard let content = rules.algorithms.content.first(where: { $0.name == name }),
            names.allSatisfy({ $0 == name })
        else {
            throw failure(
                kinds[0] + "_encrypted_response_enc", names.joined(separator: " and "),
                rules.algorithms.content.map(\.name))
        }
        return content
    }

    /// Returns the registration with the profile of `profile(_:_:)`.
    func registration(_ profile: OpenIDProfile) throws -> ClientRegistration {
        let redirectURIs = try texts("redirect_uris")
        guard !redirectURIs.isEmpty else { throw failure("redirect_uris") }
        var registration = ClientRegistration(
            clientID: clientID, redirectURIs: redirectURIs,
            secret: try text("client_secret").map(ClientSecret.init))
        registration.sendsSecretInForm = profile.client.sendsSecretInForm
        // Clients append a new query, or a path segment.
        registration.requestURIRules = try texts("request_uris").map { .below($0) }
        registration.profile = profile
        registration.requiresPushedRequests =
            try flag("require_pushed_authorization_requests") ?? false
        registration.requiresSignedRequestObject =
            try flag("require_signed_request_object") ?? false
        if let name = try text("authorization_signed_response_alg") {
            registration.jarmAlgorithm =
                profile.algorithms.signature.first { $0.name == name }
        }
        let encryption = try ["id_token", "userinfo"].compactMap {
            try text($0 + "_encrypted_response_alg")
        }
        if let name = encryption.first {
            let algorithm = profile.algorithms.keyManagement.first { $0.name == name }
            guard let algorithm, encryption.allSatisfy({ $0 == name }) else {
                throw failure(
                    "id_token_encrypted_response_alg", encryption.joined(separator: " and "), [])
            }
            registration.keyManagement = [algorithm]
        }
        return registration
    }

    private func text(_ name: String) throws -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.string else { throw failure(name) }
        return text
    }

    private func flag(_ name: String) throws -> Bool? {
        guard let value = members[name] else { return nil }
        guard let flag = value.bool else { throw failure(name) }
        return flag
    }

    private func texts(_ name: String) throws -> [String] {
        guard let value = members[name] else { return [] }
        guard let texts = value.array?.map(\.string), !texts.contains(nil) else {
            throw failure(name)
        }
        return texts.compactMap(\.self)
    }

    /// Throws for another value than these.
    private func accepts(_ name: String, _ values: [String]) throws {
        guard let value = try text(name), !values.contains(value) else { return }
        throw failure(name, value, values)
    }

    private func failure(_ name: String) -> Disagreement {
        Disagreement(description: "\(clientID): \(name) is not what this provider can do")
    }

    private func failure(_ name: String, _ reason: String) -> Disagreement {
        Disagreement(description: "\(clientID): \(name): \(reason)")
    }

    /// - Parameter values: The supported values.
    private func failure(_ name: String, _ value: String, _ values: [String]) -> Disagreement {
        let known = values.isEmpty ? "" : "; it has \(values.joined(separator: ", "))"
        return Disagreement(
            description: "\(clientID): \(name) \(value) is not what this provider can do\(known)")
    }
}
