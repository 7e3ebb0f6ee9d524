// Clients that a file names, in the words of OpenID Connect Dynamic Client Registration 1.0, section 2.

import Agreement
import Foundation
import JOSE
import JOSEOpenID

/// What a client registered. In a real provider, a row of the database behind its web forms.
struct ClientMetadata {
    let clientID: String
    /// Where the client publishes its keys.
    let keySetAddress: String
    private let members: JSONObject

    /// A member that nobody looks at would be a rule that nobody keeps.
    private static let known = [
        "client_id", "client_secret", "redirect_uris", "jwks_uri", "token_endpoint_auth_method",
        "id_token_encrypted_response_alg", "userinfo_signed_response_alg",
        "userinfo_encrypted_response_alg", "request_object_encryption_alg", "request_uris",
        // Not of the specification: false for a client that sends no code challenge.
        "require_code_challenge",
    ]

    /// Reads a JSON array of clients.
    static func read(_ path: String) throws -> [ClientMetadata] {
        let text = try Data(contentsOf: URL(fileURLWithPath: path))
        return try JSONDecoder().decode([JSONObject].self, from: text).map(ClientMetadata.init)
    }

    private init(_ members: JSONObject) throws {
        guard let clientID = members["client_id"]?.string,
            let keySetAddress = members["jwks_uri"]?.string
        else { throw Agreement.Disagreement(description: "a client needs client_id and jwks_uri") }
        self.clientID = clientID
        self.keySetAddress = keySetAddress
        self.members = members
        if let name = members.names.first(where: { !ClientMetadata.known.contains($0) }) {
            throw fault(name)
        }
    }

    /// The provider's rules with those that this client registered.
    func profile(_ rules: OpenIDProfile) throws -> OpenIDProfile {
        var rules = rules
        rules.name += " for " + clientID
        switch try text("token_endpoint_auth_method") ?? "client_secret_basic" {
        case "client_secret_basic": rules.client.authentication = .basic
        case "private_key_jwt": rules.client.authentication = .assertion(.signed)
        default: throw fault("token_endpoint_auth_method")
        }
        // Clients name either in their assertions (RFC 7523, 3).
        rules.client.otherAudiences = [.issuer]
        rules.idToken.layers =
            try text("id_token_encrypted_response_alg") == nil ? .signed : .signedThenEncrypted
        if try text("userinfo_encrypted_response_alg") != nil {
            rules.userInfo.layers = .signedThenEncrypted
        } else {
            rules.userInfo.layers = try text("userinfo_signed_response_alg") == nil ? nil : .signed
        }
        rules.requestObject.layers =
            try text("request_object_encryption_alg") == nil ? .signed : .signedThenEncrypted
        // As lenient as OpenID Connect Core, 6.1: many clients write no exp, and no cty around what they encrypt.
        rules.requestObject.requiredClaims = []
        rules.requestObject.header.requiresContentType = false
        if let value = members["require_code_challenge"] {
            guard let isRequired = value.bool else { throw fault("require_code_challenge") }
            rules.authorization.proofKey = isRequired ? .always : .onRequest
        }
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

    private func texts(_ name: String) throws -> [String] {
        guard let value = members[name] else { return [] }
        guard let texts = value.array?.map(\.string), !texts.contains(nil) else {
            throw fault(name)
        }
        return texts.compactMap(\.self)
    }

    func fault(_ name: String) -> Agreement.Disagreement {
        Agreement.Disagreement(description: "\(clientID): \(name) is not what this provider can do")
    }
}
