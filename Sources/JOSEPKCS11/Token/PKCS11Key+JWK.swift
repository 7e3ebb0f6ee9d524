// The key as a JWK.

public import JOSE

extension PKCS11Key {
    /// Returns a private JWK whose operations run in the token. It works with the asynchronous
    /// calls, those with `timeout:`.
    ///
    /// - Parameter options: The limits on requests to the token, shared by all copies of this JWK.
    /// - Throws: `misuse` for options that allow no request.
    public func jwk(options: ExternalKeyOptions = .standard) throws(JOSEError) -> JWK {
        try publicKey.withExternalKey(self, options: options)
    }
}
