// Protects routes with access tokens, JWTs and DPoP-bound ones. Copy this file.

import JOSE
import JOSEOpenID
import Vapor

/// The verified access token of a request and its claims: `request.auth.require(Access<…>.self)`.
struct Access<Claims: Decodable & Sendable>: Authenticatable {
    let token: VerifiedAccessToken
    let claims: Claims
}

/// Verifies the access token of each request, and rejects requests with 400, 401, 403 or 503.
///
/// It waits for keys without blocking a thread, at most for `requestTime` of the
/// `RemoteJWKSetSettings` and one second.
struct AccessTokens<Claims: Decodable & Sendable>: AsyncMiddleware {
    private let server: ResourceServer
    private let url: String
    private let scopes: [String]

    /// - Parameters:
    ///   - server: Verifies the tokens.
    ///   - url: The service's URL as clients see it, without a path, such as
    ///     `https://api.example`. DPoP proofs name it. Never take it from the request.
    ///   - scopes: The scopes that the routes need, all of them.
    ///   - claims: The type of the claims.
    init(
        _ server: ResourceServer, url: String, scopes: [String] = [],
        claims: Claims.Type = Claims.self
    ) {
        self.server = server
        self.url = url
        self.scopes = scopes
    }

    func respond(
        to request: Request, chainingTo next: any AsyncResponder
    ) async throws -> Response {
        // Two Authorization headers are joined, so that they are malformed.
        let authorization = request.headers[.authorization]
        let access: VerifiedAccessToken
        do throws(JOSEError) {
            access = try await server.verify(
                ResourceRequest(
                    method: request.method.rawValue, url: url + request.url.string,
                    authorization: authorization.isEmpty
                        ? nil : authorization.joined(separator: ", "),
                    proofs: request.headers["DPoP"]), scopes: scopes)
            request.auth.login(Access(token: access, claims: try access.decode(Claims.self)))
        } catch {
            // The error has no part of the token. An outage or a wrong call is the service's own.
            let isOwn = [.unavailable, .internal, .misuse].contains(error.code)
            request.logger.log(
                level: isOwn ? .error : .info, "access token rejected",
                metadata: ["error": "\(error)"])
            return Response(try server.error(rejecting: error, scopes: scopes).response())
        }
        let response = try await next.respond(to: request)
        if let nonce = access.nextNonce {
            response.headers.replaceOrAdd(name: "DPoP-Nonce", value: nonce)
        }
        return response
    }
}

extension Response {
    /// Sends a response of the library unchanged.
    convenience init(_ response: OpenIDHTTPResponse) {
        self.init(
            status: HTTPResponseStatus(statusCode: response.status),
            headers: HTTPHeaders(response.headers.map { ($0.name, $0.value) }),
            body: .init(string: response.body))
    }
}
