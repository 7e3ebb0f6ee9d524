// at_hash and c_hash: the left half of the hash of a value that came with an ID Token.

import JOSEBytes
package import JOSECrypto

extension HashAlgorithm {
    /// The left half of the hash as base64url (OpenID Connect Core, 3.1.3.6).
    package func leftHalf(of value: String) throws(JOSEError) -> String {
        let digest: [UInt8]
        do {
            digest = try Hash.digest(self, value.utf8.span)
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
        return Base64URL.encodeToString(digest.span.extracting(first: digest.count / 2))
    }
}

extension JOSEError {
    /// The error for ML-DSA: OpenID Connect defines no hash for it.
    fileprivate static let noTokenHash = JOSEError.unsupported(
        .claims, "at_hash and c_hash are not defined for this algorithm")
}

extension SignatureAlgorithm {
    /// The `at_hash` or `c_hash` of a value, for an ID Token signed by this algorithm. Throws
    /// `unsupported` for ML-DSA, and `internal` if the digest fails.
    package func tokenHash(of value: String) throws(JOSEError) -> String {
        guard let hash = tokenHash else { throw JOSEError.noTokenHash }
        return try hash.leftHalf(of: value)
    }
}

extension ClaimsCheck {
    /// `hash` is that of the signature algorithm: nil for ML-DSA, SHA-256 for an unsigned token.
    func checkHashes(
        _ expectation: ClaimsExpectation, _ hash: HashAlgorithm?
    ) throws(JOSEError) {
        try checkHash(
            .atHash, expectation.accessToken, hash,
            isRequired: expectation.requiresAccessTokenHash)
        try checkHash(.cHash, expectation.code, hash, isRequired: expectation.requiresCodeHash)
    }

    /// Rejects a required hash that is missing, and any hash that does not match `value`. If
    /// `value` is nil, only the type is checked, and a present hash that is required is `misuse`.
    private func checkHash(
        _ name: RegisteredClaims.Name, _ value: String?, _ hash: HashAlgorithm?, isRequired: Bool
    ) throws(JOSEError) {
        guard let index = try string(name) else {
            guard !isRequired else {
                throw .claimRejected(name.text.description, "it is required and missing")
            }
            return
        }
        guard let value else {
            guard !isRequired else {
                throw .misuse(
                    "{} is required, but the value that it hashes was not given", .name(name.text))
            }
            return
        }
        guard let hash else { throw JOSEError.noTokenHash }
        guard document.equalsConstantTime(try hash.leftHalf(of: value), at: index) else {
            throw .claimRejected(
                name.text.description, "it is not the hash of the value that came with the token")
        }
    }
}
