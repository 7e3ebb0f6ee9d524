// The errors that every itsme guide names for a request, each redirected with the state that was
// sent.

import JOSE
import JOSEOpenID
import Testing

enum ItsmeErrors {
    private static let service = "scope=openid%20service%3ALOGIN"

    /// What is changed in a good query, and the error that comes back.
    private static let changes: [(String, String, OAuthErrorCode)] = [
        (service, "scope=openid", .notImplemented),
        (service, "scope=service%3ALOGIN", .notImplemented),
        (service, "scope=openid%20service%3A", .notImplemented),
        (service, "scope=profile", .notImplemented),
        (service, "scope=OpenID%20service%3ALOGIN", .notImplemented),
        (service, service + "&display=popup", .notImplemented),
        (service, service + "&display=PAGE", .notImplemented),
        (service, service + "&prompt=none", .interactionRequired),
        (service, service + "&prompt=login", .interactionRequired),
        (service, service + "&registration=%7B%7D", .registrationNotSupported),
        (service, service + "&request=x", .invalidRequestObject),
        ("response_type=code", "response_type=token", .unsupportedResponseType),
    ]

    /// Expects the guides' errors of the provider.
    static func expect(_ world: World) async throws {
        let started = try world.start()
        let good = query(started.url)
        _ = try await world.client.browse(good).accepted()
        for (old, new, code) in changes {
            let bad = good.replacing(old, with: new)
            let refused = try await world.client.browse(bad).refused()
            #expect(refused.error.code == code, "\(new)")
            #expect(refused.redirect.redirectURI == World.redirectURI, "\(new)")
            #expect(refused.redirect.parameters["state"] == started.remembered.state, "\(new)")
            #expect(refused.redirect.parameters["error"] == "\(code)", "\(new)")
        }
    }
}
