// The endpoints at which a client authenticates.

enum AuthenticatedEndpoint {
    case token
    case pushedRequest
    case backchannel
    case introspection
    case revocation

    /// Whether a public client may use the endpoint with only its `client_id` (RFC 6749, 3.2.1; RFC
    /// 9126, 2.1; RFC 7009, 2.1).
    var takesPublicClients: Bool {
        switch self {
        case .token, .pushedRequest, .revocation: true
        case .backchannel, .introspection: false
        }
    }
}
