// Both sides of a login for the fuzz targets, and a simple independent parser of forms.

import Foundation
import JOSE
import JOSEBytes
import JOSEOpenID

enum Peers {
    static let issuer = "https://idp.example/v2"
    static let callback = "https://rp.example/cb"
    static let now = NumericDate(exactly: 1_760_000_000) ?? .earliest
    /// The client `c` with its secret.
    static let basic = "Basic YzpzZWNyZXQ="

    static func metadata(_ profile: OpenIDProfile) throws -> ProviderMetadata {
        try ProviderMetadata(
            issuer: issuer, authorizationEndpoint: issuer + "/a", tokenEndpoint: issuer + "/t",
            userInfoEndpoint: issuer + "/u", jwksURI: issuer + "/k",
            pushedRequestEndpoint: issuer + "/p", backchannelEndpoint: issuer + "/b",
            profile: profile)
    }

    /// A provider with unlimited stores.
    static func provider(_ profile: OpenIDProfile) throws -> OpenIDProvider {
        try OpenIDProvider(
            profile: profile, metadata: metadata(profile), keys: JWKSet(keys: [Known.signing]),
            replays: MemoryReplayStore(capacity: 1 << 30, quota: 1 << 30),
            pushedRequests: MemoryPushedRequestStore(capacity: 1 << 30, quota: 1 << 30))
    }

    static func client(
        _ profile: OpenIDProfile = .openID, redirectURIs: [String] = [callback],
        backchannel: BackchannelRegistration? = nil, key: JWK = Known.client
    ) throws -> RegisteredClient {
        var registration = ClientRegistration(
            clientID: "c", redirectURIs: redirectURIs, secret: ClientSecret("secret"))
        registration.backchannel = backchannel
        return try provider(profile).client(
            registration, keys: PublicJWKSet(keys: [key.publicKey]))
    }

    /// The session that a relying party keeps for a request of this client.
    static func session(
        clientID: String, redirectURI: String, mode: String
    ) throws -> AuthorizationSession {
        let text = #"""
            {"clientID":"\#(clientID)","issuer":"\#(issuer)","redirectURI":"\#(redirectURI)",\#
            "state":"a-state","nonce":"a-nonce","acrValues":[],"requiredClaims":[],"subjects":[],\#
            "responseMode":"\#(mode)"}
            """#
        return try ClaimsDecoder.decode(
            AuthorizationSession.self, from: Array(text.utf8), maxDepth: 8)
    }
}

/// The names and values of a form, decoded with Foundation; `?` if it cannot.
func plainForm(_ text: String) -> [(name: String, value: String)] {
    text.split(separator: "&").map { pair in
        let texts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map { $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? "?" }
        return (texts[0], texts.count == 2 ? texts[1] : "")
    }
}
