// The key as a JWK that signs, decrypts and agrees.

public import JOSE

extension PKCS11Key {
    /// The public key held by its token: a private JWK for the asynchronous calls, those with `within`.
    ///
    /// - Parameter rule: The bounds on what is asked of the token; they count for this JWK and its copies.
    /// - Throws: `misuse` for a rule by which nothing can be asked.
    public func jwk(options: ExternalKeyOptions = .standard) throws(JOSEError) -> JWK {
        try publicKey.withExternalKey(self, options: options)
    }
}
