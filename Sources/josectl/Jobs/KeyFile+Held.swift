// Where a key file may be named, a key in a token may be.

import JOSE
import JOSEPKCS11

extension Invocation {
    /// Our own keys: of a file, or the one in a token that a URI names.
    nonisolated(nonsending) func ownKeys(_ word: String) async throws -> KeyFile {
        guard PKCS11URI.isMeant(by: word) else { return try KeyFile(word) }
        let uri = try PKCS11URI(word: word)
        return KeyFile(uri.description, try await externalKeys().held(uri))
    }

    /// Keys to look at: of a file, or the public part of the one in a token, with its certificates.
    nonisolated(nonsending) func shownKeys(_ word: String) async throws -> KeyFile {
        guard PKCS11URI.isMeant(by: word) else { return try KeyFile(word) }
        let uri = try PKCS11URI(word: word)
        return KeyFile(uri.description, try await externalKeys().key(uri).publicKey)
    }

    func externalKeys() throws -> ExternalKeys {
        guard let held else { throw UsageError("--module is missing") }
        return held
    }
}
