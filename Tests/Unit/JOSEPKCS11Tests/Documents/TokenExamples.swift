// The examples of the pages about PKCS#11 keys, word for word.

import JOSE
import JOSEOpenID
import JOSEPKCS11

/// Opens a token by its label; `pin` such as `.file("/run/secrets/token-pin")`.
func openToken(_ path: String, _ uri: String, _ pin: PKCS11PIN) async throws -> PKCS11Token {
    let module = try PKCS11Module(path: path)  // such as /usr/lib/softhsm/libsofthsm2.so
    return try await PKCS11Token.open(
        PKCS11URI(uri), module: module, pin: pin)  // such as pkcs11:token=login
}

/// The public JWK Set of a key in the token.
func published(_ token: PKCS11Token, _ uri: String) async throws -> String {
    let key = try await token.key(PKCS11URI(uri))  // such as pkcs11:object=signing%202026
    return try PublicJWKSet(keys: [key.publicKey]).json()
}

/// An ID Token, signed in the PKCS#11 token.
func issued(
    _ claims: [String: String], by key: PKCS11Key, timeout: Duration = .seconds(2)
) async throws -> String {
    let jwk = try key.jwk(options: ExternalKeyOptions(timeout: timeout))  // once, and kept
    let issuer = try JWTIssuer(key: jwk, algorithm: .rs256, lifetime: .seconds(300))
    return try await issuer.issue(claims, timeout: timeout)
}

/// A key to sign and one for key agreement, generated in the token.
func makeKeys(_ token: PKCS11Token, _ year: Int) async throws -> [PKCS11Key] {
    [
        try await token.makeKey(
            .rsa(bits: 3_072), use: .signature, label: "signing \(year)"),
        try await token.makeKey(
            .curve(.p256), use: .encryption, label: "encryption \(year)"),
    ]
}

/// Replaces an old certificate (DER) by a renewed one. Returns the key with the new certificate.
func renew(
    _ token: PKCS11Token, _ key: PKCS11Key, older: [UInt8], newer: [[UInt8]]
) async throws -> PKCS11Key {
    let renewed = try await token.store(certificates: newer, for: key)
    return try await token.remove(certificate: older, of: renewed)
}

/// Destroys a key that is no longer used.
func retire(_ token: PKCS11Token, _ key: PKCS11Key) async throws {
    try await token.remove(key)
}

/// A relying party whose private keys are in the token.
func party(
    _ token: PKCS11Token, signing: String, encryption: String, _ metadata: ProviderMetadata,
    _ theirs: PublicJWKSet
) async throws -> RelyingParty {
    let ours = JWKSet(keys: [
        try await token.key(PKCS11URI(signing)).jwk(),
        try await token.key(PKCS11URI(encryption)).jwk(),
    ])
    return try RelyingParty(
        profile: .itsme2, metadata: metadata, clientID: "client-1",
        redirectURI: "https://rp.example/callback", keys: ours, providerKeys: theirs)
}

/// Starts a login; the token signs the request object before the timeout.
func start(_ party: RelyingParty, timeout: Duration = .seconds(2)) async throws
    -> AuthorizationStart
{
    var request = AuthorizationRequest(serviceCode: "LOGIN")
    request.delivery = .byValue
    return try await party.start(request, timeout: timeout)
}
