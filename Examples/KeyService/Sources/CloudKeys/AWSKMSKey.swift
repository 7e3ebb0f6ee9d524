// A key in AWS KMS, by its JSON protocol. Copy and change it.

import Foundation
import JOSE
import JOSERemote

/// An asymmetric KMS key, for signing or for decryption.
package struct AWSKMSKey: ExternalKey {
    package let capabilities: ExternalKeyCapabilities
    private let region: String
    private let keyID: String
    private let credentials: @Sendable () -> AWSCredentials
    private let now: @Sendable () -> Date
    private let exchange: KeyServiceExchange

    /// - Parameters:
    ///   - region: Such as `eu-central-1`. It is a part of the host's name.
    ///   - keyID: The key's ID or ARN, not an alias: an alias may name another key tomorrow.
    ///   - capabilities: What the key may do.
    ///   - credentials: The credentials, now.
    ///   - now: The time of the requests.
    ///   - exchange: The HTTP client.
    /// - Throws: `InvalidSetting` for a region with other bytes than `a` to `z`, digits and `-`.
    package init(
        region: String, keyID: String, capabilities: ExternalKeyCapabilities,
        credentials: @escaping @Sendable () -> AWSCredentials,
        now: @escaping @Sendable () -> Date = { Date() },
        exchange: @escaping KeyServiceExchange
    ) throws(InvalidSetting) {
        guard region.isIdentifier() else {
            throw InvalidSetting(description: "region: use lowercase letters, digits and -")
        }
        self.region = region
        self.keyID = keyID
        self.capabilities = capabilities
        self.credentials = credentials
        self.now = now
        self.exchange = exchange
    }

    package func sign(
        _ request: ExternalSigningRequest
    ) async throws(ExternalKeyError) -> ExternalSignature {
        guard case .digest(let digest) = request.input,
            let algorithm = AWSKMSKey.signatures[request.algorithm]
        else { throw .failed }
        struct Response: Decodable { let Signature: String }
        let response = try await send(
            "Sign",
            [
                "KeyId": keyID, "Message": Data(digest).base64EncodedString(),
                "MessageType": "DIGEST", "SigningAlgorithm": algorithm,
            ], Response.self)
        let signature = try KeyServiceJSON.bytes(response.Signature)
        return algorithm.hasPrefix("ECDSA") ? .der(signature) : .plain(signature)
    }

    package func unwrap(
        _ request: ExternalUnwrappingRequest
    ) async throws(ExternalKeyError) -> ExternalUnwrappedKey {
        struct Response: Decodable { let Plaintext: String }
        let hash: String
        switch request.algorithm {
        case .rsaOAEP: hash = "SHA_1"
        case .rsaOAEP256: hash = "SHA_256"
        default: throw .failed
        }
        let response = try await send(
            "Decrypt",
            [
                "CiphertextBlob": Data(request.encryptedKey).base64EncodedString(),
                "EncryptionAlgorithm": "RSAES_OAEP_\(hash)", "KeyId": keyID,
            ], Response.self)
        var key = try KeyServiceJSON.bytes(response.Plaintext)
        return .contentKey(ExternalKeySecret(wiping: &key))
    }

    private static let signatures: [SignatureAlgorithm: String] = [
        .rs256: "RSASSA_PKCS1_V1_5_SHA_256", .rs384: "RSASSA_PKCS1_V1_5_SHA_384",
        .rs512: "RSASSA_PKCS1_V1_5_SHA_512", .ps256: "RSASSA_PSS_SHA_256",
        .ps384: "RSASSA_PSS_SHA_384", .ps512: "RSASSA_PSS_SHA_512", .es256: "ECDSA_SHA_256",
        .es384: "ECDSA_SHA_384", .es512: "ECDSA_SHA_512",
    ]

    private struct Failure: Decodable { let __type: String }

    private func send<Response: Decodable>(
        _ operation: String, _ message: [String: String], _ type: Response.Type
    ) async throws(ExternalKeyError) -> Response {
        let body = try KeyServiceJSON.write(message)
        let host = "kms.\(region).amazonaws.com"
        let request = HTTPSRequest(
            url: "https://\(host)/",
            headers: AWSSignature(region: region, service: "kms", at: now()).headers(
                credentials(), method: "POST", path: "/", body: body,
                [
                    ("Content-Type", "application/x-amz-json-1.1"), ("Host", host),
                    ("X-Amz-Target", "TrentService.\(operation)"),
                ]), body: body)
        let response: (status: Int, body: [UInt8])
        do { response = try await exchange(request) } catch { throw .unavailable }
        guard response.status != 200 else { return try KeyServiceJSON.read(type, response.body) }
        // Throttling and missing permission have status 400 too.
        let failure = try? JSONDecoder().decode(Failure.self, from: Data(response.body))
        let name = failure?.__type.split(separator: "#").last
        throw name == "InvalidCiphertextException" || name == "ValidationException"
            ? .failed : .unavailable
    }
}
