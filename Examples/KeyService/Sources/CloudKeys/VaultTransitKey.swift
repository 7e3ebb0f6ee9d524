// A key in the transit engine of HashiCorp Vault or OpenBao. Copy and change it.

import Foundation
import JOSE
import JOSERemote

/// One version of a transit key: `rsa-2048` and larger for RSA, `ecdsa-p256` for ES256.
package struct VaultTransitKey: ExternalKey {
    package let capabilities: ExternalKeyCapabilities
    private let url: String
    private let name: String
    private let version: Int
    private let token: @Sendable () -> String
    private let exchange: KeyServiceExchange

    /// - Parameters:
    ///   - url: The engine's URL, such as `https://vault.example:8200/v1/transit`.
    ///   - name: The key's name: letters, digits, `-` and `_`.
    ///   - version: The version of the pinned public key, 1 or more. After a rotation the newest
    ///     one would sign.
    ///   - capabilities: What the key may do: RS256, PS256 and RSA-OAEP-256, or ES256.
    ///   - token: The client's token, now.
    ///   - exchange: The HTTP client.
    /// - Throws: `InvalidSetting` for another name, which would change the path, or version.
    package init(
        url: String, name: String, version: Int, capabilities: ExternalKeyCapabilities,
        token: @escaping @Sendable () -> String, exchange: @escaping KeyServiceExchange
    ) throws(InvalidSetting) {
        guard name.isIdentifier(or: "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") else {
            throw InvalidSetting(description: "name: use letters, digits, - and _")
        }
        guard version >= 1 else { throw InvalidSetting(description: "version: use 1 or more") }
        self.url = url
        self.name = name
        self.version = version
        self.capabilities = capabilities
        self.token = token
        self.exchange = exchange
    }

    private struct Signing: Encodable {
        let input: String
        let key_version: Int
        let prehashed = true
        var signature_algorithm: String?
        var salt_length: String?
        var marshaling_algorithm: String?
    }

    package func sign(
        _ request: ExternalSigningRequest
    ) async throws(ExternalKeyError) -> ExternalSignature {
        guard case .digest(let digest) = request.input else { throw .failed }
        var message = Signing(input: Data(digest).base64EncodedString(), key_version: version)
        switch request.algorithm {
        case .rs256: message.signature_algorithm = "pkcs1v15"
        case .ps256:
            message.signature_algorithm = "pss"
            message.salt_length = "hash"  // the default is the greatest possible salt
        case .es256: message.marshaling_algorithm = "asn1"
        default: throw .failed
        }
        struct Response: Decodable {
            struct Data: Decodable { let signature: String }
            let data: Data
        }
        let response = try await send("sign/\(name)/sha2-256", message, Response.self)
        let signature = try payload(response.data.signature)
        return request.algorithm == .es256 ? .der(signature) : .plain(signature)
    }

    package func unwrap(
        _ request: ExternalUnwrappingRequest
    ) async throws(ExternalKeyError) -> ExternalUnwrappedKey {
        struct Response: Decodable {
            struct Data: Decodable { let plaintext: String }
            let data: Data
        }
        // The engine's OAEP hashes with SHA-256.
        guard request.algorithm == .rsaOAEP256 else { throw .failed }
        let text = "vault:v\(version):\(Data(request.encryptedKey).base64EncodedString())"
        let response = try await send("decrypt/\(name)", ["ciphertext": text], Response.self)
        var key = try KeyServiceJSON.bytes(response.data.plaintext)
        return .contentKey(ExternalKeySecret(wiping: &key))
    }

    /// Returns the bytes of `vault:v1:…`, of this version.
    private func payload(_ text: String) throws(ExternalKeyError) -> [UInt8] {
        let prefix = "vault:v\(version):"
        guard text.hasPrefix(prefix) else { throw .failed }
        return try KeyServiceJSON.bytes(text.dropFirst(prefix.count))
    }

    private func send<Response: Decodable>(
        _ path: String, _ message: some Encodable, _ type: Response.Type
    ) async throws(ExternalKeyError) -> Response {
        let request = HTTPSRequest(
            url: "\(url)/\(path)",
            headers: [("Content-Type", "application/json"), ("X-Vault-Token", token())],
            body: try KeyServiceJSON.write(message))
        let response: (status: Int, body: [UInt8])
        do { response = try await exchange(request) } catch { throw .unavailable }
        switch response.status {
        case 200: return try KeyServiceJSON.read(type, response.body)
        case 400: throw .failed  // also a ciphertext that cannot be decrypted
        default: throw .unavailable  // 403 token, 404 engine, 429 quota, 5xx sealed or standby
        }
    }
}
