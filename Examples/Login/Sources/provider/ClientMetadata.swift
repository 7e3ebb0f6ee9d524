// Clients that a file names, in the words of OpenID Connect Dynamic Client Registration 1.0, section 2.

import Agreement
import Foundation
import JOSE
import JOSEOpenID

/// What a client registered. In a real provider, a row of the database behind its web forms.
struct ClientMetadata {
    let clientID: String
    /// Where the client publishes its keys; nil for one that neither signs nor reads what is encrypted.
    let keySetAddress: String?
    private let members: JSONObject

    /// A member that nobody looks at would be a rule that nobody keeps.
    private static let known = [
        "client_id", "client_secret", "redirect_uris", "jwks_uri", "token_endpoint_auth_method",
        "id_token_encrypted_response_alg", "userinfo_signed_response_alg",
        "userinfo_encrypted_response_alg", "request_object_encryption_alg", "request_uris",
        "require_pushed_authorization_requests", "require_signed_request_object",
        "authorization_signed_response_alg",
        // Not of the specification: false for a client that sends no code challenge; true for one whose request objects lack
        // what the profile wants besides the parameters.
        "require_code_challenge", "lenient_request_objects",
    ]

    /// Reads a JSON array of clients.
    static func read(_ path: String) throws -> [ClientMetadata] {
        let text = try Data(contentsOf: URL(fileURLWithPath: path))
        return try JSONDecoder().decode([JSONObject].self, from: text).map(ClientMetadata.init)
    }

    private init(_ members: JSONObject) throws {
        guard let clientID = members["client_id"]?.string else {
            throw Disagreement(description: "a client needs a client_id")
        }
        self.clientID = clientID
        self.members = members
        keySetAddress = members["jwks_uri"]?.string
        if keySetAddress == nil, members["jwks_uri"] != nil { throw fault("jwks_uri") }
        if let name = members.names.first(where: { !ClientMetadata.known.contains($0) }) {
            throw fault(name)
        }
    }

    /// The provider's rules with those that this client registered; where it says nothing, the provider's count.
    func profile(_ rules: OpenIDProfile) throws -> OpenIDProfile {
        var rules = rules
        rules.name += " for " + clientID
        switch try text("token_endpoint_auth_method") {
        case nil: break
        case "client_secret_basic": rules.client.authentication = .basic
        case "private_key_jwt":
            if rules.client.authentication == .basic {
                rules.client.authentication = .assertion(.signed)
            }
            // Many clients still name the token endpoint in their assertions, and not the issuer
            // (RFC 7523, 3).
            rules.client.otherAudiences = [.issuer, .tokenEndpoint]
        default: throw fault("token_endpoint_auth_method")
        }
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
        if try flag("lenient_request_objects") == true {
            // As OpenID Connect Core, 6.1: many clients write no exp, and no cty around what they encrypt.
            rules.requestObject.requiredClaims = []
            rules.requestObject.header.requiresContentType = false
        }
        if let isRequired = try flag("require_code_challenge") {
            rules.authorization.proofKey = isRequired ? .always : .onRequest
        }
        let needsKeys =
            rules.client.authentication != .basic || rules.idToken.layers == .signedThenEncrypted
            || rules.userInfo.layers == .signedThenEncrypted
        if needsKeys, keySetAddress == nil { throw fault("jwks_uri") }
        return rules
    }

    /// The client, by the rules that `profile` gave.
    func registration(_ profile: OpenIDProfile) throws -> ClientRegistration {
        let addresses = try texts("redirect_uris")
        guard !addresses.isEmpty else { throw fault("redirect_uris") }
        var registration = ClientRegistration(
            clientID: clientID, redirectURIs: addresses,
            secret: try text("client_secret").map(ClientSecret.init))
        // Clients write a fresh query behind the address, or a name below it.
        registration.requestAddressRules = try texts("request_uris").map { .below($0) }
        registration.profile = profile
        registration.requiresPushedRequests =
            try flag("require_pushed_authorization_requests") ?? false
        registration.requiresSignedRequestObject =
            try flag("require_signed_request_object") ?? false
        if let name = try text("authorization_signed_response_alg") {
            let algorithm = profile.algorithms.signature.first { $0.name == name }
            guard let algorithm else { throw fault("authorization_signed_response_alg") }
            registration.signedAnswerAlgorithm = algorithm
        }
        let encryption = try ["id_token", "userinfo"].compactMap {
            try text($0 + "_encrypted_response_alg")
        }
        if let name = encryption.first {
            let algorithm = profile.algorithms.keyManagement.first { $0.name == name }
            guard let algorithm, encryption.allSatisfy({ $0 == name }) else {
                throw fault("id_token_encrypted_response_alg")
            }
            registration.keyManagement = [algorithm]
        }
        return registration
    }

    private func text(_ name: String) throws -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.string else { throw fault(name) }
        return text
    }

    private func flag(_ name: String) throws -> Bool? {
        guard let value = members[name] else { return nil }
        guard let flag = value.bool else { throw fault(name) }
        return flag
    }

    private func texts(_ name: String) throws -> [String] {
        guard let value = members[name] else { return [] }
        guard let texts = value.array?.map(\.string), !texts.contains(nil) else {
            throw fault(name)
        }
        return texts.compactMap(\.self)
    }

    private func fault(_ name: String) -> Disagreement {
        Disagreement(description: "\(clientID): \(name) is not what this provider can do")
    }
}
