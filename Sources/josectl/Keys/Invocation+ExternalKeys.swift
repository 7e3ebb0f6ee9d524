// Key options that take a file or the pkcs11: URI of a key.

import JOSE
import JOSEPKCS11

extension Invocation {
    /// Returns private keys: those of a file, or the one that a pkcs11: URI names.
    nonisolated(nonsending) func ownKeys(_ word: String) async throws -> KeyFile {
        guard PKCS11URI.isURI(word) else { return try KeyFile(word) }
        let uri = try PKCS11URI(word: word)
        return KeyFile(uri.description, try await requireExternalKeys().jwk(uri))
    }

    /// Returns keys to show: those of a file, or the public part, with certificates, of the key
    /// that a pkcs11: URI names.
    nonisolated(nonsending) func publicKeys(_ word: String) async throws -> KeyFile {
        guard PKCS11URI.isURI(word) else { return try KeyFile(word) }
        let uri = try PKCS11URI(word: word)
        return KeyFile(uri.description, try await requireExternalKeys().key(uri).publicKey)
    }

    func requireExternalKeys() throws -> ExternalKeys {
        guard let externalKeys else { throw UsageError("--module is required") }
        return externalKeys
    }
}
