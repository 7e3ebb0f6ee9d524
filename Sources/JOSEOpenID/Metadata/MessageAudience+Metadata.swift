// The aud that a rule means, for one provider.

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
}
