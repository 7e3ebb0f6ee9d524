// Resolves the audience of a rule to the value of aud, with the metadata of the provider.

import JOSE

extension MessageAudience {
    func text(_ metadata: ProviderMetadata) -> String {
        switch self {
        case .authorizationEndpoint: metadata.authorizationEndpoint
        case .tokenEndpoint: metadata.tokenEndpoint
        case .issuer: metadata.issuer
        case .pushedRequestEndpoint: metadata.pushedRequestEndpoint ?? metadata.issuer
        case .backchannelEndpoint: metadata.backchannelEndpoint ?? metadata.issuer
        case .exactly(let text): text
        }
    }

    /// Whether a client assertion with this audience may be sent to an endpoint. The URL of an
    /// endpoint covers only that endpoint; another string covers the token endpoint.
    func covers(_ endpoint: AuthenticatedEndpoint) -> Bool {
        switch self {
        case .issuer: true
        case .tokenEndpoint, .exactly: endpoint == .token
        case .pushedRequestEndpoint: endpoint == .pushedRequest
        case .backchannelEndpoint: endpoint == .backchannel
        case .authorizationEndpoint: false
        }
    }

    /// This audience if it covers the endpoint, else the issuer.
    func narrowed(to endpoint: AuthenticatedEndpoint) -> MessageAudience {
        covers(endpoint) ? self : .issuer
    }
}

extension AuthenticatedEndpoint {
    func url(_ metadata: ProviderMetadata) -> String? {
        switch self {
        case .token: metadata.tokenEndpoint
        case .pushedRequest: metadata.pushedRequestEndpoint
        case .backchannel: metadata.backchannelEndpoint
        case .introspection: metadata["introspection_endpoint"]?.string
        case .revocation: metadata["revocation_endpoint"]?.string
        }
    }
}
