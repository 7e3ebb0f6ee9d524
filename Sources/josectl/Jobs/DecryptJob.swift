// Decrypting a JWE, for the command and for batch.

import JOSE

/// What decrypting needs besides the token.
struct DecryptJob {
    let keys: DecryptionKeys
    let algorithms: AllowList
    let contents: AllowList
    let limits: Limits

    func run(_ token: String) throws -> DecryptedJWE {
        let (rows, contents) = (self.rows, self.contentRows)
        guard !rows.isEmpty, !contents.isEmpty else { throw try unmatched(token) }
        let decrypter =
            switch keys {
            case .one(let key):
                try JWEDecrypter(key: key, algorithms: rows, content: contents, limits: limits)
            case .set(let set):
                try JWEDecrypter(keys: set, algorithms: rows, content: contents, limits: limits)
            }
        return try decrypter.decrypt(token)
    }

    /// The refusal where a list names nothing that exists here; a fault of the form is told first.
    func unmatched(_ token: String) throws -> JOSEError {
        _ = try UnverifiedHeader.readJWE(token.utf8.span, limits: limits)
        return .algorithmNotAllowed
    }

    var rows: [KeyManagementAlgorithm] {
        algorithms.rows { keys.fits(.decrypting($0)) }
    }

    var contentRows: [ContentEncryptionAlgorithm] { contents.rows() }
}
