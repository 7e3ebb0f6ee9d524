// Decrypts a JWE, for `josectl decrypt`, `open`, `explain` and `batch`.

import JOSE

struct DecryptJob {
    let keys: DecrypterKeys
    let algorithms: AllowList
    let contents: AllowList
    var compression: [CompressionAlgorithm] = []
    /// The `crit` extensions that the user checks.
    var critical: [String] = []
    let limits: JOSELimits

    nonisolated(nonsending) func run(_ token: String) async throws -> DecryptedJWE {
        guard let decrypter = try decrypter() else { throw try unmatched(token) }
        return try await decrypter.decrypt(token, timeout: ExternalKeys.timeout)
    }

    nonisolated(nonsending) func run(json token: String) async throws -> DecryptedJSONJWE {
        guard let decrypter = try decrypter() else { throw try unmatched(json: token) }
        return try await decrypter.decryptJSON(token, timeout: ExternalKeys.timeout)
    }

    private func unmatched(json token: String) throws -> JOSEError {
        _ = try UnverifiedJSONJWE(token.utf8.span, limits: limits, critical: critical)
        return .algorithmNotAllowed
    }

    /// Returns nil if a list names no available algorithm.
    func decrypter() throws -> JWEDecrypter? {
        let (algorithms, contents) = (self.matchingAlgorithms, self.contentAlgorithms)
        guard !algorithms.isEmpty, !contents.isEmpty else { return nil }
        return try JWEDecrypter(
            keys, algorithms: algorithms, ifNamedByKey: algorithmsByKey, content: contents,
            compression: compression, critical: critical, limits: limits)
    }

    /// Returns the error for a nil decrypter. Throws a defect of the token instead, if it has one.
    func unmatched(_ token: String) throws -> JOSEError {
        _ = try UnverifiedHeader.readJWE(token.utf8.span, limits: limits, critical: critical)
        return .algorithmNotAllowed
    }

    var matchingAlgorithms: [KeyManagementAlgorithm] {
        algorithms.algorithms { keys.match(.decrypting($0)) }
    }

    /// Without a list, a key's own `alg` may also allow an algorithm of status `acceptable`.
    private var algorithmsByKey: [KeyManagementAlgorithm] {
        guard algorithms.names == nil else { return [] }
        return KeyManagementAlgorithm.all.filter {
            $0.status == .acceptable && keys.match(.decrypting($0, requiresKeyAlgorithm: true))
        }
    }

    var contentAlgorithms: [ContentEncryptionAlgorithm] { contents.algorithms() }
}
