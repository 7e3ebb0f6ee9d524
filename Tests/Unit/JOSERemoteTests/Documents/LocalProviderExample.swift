// The example of the page about a local provider, word for word.

import JOSE
import JOSEOpenID
import JOSERemote

/// Makes the relying party of a provider on this machine, such as `http://localhost:9400`.
func localParty(issuer: String, transport: CurlTransport) async throws -> RelyingParty {
    var profile = OpenIDProfile.openID
    profile.allowsLoopbackHTTP = true
    let document = try await SSRFSafeFetcher(
        transport: transport, addressPolicy: .loopbackAddresses
    ).discoveryDocument(at: ProviderMetadata.discoveryURL(issuer: issuer))
    let metadata = try ProviderMetadata(json: document, issuer: issuer, profile: profile)
    let keys = try RemoteJWKSet(
        url: metadata.jwksURI, addressPolicy: .loopbackAddresses, transport: transport)
    return try RelyingParty(
        profile: profile, metadata: metadata, clientID: "dev",
        redirectURI: "http://localhost:8080/callback", keys: JWKSet(keys: []),
        secret: ClientSecret("any"), providerKeys: keys)
}
