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

/// Sends the requests of a relying party by libcurl.
extension CurlTransport {
    func post(_ request: TokenRequest) async throws -> OpenIDHTTPResponse {
        try await send(request.url, request.headers, request.body)
    }

    func get(_ request: OpenIDHTTPRequest) async throws -> OpenIDHTTPResponse {
        try await send(
            request.url, request.headers, request.method == "POST" ? request.body : nil)
    }

    private func send(
        _ url: String, _ headers: [OpenIDParameter], _ body: String?
    ) async throws -> OpenIDHTTPResponse {
        var request = HTTPSRequest(
            url: url, headers: headers.map { ($0.name, $0.value) }, body: body)
        request.addressPolicy = .publicAddresses  // .anyAddress in your own network
        let response = try await send(request)
        let fields = ["Content-Type", "DPoP-Nonce", "WWW-Authenticate"].compactMap { name in
            response.header(name).map { OpenIDParameter(name, $0) }
        }
        guard let text = String(validating: response.body, as: UTF8.self) else {
            throw JWKSetTransportError.broken
        }
        return try OpenIDHTTPResponse(status: response.status, headers: fields, body: text)
    }
}
