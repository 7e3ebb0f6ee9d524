// The endpoints at which a client authenticates.

/// Where a client proves who it is.
enum AuthenticatedEndpoint {
    case token
    case pushedRequest
    case backchannel
    case introspection
}
