// The examples of the pages about keys and documents behind a URL, word for word.

import JOSE
import JOSEOpenID
import JOSERemote

/// Verifies ID Tokens with the keys that the provider publishes; made once and shared.
func idTokens(
    of issuer: String, keysAt url: String, transport: some JWKSetTransport
) throws -> AsyncJWTVerifier {
    let keys = try RemoteJWKSet(
        url: url, transport: transport,
        observe: { print($0) })
    return try AsyncJWTVerifier(
        policy: .openID(issuer: issuer, clientID: "client-1"), keys: keys, algorithms: [.rs256])
}

/// Keys that must have certificates of these roots, PEM or DER.
func certifiedKeys(
    at url: String, roots: [[UInt8]], transport: some JWKSetTransport
) throws -> RemoteJWKSet {
    var settings = RemoteJWKSetSettings()
    settings.certificates = .require(try TrustStore(anchors: roots))
    return try RemoteJWKSet(url: url, settings: settings, transport: transport)
}

/// The discovery document of a provider, and a source of the keys that it names.
func provider(
    _ issuer: String, _ profile: OpenIDProfile, transport: CurlTransport,
    addressPolicy: AddressPolicy = .publicAddresses
) async throws -> (document: String, keys: RemoteJWKSet) {
    let guarded = SSRFSafeFetcher(transport: transport, addressPolicy: addressPolicy)
    let document = try await guarded.discoveryDocument(
        at: ProviderMetadata.discoveryURL(issuer: issuer))
    let metadata = try ProviderMetadata(json: document, issuer: issuer, profile: profile)
    let keys = try RemoteJWKSet(
        untrustedURL: metadata.jwksURI, addressPolicy: addressPolicy, transport: transport)
    return (document, keys)
}
