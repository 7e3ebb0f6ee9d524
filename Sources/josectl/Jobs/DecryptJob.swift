// Decrypting a JWE, for the command and for batch.

import JOSE

/// What decrypting needs besides the token.
struct DecryptJob {
    let keys: DecryptionKeys
    let algorithms: AllowList
    let contents: AllowList
    var compression: [CompressionAlgorithm] = []
    /// The extensions in `crit` that the caller checks.
    var critical: [String] = []
    let limits: JOSELimits

    /// Decrypts a compact token; a key may be in a token of PKCS#11.
    nonisolated(nonsending) func run(_ token: String) async throws -> DecryptedJWE {
        guard let decrypter = try decrypter() else { throw try unmatched(token) }
        return try await decrypter.decrypt(token, timeout: ExternalKeys.patience)
    }

    /// Decrypts a token of the JSON serialisations.
    nonisolated(nonsending) func run(json token: String) async throws -> DecryptedJSONJWE {
        guard let decrypter = try decrypter() else { throw try unmatched(json: token) }
        return try await decrypter.decryptJSON(token, timeout: ExternalKeys.patience)
    }

    private func unmatched(json token: String) throws -> JOSEError {
        _ = try UnverifiedJSONJWE(token.utf8.span, limits: limits, critical: critical)
        return .algorithmNotAllowed
    }

    /// Nil where a list names nothing that exists here.
    func decrypter() throws -> JWEDecrypter? {
        let (rows, contents) = (self.rows, self.contentRows)
        guard !rows.isEmpty, !contents.isEmpty else { return nil }
        return switch keys {
        case .one(let key):
            try JWEDecrypter(
                key: key, algorithms: rows, onlyByKey: rowsByKey, content: contents,
                compression: compression, critical: critical, limits: limits)
        case .set(let set):
            try JWEDecrypter(
                keys: set, algorithms: rows, onlyByKey: rowsByKey, content: contents,
                compression: compression, critical: critical, limits: limits)
        }
    }

    /// The rejection where a list names nothing that exists here; a fault of the form is told first.
    func unmatched(_ token: String) throws -> JOSEError {
        _ = try UnverifiedHeader.readJWE(token.utf8.span, limits: limits, critical: critical)
        return .algorithmNotAllowed
    }

    var rows: [KeyManagementAlgorithm] {
        algorithms.rows { keys.fits(.decrypting($0)) }
    }

    /// Without a list of the caller's: acceptable rows that a key's own `alg` names, for such keys only.
    private var rowsByKey: [KeyManagementAlgorithm] {
        guard algorithms.names == nil else { return [] }
        return KeyManagementAlgorithm.all.filter {
            $0.status == .acceptable && keys.fits(.decrypting($0, isOnlyByKey: true))
        }
    }

    var contentRows: [ContentEncryptionAlgorithm] { contents.rows() }
}
