// Verifying a JWS, for the command and for batch.

import JOSE

/// What verifying needs besides the token.
struct VerifyJob {
    let keys: VerificationKeys
    let algorithms: AllowList
    let limits: Limits

    func run(_ token: String) throws -> VerifiedJWS {
        let rows = self.rows
        guard !rows.isEmpty else {
            // The list names nothing that exists here; a fault of the form is told first all the same.
            _ = try UnverifiedHeader.readJWS(token.utf8.span, limits: limits)
            throw JOSEError.algorithmNotAllowed
        }
        let verifier =
            switch keys {
            case .one(let key): try JWSVerifier(key: key, algorithms: rows, limits: limits)
            case .set(let set): try JWSVerifier(keys: set, algorithms: rows, limits: limits)
            }
        return try verifier.verify(token)
    }

    /// The rows that may match; none where the list names only what does not exist here.
    var rows: [SignatureAlgorithm] {
        algorithms.rows { keys.fits(.verifying($0)) }
    }
}
