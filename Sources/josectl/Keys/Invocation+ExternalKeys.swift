// Reads keys from a file, or from a PKCS#11 token by a pkcs11: URI.

import JOSE
import JOSEPKCS11

extension Invocation {
    /// Returns the keys of a file. For a pkcs11: URI, returns the private key.
    nonisolated(nonsending) func ownKeys(_ word: String) async throws -> KeyFile {
        guard PKCS11URI.isURI(word) else { return try KeyFile(word) }
        let uri = try PKCS11URI(word: word)
        return KeyFile(uri.description, try await requireExternalKeys().jwk(uri))
    }

    /// Returns the keys of a file. For a pkcs11: URI, returns the public key with its certificates.
    nonisolated(nonsending) func inputKeys(_ word: String) async throws -> KeyFile {
        guard PKCS11URI.isURI(word) else { return try KeyFile(word) }
        let uri = try PKCS11URI(word: word)
        return KeyFile(uri.description, try await requireExternalKeys().key(uri).publicKey)
    }

    func requireExternalKeys() throws -> ExternalKeys {
        guard let externalKeys else { throw UsageError("--module is required") }
        return externalKeys
    }
}
