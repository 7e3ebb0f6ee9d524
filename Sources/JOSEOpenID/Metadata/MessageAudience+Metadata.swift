// Resolves the audience of a message to the value of aud, with the provider's metadata.

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

    /// Whether messages to an endpoint may have this audience. An endpoint's URL is only for that
    /// endpoint, and `.exactly` only for the token endpoint.
    func covers(_ endpoint: AuthenticatedEndpoint) -> Bool {
        switch self {
        case .issuer: true
        case .tokenEndpoint, .exactly: endpoint == .token
        case .pushedRequestEndpoint: endpoint == .pushedRequest
        case .backchannelEndpoint: endpoint == .backchannel
        case .authorizationEndpoint: false
        }
    }

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
