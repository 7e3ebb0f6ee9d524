// Protects routes with access tokens, JWTs and DPoP-bound ones. Copy this file.

import HTTPTypes
import Hummingbird
import JOSE
import JOSEOpenID

/// A request context with the verified access token and its claims.
struct AccessTokenContext<Claims: Decodable & Sendable>: RequestContext {
    var coreContext: CoreRequestContextStorage
    fileprivate var verified: (token: VerifiedAccessToken, claims: Claims)?

    init(source: Source) { coreContext = CoreRequestContextStorage(source: source) }

    /// The claims of the access token.
    ///
    /// - Throws: Status 500 on a route without the middleware `AccessTokens`.
    var claims: Claims { get throws { try required.claims } }

    /// The access token: its subject, client and scopes.
    var accessToken: VerifiedAccessToken { get throws { try required.token } }

    private var required: (token: VerifiedAccessToken, claims: Claims) {
        get throws {
            guard let verified else { throw HTTPError(.internalServerError) }
            return verified
        }
    }
}

/// Verifies the access token of each request, and rejects requests with 400, 401, 403 or 503.
///
/// It waits for keys without blocking a thread, at most for `requestTime` of the
/// `RemoteJWKSetSettings` and one second.
struct AccessTokens<Claims: Decodable & Sendable>: RouterMiddleware {
    typealias Context = AccessTokenContext<Claims>

    private let server: ResourceServer
    private let url: String
    private let scopes: [String]

    /// - Parameters:
    ///   - server: Verifies the tokens.
    ///   - url: The service's URL as clients see it, without a path, such as
    ///     `https://api.example`. DPoP proofs name it. Never take it from the request.
    ///   - scopes: The scopes that the routes need, all of them.
    init(_ server: ResourceServer, url: String, scopes: [String] = []) {
        self.server = server
        self.url = url
        self.scopes = scopes
    }

    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        let access: VerifiedAccessToken
        do throws(JOSEError) {
            access = try await server.verify(
                ResourceRequest(
                    method: request.method.rawValue, url: url + (request.head.path ?? "/"),
                    authorization: request.headers[.authorization],
                    proofs: request.headers[values: .dpop]), scopes: scopes)
            context.verified = (access, try access.decode(Claims.self))
        } catch {
            // The error has no part of the token. An outage or a wrong call is the service's own.
            let isOwn = [.unavailable, .internal, .misuse].contains(error.code)
            context.logger.log(
                level: isOwn ? .error : .info, "access token rejected",
                metadata: ["error": "\(error)"])
            return Response(try server.error(rejecting: error, scopes: scopes).response())
        }
        var response = try await next(request, context)
        if let nonce = access.nextNonce { response.headers[.dpopNonce] = nonce }
        return response
    }
}

// swift-format-ignore: NeverForceUnwrap
extension HTTPField.Name {
    static let dpop = HTTPField.Name("DPoP")!
    static let dpopNonce = HTTPField.Name("DPoP-Nonce")!
}

extension Response {
    /// Sends a response of the library unchanged.
    init(_ response: OpenIDHTTPResponse) {
        var headers = HTTPFields()
        for header in response.headers {
            guard let name = HTTPField.Name(header.name) else { continue }
            headers.append(HTTPField(name: name, value: header.value))
        }
        self.init(
            status: .init(code: response.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: response.body)))
    }
}

extension Request {
    /// Reads a form.
    ///
    /// - Throws: Status 415 for another content type, 413 above 64 KB, 400 for other bytes than
    ///   UTF-8.
    func form() async throws -> String {
        // Long texts and others than ASCII are costly to compare.
        let type = headers[.contentType] ?? ""
        guard type.utf8.count <= 256, type.utf8.allSatisfy({ $0 < 0x80 }),
            type.prefix(while: { $0 != ";" && $0 != " " }).lowercased()
                == "application/x-www-form-urlencoded"
        else { throw HTTPError(.unsupportedMediaType) }
        if let length = headers[.contentLength].flatMap(Int.init), length > 65_536 {
            throw HTTPError(.contentTooLarge)
        }
        let bytes = try await body.collect(upTo: 65_536)
        guard let text = String(validating: bytes.readableBytesView, as: UTF8.self) else {
            throw HTTPError(.badRequest)
        }
        return text
    }
}
