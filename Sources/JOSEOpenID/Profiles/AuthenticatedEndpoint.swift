// The endpoints at which a client authenticates.

enum AuthenticatedEndpoint {
    case token
    case pushedRequest
    case backchannel
    case introspection
}
