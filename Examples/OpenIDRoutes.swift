// Routes that need an access token, and a login with OpenID Connect, for Hummingbird or Vapor. Copy
// this file. Only its last two parts depend on the framework; delete the one that you do not use.

import JOSE
import JOSEOpenID
import JOSERemote
import Synchronization

// MARK: - Access tokens

/// The verified access token of a request, and its claims.
struct Access<Claims: Decodable & Sendable>: Sendable {
    /// The token: its issuer, subject, and any claim by name.
    let token: VerifiedJWT
    let claims: Claims
    /// The value for the response header `DPoP-Nonce`.
    fileprivate let nextNonce: String?
}

/// The middleware: verifies the access token of each request, and rejects requests with 400, 401,
/// 403 or 503.
///
/// It waits for keys without blocking a thread, at most for `requestTime` of the
/// `RemoteJWKSetSettings` and one second.
struct AccessTokens<Claims: Decodable & Sendable>: Sendable {
    private let verifier: any AccessTokenVerifier
    private let url: String
    private let scopes: [String]

    /// - Parameters:
    ///   - verifier: A `ResourceServer`, or an `AsyncJWTVerifier` for a provider whose access
    ///     tokens are other JWTs.
    ///   - url: The service's URL as clients see it, without a path, such as
    ///     `https://api.example`. DPoP proofs name it. Never take it from the request.
    ///   - scopes: The scopes that the routes need, all of them.
    ///   - claims: The type of the claims.
    init(
        _ verifier: any AccessTokenVerifier, url: String, scopes: [String] = [],
        claims: Claims.Type = Claims.self
    ) {
        self.verifier = verifier
        self.url = url
        self.scopes = scopes
    }

    /// Verifies the access token of a request.
    ///
    /// - Throws: `RejectedRequest`.
    fileprivate func verify(
        method: String, path: String, authorization: String?, proofs: [String]
    ) async throws -> Access<Claims> {
        do {
            // A target such as `munity://x` must not extend the host's name.
            let target = path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
            let request = try ResourceRequest(
                method: method, url: url + target, authorization: authorization, proofs: proofs)
            let access = try await verifier.accessToken(of: request, scopes: scopes)
            return Access(
                token: access.token, claims: try access.token.decode(Claims.self),
                nextNonce: access.nextNonce)
        } catch {
            throw RejectedRequest(
                response: try verifier.error(rejecting: error, scopes: scopes).response(),
                reason: (error as? BearerError)?.description ?? "\(error)",
                isServiceFailure: [.unavailable, .internal, .misuse]
                    .contains((error as? JOSEError)?.code))
        }
    }
}

/// A request that the middleware rejected.
private struct RejectedRequest: Error {
    let response: OpenIDHTTPResponse
    /// For the log: it has no part of the token.
    let reason: String
    /// Whether the service is at fault, by an outage or a wrong call, and not the token.
    let isServiceFailure: Bool
}

/// Verifies access tokens.
protocol AccessTokenVerifier: Sendable {
    /// - Throws: `JOSEError` or `BearerError`.
    func accessToken(
        of request: ResourceRequest, scopes: [String]
    ) async throws -> (token: VerifiedJWT, nextNonce: String?)
    /// The response to a rejected request.
    func error(rejecting error: any Error, scopes: [String]) throws -> ResourceError
}

/// JWTs as in RFC 9068; if the server has `proofs`, also DPoP-bound ones. A token that is bound to
/// a certificate is rejected, since the middleware does not see the client's certificate.
extension ResourceServer: AccessTokenVerifier {
    func accessToken(
        of request: ResourceRequest, scopes: [String]
    ) async throws -> (token: VerifiedJWT, nextNonce: String?) {
        let access = try await verify(request, scopes: scopes)
        return (access.token, access.nextNonce)
    }

    func error(rejecting error: any Error, scopes: [String]) throws -> ResourceError {
        guard let error = error as? JOSEError else { throw error }
        return try self.error(rejecting: error, scopes: scopes, at: nil)
    }
}

/// Other JWTs, such as those of Keycloak, Entra and Cognito. The verifier's policy must reject the
/// provider's ID Tokens. Scopes are in the claim `scope` or `scp`.
extension AsyncJWTVerifier: AccessTokenVerifier {
    func accessToken(
        of request: ResourceRequest, scopes: [String]
    ) async throws -> (token: VerifiedJWT, nextNonce: String?) {
        let token = try await verify(request.accessToken)
        // Only a `ResourceServer` verifies that the sender has the key or certificate.
        guard request.type == .bearer, token["cnf"] == nil else {
            throw BearerError(.invalidToken, description: "only bearer tokens are accepted")
        }
        let claim = token["scope"] ?? token["scp"]
        let granted =
            claim?.array?.compactMap(\.string)
            ?? claim?.string?.split(separator: " ").map(String.init) ?? []
        guard scopes.allSatisfy({ scope in granted.contains { $0.hasBytes(of: scope) } }) else {
            throw BearerError(.insufficientScope, description: "a required scope is missing")
        }
        return (token, nil)
    }

    func error(rejecting error: any Error, scopes: [String]) throws -> ResourceError {
        var response =
            switch error {
            case let error as JOSEError: try ResourceError(rejecting: error)
            case let error as BearerError: try ResourceError(error.code)
            default: throw error
            }
        response.scopes = scopes
        return response
    }
}

// MARK: - Settings of a login

/// The configuration of a login.
struct LoginSettings: Sendable {
    /// The rules of the provider, such as `.itsme2` or `.netsEIDBroker`.
    var profile = OpenIDProfile.openID
    var issuer: String
    var clientID: String
    /// The URL of this service as browsers write an origin: no path, no slash at the end, no
    /// default port. Register `site + "/callback"`, and for logout
    /// `site + "/backchannel-logout"` and `site + "/"`.
    var site: String
    var secret: ClientSecret?
    /// The client's private keys, if the profile needs some.
    var keys = JWKSet(keys: [])
    /// The authorization request of a login.
    var request = AuthorizationRequest(scopes: ["profile", "email"])
    /// `.anyAddress` for a provider in your own network.
    var addressPolicy = AddressPolicy.publicAddresses
    /// The lifetime of a session.
    var sessionTime = Duration.seconds(8 * 3_600)
}

/// Sends the requests of a login: a POST if there is a body, otherwise a GET. It follows no
/// redirects, and throws only if there is no response.
typealias ProviderClient =
    @Sendable (
        _ url: String, _ headers: [OpenIDParameter], _ body: String?
    ) async throws -> OpenIDHTTPResponse

// MARK: - The endpoints of a login

/// The endpoints of a login: start, callback, logout, back-channel logout and key set. Each takes
/// the parts of a request, and returns the response to send.
///
/// A flow is for one provider. A second one needs a site of its own: it would use the same cookies,
/// and providers that share a redirect URI can be mixed up (RFC 9700, 4.4).
actor LoginFlow {
    private let settings: LoginSettings
    private let transport: CurlTransport
    private let client: ProviderClient
    private let store: any LoginStore
    private let observe: JOSEEventHandler
    private let log: @Sendable (String) -> Void
    private typealias Provider = (party: RelyingParty, metadata: ProviderMetadata)
    private var known: Provider?
    private var loading: Task<Provider, any Error>?

    private static let startedCookie = "__Host-login"
    private static let signedInCookie = "__Host-session"

    /// - Parameters:
    ///   - settings: The provider and the client.
    ///   - transport: Fetches the discovery document and keys. Nil makes one.
    ///   - client: Sends the other requests, and must apply `settings.addressPolicy` itself. Nil
    ///     sends them by the transport.
    ///   - store: The sessions. The default keeps them in memory, for one process.
    ///   - observe: Gets the events of the provider's keys.
    ///   - log: Gets a line for each failure and for what was ignored: the step, the URL of a
    ///     request without its query, and the error. It has no token, code or secret.
    init(
        _ settings: LoginSettings, transport: CurlTransport? = nil, client: ProviderClient? = nil,
        store: any LoginStore = MemoryLoginStore(), observe: @escaping JOSEEventHandler = { _ in },
        log: @escaping @Sendable (String) -> Void
    ) throws {
        let curl = try transport ?? CurlTransport()
        self.settings = settings
        self.transport = curl
        self.client = client ?? { try await curl.send($0, $1, $2, to: settings.addressPolicy) }
        self.store = store
        self.observe = observe
        self.log = log
    }

    /// `GET /login`: redirects the browser to the provider.
    func start() async throws -> OpenIDHTTPResponse {
        let step = LoginStep("login")
        do {
            let party = try await provider(step).party
            let started = try await start(party, step)
            let id = try BearerToken.fresh().text
            step.enter("session store")
            _ = try await store.put(
                .started(started.session), id: id, expires: .now.advanced(by: .seconds(600)))
            return try .redirect(to: started.url, [startedCookie(id, for: started.session)])
        } catch {
            return try rejection(error, step)
        }
    }

    /// The cookie of a started login; an empty one deletes it.
    private func startedCookie(
        _ id: String, for session: AuthorizationSession
    ) -> OpenIDParameter {
        // form_post is a cross-site POST, with which browsers send no `Lax` cookie.
        let isForm = [.formPost, .formPostJWT].contains(session.responseMode)
        return .cookie(
            LoginFlow.startedCookie, id, seconds: id.isEmpty ? 0 : 600,
            sameSite: isForm ? "None" : "Lax")
    }

    private func start(
        _ party: RelyingParty, _ step: LoginStep
    ) async throws -> AuthorizationStart {
        guard settings.profile.pushedRequests.isRequired else {
            return try await party.start(settings.request)
        }
        let pushed = try await party.push(settings.request)
        let request = pushed.request
        let response = try await send(request.url, request.headers, request.body, step)
        guard response.status == 201 else { throw try TokenError(response: response) }
        return try party.start(pushed, PushedAuthorizationResponse(json: response.body))
    }

    /// `GET /callback` with the query, or `POST /callback` with the form.
    ///
    /// - Parameter cookies: The `Cookie` header.
    func callback(
        query: String? = nil, form: String? = nil, cookies: String?
    ) async throws -> OpenIDHTTPResponse {
        let step = LoginStep("callback")
        let id: String
        let session: AuthorizationSession
        let party: RelyingParty
        let response: AuthorizationResponse
        do {
            guard let known = cookie(LoginFlow.startedCookie, in: cookies),
                case .started(let started)? = try await store.session(id: known)
            else { return try .text("This login was not started here.", status: 400) }
            (id, session) = (known, started)
            party = try await provider(step).party
            response =
                if let form {
                    try await party.authorizationResponse(form: form, for: session)
                } else {
                    try await party.authorizationResponse(query: query ?? "", for: session)
                }
        } catch let error as JOSEError where error.code != .unavailable {
            // Anyone may have sent it: the session stays.
            note(error, step)
            return try .text("The login failed.", status: 400)
        } catch {
            return try rejection(error, step)
        }
        do {
            let login = OpenIDLogin(
                party: party,
                post: { try await self.send($0.url, $0.headers, $0.body, step) },
                get: {
                    try await self.send(
                        $0.url, $0.headers, $0.method == "POST" ? $0.body : nil, step)
                })
            let done = try await login.finish(response, session) { [store] in
                guard try await store.take(id: id) != nil else { throw AlreadyFinished() }
            }
            let user = SignedInUser(
                issuer: done.idToken.issuer, subject: done.user.subject,
                name: try done.user.name, providerSession: done.idToken["sid"]?.string,
                issuedAt: done.idToken.issuedAt ?? .now,
                idToken: done.tokens.idToken.split(separator: ".").count == 3
                    ? done.tokens.idToken : nil)
            step.enter("session store")
            // Ends the browser's earlier session. With form_post its cookie (SameSite=Lax) is not
            // sent, so that it stays.
            if let last = cookie(LoginFlow.signedInCookie, in: cookies) {
                _ = try await store.take(id: last)
            }
            // A new session ID prevents session fixation.
            let id = try BearerToken.fresh().text
            let end = NumericDate.now.advanced(by: settings.sessionTime)
            guard try await store.put(.signedIn(user), id: id, expires: end) else {
                log("\(step): the provider has ended this session")
                return try .text("The login failed.", status: 400)
            }
            let seconds = settings.sessionTime.components.seconds
            return try .redirect(
                to: "/",
                [
                    .cookie(LoginFlow.signedInCookie, id, seconds: seconds, sameSite: "Lax"),
                    startedCookie("", for: session),
                ])
        } catch is AlreadyFinished {
            return try .redirect(to: "/")
        } catch {
            return try rejection(error, step)
        }
    }

    /// Another callback has finished the login.
    private struct AlreadyFinished: Error {}

    /// The signed-in user of a browser.
    ///
    /// - Parameter cookies: The `Cookie` header.
    func user(cookies: String?) async throws -> SignedInUser? {
        guard let id = cookie(LoginFlow.signedInCookie, in: cookies),
            case .signedIn(let user)? = try await store.session(id: id)
        else { return nil }
        return user
    }

    /// `POST /logout`: ends the session here, then at the provider if it has an endpoint for it.
    /// Browsers do not send the session cookie with the post of another site (`SameSite=Lax`).
    /// Subdomains are no other site, so the origin is checked too.
    ///
    /// - Parameters:
    ///   - cookies: The `Cookie` header.
    ///   - origin: The `Origin` header.
    func logout(cookies: String?, origin: String?) async throws -> OpenIDHTTPResponse {
        guard origin?.hasBytes(of: settings.site) ?? true else {
            return try .text("Sign out on the site's own page.", status: 403)
        }
        let step = LoginStep("logout")
        let gone = OpenIDParameter.cookie(
            LoginFlow.signedInCookie, "", seconds: 0, sameSite: "Lax")
        do {
            guard let id = cookie(LoginFlow.signedInCookie, in: cookies),
                case .signedIn(let user)? = try await store.take(id: id)
            else { return try .redirect(to: "/", [gone]) }
            let (party, metadata) = try await provider(step)
            guard metadata["end_session_endpoint"] != nil else {
                return try .redirect(to: "/", [gone])
            }
            let url = try party.logoutURL(idToken: user.idToken, returningTo: settings.site + "/")
            return try .redirect(to: url, [gone])
        } catch {
            note(error, step)
            return try .text(
                "You are signed out here, but perhaps not at the provider.", status: 503, [gone])
        }
    }

    /// `POST /backchannel-logout`: the provider ends a session.
    func backchannelLogout(form: String) async throws -> OpenIDHTTPResponse {
        let step = LoginStep("back-channel logout")
        do {
            let token = try await provider(step).party.verifyLogout(form: form, once: Unrecorded())
            step.enter("session store")
            let count = try await store.end(
                EndedSessions(
                    issuer: settings.issuer, subject: token.subject,
                    providerSession: token.sessionID, issuedAt: token.issuedAt))
            if count == 0 { log("\(step): no session here is the token's") }
            return try .loggedOut()
        } catch let error as JOSEError {
            note(error, step)
            return try .loggedOut(rejecting: error)
        } catch {
            note(error, step)
            return try .text("Try again later.", status: 503)
        }
    }

    /// Records no use of logout tokens (Back-Channel Logout 1.0, 2.6: optional). If the session
    /// store fails, the provider must be able to send the token again. To end sessions twice
    /// changes nothing: `EndedSessions` includes a later login only if the provider gives it the
    /// same `sid`.
    private struct Unrecorded: ReplayStore {
        func markUsed(_ use: ReplayEntry, at now: NumericDate) {}
    }

    /// `GET /jwks`: the client's public keys.
    func keySet() throws -> OpenIDHTTPResponse {
        try .keySet(settings.keys, for: settings.profile)
    }

    /// Fetches the discovery document once, and keys when needed. Callers that come meanwhile share
    /// the result.
    private func provider(_ step: LoginStep) async throws -> Provider {
        if let known { return known }
        step.enter("discovery document", ProviderMetadata.discoveryURL(issuer: settings.issuer))
        let task = loading ?? Task { try await load(step) }
        loading = task
        let provider = try await task.value
        step.enter("")
        return provider
    }

    private func load(_ step: LoginStep) async throws -> Provider {
        defer { loading = nil }
        let url = ProviderMetadata.discoveryURL(issuer: settings.issuer)
        let fetcher = SSRFSafeFetcher(transport: transport, addressPolicy: settings.addressPolicy)
        let metadata = try ProviderMetadata(
            json: await fetcher.discoveryDocument(at: url), issuer: settings.issuer,
            profile: settings.profile)
        var times = RemoteJWKSetSettings()
        // Anyone can send a token with an unknown kid, and thereby delay a new key for this time.
        times.unknownKeyIDInterval = .seconds(30)
        for ignored in metadata.ignored { log("\(step): ignores \(ignored)") }
        step.enter("settings")
        let party = try RelyingParty(
            profile: settings.profile, metadata: metadata, clientID: settings.clientID,
            redirectURI: settings.site + "/callback", keys: settings.keys,
            secret: settings.secret,
            providerKeys: RemoteJWKSet(
                untrustedURL: metadata.jwksURI, addressPolicy: settings.addressPolicy,
                settings: times, transport: transport, observe: observe))
        known = (party, metadata)
        return (party, metadata)
    }

    private func send(
        _ url: String, _ headers: [OpenIDParameter], _ body: String?, _ step: LoginStep
    ) async throws -> OpenIDHTTPResponse {
        step.enter("request to", url)
        let response = try await client(url, headers, body)
        step.enter("response of", url)
        return response
    }

    /// The page for an error. Descriptions of providers are for the log only.
    private func rejection(
        _ error: any Error, _ step: LoginStep
    ) throws -> OpenIDHTTPResponse {
        note(error, step)
        return switch error {
        case let error as AuthorizationError:
            try .text(
                error.isAuthenticated ? error.code.pageText : "The login failed.", status: 400)
        case let error as TokenError where error.httpStatus == 429:
            try .text("Try again later.", status: 503)
        case let error as TokenError: try .text(error.code.pageText, status: 502)
        case let error as JOSEError where error.code == .unavailable:
            try .text("Try again later.", status: 503)
        case let error as JOSEError where error.code == .misuse:
            try .text("The login failed.", status: 500)
        case is JOSEError, is BearerError: try .text("The login failed.", status: 502)
        default: try .text("Try again later.", status: 503)
        }
    }

    /// Logs an error, at most 200 characters: anyone can send an error response of 2 KB.
    private func note(_ error: any Error, _ step: LoginStep) {
        log("\(step): " + String(String.UnicodeScalarView("\(error)".unicodeScalars.prefix(200))))
    }

    /// Returns the value of a cookie of at most 128 bytes; nil if it is repeated, or if the header
    /// is not printable ASCII.
    ///
    /// Compares bytes as browsers do. Swift treats U+037E as a semicolon, so a script that may set
    /// one cookie could otherwise set all.
    private func cookie(_ name: String, in header: String?) -> String? {
        guard let line = header?.utf8, line.count <= 8_192,
            line.allSatisfy({ 0x20...0x7e ~= $0 })
        else { return nil }
        let start = Array((name + "=").utf8)
        let values = line.split(separator: UInt8(ascii: ";"))
            .map { $0.drop { $0 == UInt8(ascii: " ") } }
            .filter { $0.starts(with: start) }
            .map { $0.dropFirst(start.count) }
        return values.count == 1 && values[0].count <= 128 ? String(values[0]) : nil
    }
}

/// The step that an endpoint has reached, for its log line.
private final class LoginStep: Sendable, CustomStringConvertible {
    private let endpoint: String
    private let current = Mutex("")

    init(_ endpoint: String) { self.endpoint = endpoint }

    /// - Parameter url: The URL of a request. Its query is left out.
    func enter(_ name: String, _ url: String = "") {
        let place = url.unicodeScalars.prefix { $0 != "?" }.prefix(200)
        current.withLock { $0 = name + (url.isEmpty ? "" : " \(Substring(place))") }
    }

    var description: String { current.withLock { endpoint + ($0.isEmpty ? "" : ", " + $0) } }
}

// MARK: - The end of a login

/// Signs users in at an OpenID Connect provider.
struct OpenIDLogin: Sendable {
    let party: RelyingParty
    let post: @Sendable (TokenRequest) async throws -> OpenIDHTTPResponse  // your HTTP client
    let get: @Sendable (OpenIDHTTPRequest) async throws -> OpenIDHTTPResponse

    /// Finishes a login. Throws the provider's errors.
    ///
    /// - Parameters:
    ///   - response: The response at the callback, read by `party.authorizationResponse`.
    ///   - session: The session that the browser's cookie names. Do not look it up by `state`.
    ///   - remove: Removes the session from your store. Throws if it is no longer there.
    func finish(
        _ response: AuthorizationResponse, _ session: AuthorizationSession,
        remove: @Sendable () async throws -> Void
    ) async throws -> (tokens: TokenResponse, idToken: VerifiedIDToken, user: VerifiedUserInfo) {
        if case .unauthenticatedError(let error) = response { throw error }  // keep the session
        try await remove()  // before the token request, or two callbacks could send the code
        let code = try response.code()

        let request = try await party.tokenRequest(code: code, for: session)
        let tokenResponse = try await post(request)
        guard tokenResponse.status == 200 else { throw try TokenError(response: tokenResponse) }
        let tokens = try TokenResponse(json: tokenResponse.body, to: request)
        let idToken = try await party.verifyIDToken(
            tokens.idToken, for: session, accessToken: tokens.accessToken, code: code)

        let userInfo = try await get(party.userInfoRequest(accessToken: tokens.accessToken))
        guard userInfo.status == 200 else { throw try BearerError(response: userInfo) }
        let user = try await party.verifyUserInfo(
            userInfo.body, for: idToken, contentType: userInfo.header("Content-Type"))
        return (tokens, idToken, user)
    }
}

// MARK: - Sessions

/// A signed-in user, as the session store keeps it.
struct SignedInUser: Codable, Sendable {
    /// The provider. A subject is unique only there.
    let issuer: String
    let subject: String
    let name: String?
    /// `sid`: the session at the provider.
    let providerSession: String?
    /// When the provider issued the ID Token.
    let issuedAt: NumericDate
    /// The ID Token, a hint for the provider at logout; nil for an encrypted one.
    let idToken: String?
}

/// What a session cookie stands for.
enum LoginSession: Codable, Sendable {
    case started(AuthorizationSession)
    case signedIn(SignedInUser)
}

/// The sessions that a logout token ends.
struct EndedSessions: Codable, Sendable {
    let issuer: String
    let subject: String?
    /// `sid`; nil for all sessions of the user.
    let providerSession: String?
    /// When the provider issued the logout token.
    let issuedAt: NumericDate

    func include(_ user: SignedInUser) -> Bool {
        guard issuer.hasBytes(of: user.issuer), subject?.hasBytes(of: user.subject) ?? true else {
            return false
        }
        if let providerSession, let session = user.providerSession {
            return providerSession.hasBytes(of: session)
        }
        // A session without `sid` ends with any of its user. A later login stays, so that a
        // provider may send the token again.
        return subject != nil && user.issuedAt <= issuedAt
    }
}

extension String {
    /// Whether both texts have the same bytes. `==` also treats different bytes as equal, such as
    /// two spellings of `é`.
    fileprivate func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

/// Keeps sessions by ID. If the service runs on several machines, they need a common database.
protocol LoginStore: Sendable {
    /// Stores a session. Stores nothing if `end` has ended it in the last five minutes, since a
    /// logout token may arrive before its login is finished.
    ///
    /// - Returns: Whether the session is stored.
    func put(_ session: LoginSession, id: String, expires: NumericDate) async throws -> Bool
    func session(id: String) async throws -> LoginSession?
    /// Removes and returns a session, in one step.
    func take(id: String) async throws -> LoginSession?
    /// Ends sessions, and remembers `sessions` for five minutes.
    ///
    /// - Returns: How many sessions were stored.
    func end(_ sessions: EndedSessions) async throws -> Int
}

/// Sessions in memory: at most `limit` logins in progress, and as many signed-in users.
actor MemoryLoginStore: LoginStore {
    private struct Table {
        var sessions: [String: (session: LoginSession, expires: NumericDate)] = [:]
        let limit: Int

        /// If the table is full, keeps nine tenths at most: those that expire last.
        mutating func put(_ session: LoginSession, _ id: String, _ expires: NumericDate) {
            if sessions.count >= limit {
                let kept = sessions.filter { .now < $0.value.expires }
                    .sorted { $0.value.expires > $1.value.expires }
                sessions = Dictionary(
                    uniqueKeysWithValues: kept.prefix(limit - limit / 10 - 1).map { ($0, $1) })
            }
            sessions[id] = (session, expires)
        }
    }
    private var started: Table
    private var signedIn: Table
    private var ended: [(sessions: EndedSessions, time: NumericDate)] = []

    init(limit: Int = 100_000) {
        started = Table(limit: limit)
        signedIn = Table(limit: limit)
    }

    func put(_ session: LoginSession, id: String, expires: NumericDate) -> Bool {
        guard case .signedIn(let user) = session else {
            started.put(session, id, expires)
            return true
        }
        let oldest = NumericDate.now.advanced(by: .seconds(-300))
        guard !ended.contains(where: { oldest < $0.time && $0.sessions.include(user) }) else {
            return false
        }
        signedIn.put(session, id, expires)
        return true
    }

    func session(id: String) -> LoginSession? {
        (signedIn.sessions[id] ?? started.sessions[id]).flatMap {
            .now < $0.expires ? $0.session : nil
        }
    }

    func take(id: String) -> LoginSession? {
        defer { (started.sessions[id], signedIn.sessions[id]) = (nil, nil) }
        return session(id: id)
    }

    func end(_ sessions: EndedSessions) -> Int {
        let oldest = NumericDate.now.advanced(by: .seconds(-300))
        ended = ended.suffix(9_999).filter { oldest < $0.time } + [(sessions, .now)]
        let ids = signedIn.sessions.filter { _, entry in
            guard case .signedIn(let user) = entry.session else { return false }
            return sessions.include(user)
        }.keys
        for id in ids { signedIn.sessions[id] = nil }
        return ids.count
    }
}

// MARK: - Requests, responses and cookies

extension CurlTransport {
    /// Sends a request, to an address that the policy allows. The transport bounds the requests in
    /// progress (`maxRequests`), also those whose browser has gone.
    func send(
        _ url: String, _ headers: [OpenIDParameter], _ body: String?, to policy: AddressPolicy
    ) async throws -> OpenIDHTTPResponse {
        var request = HTTPSRequest(
            url: url, headers: headers.map { ($0.name, $0.value) }, body: body)
        request.addressPolicy = policy
        let response = try await send(request)
        guard let text = String(validating: response.body, as: UTF8.self) else {
            throw JWKSetTransportError.broken
        }
        let fields = ["Content-Type", "DPoP-Nonce", "WWW-Authenticate"].compactMap { name in
            response.header(name).map { OpenIDParameter(name, $0) }
        }
        return try OpenIDHTTPResponse(status: response.status, headers: fields, body: text)
    }
}

extension OpenIDParameter {
    /// The header that sets a cookie for this host, unreadable for scripts.
    fileprivate static func cookie(
        _ name: String, _ value: String, seconds: Int64, sameSite: String
    ) -> OpenIDParameter {
        OpenIDParameter(
            "Set-Cookie",
            "\(name)=\(value); Path=/; Max-Age=\(seconds); Secure; HttpOnly; SameSite=\(sameSite)")
    }
}

extension OpenIDHTTPResponse {
    fileprivate static func redirect(
        to url: String, _ cookies: [OpenIDParameter] = []
    ) throws -> OpenIDHTTPResponse {
        let location = OpenIDParameter("Location", url)
        let noStore = OpenIDParameter("Cache-Control", "no-store")
        return try OpenIDHTTPResponse(status: 303, headers: [location, noStore] + cookies)
    }

    fileprivate static func text(
        _ text: String, status: Int, _ cookies: [OpenIDParameter] = []
    ) throws -> OpenIDHTTPResponse {
        try OpenIDHTTPResponse(
            status: status,
            headers: [
                OpenIDParameter("Content-Type", "text/plain; charset=utf-8"),
                OpenIDParameter("Cache-Control", "no-store"),
                OpenIDParameter("X-Content-Type-Options", "nosniff"),
            ] + cookies, body: text)
    }
}

/// Whether a content type is that of a form. Long texts and others than ASCII are costly to
/// compare.
private func isForm(_ contentType: String?) -> Bool {
    guard let type = contentType?.utf8, type.count <= 256, type.allSatisfy({ $0 < 0x80 }) else {
        return false
    }
    let name = type.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
    return Substring(name).lowercased() == "application/x-www-form-urlencoded"
}

#if canImport(Hummingbird)

    // MARK: - Hummingbird

    import HTTPTypes
    import Hummingbird

    /// A request context with the verified access token and its claims.
    struct AccessTokenContext<Claims: Decodable & Sendable>: RequestContext {
        var coreContext: CoreRequestContextStorage
        fileprivate var verified: Access<Claims>?

        init(source: Source) { coreContext = CoreRequestContextStorage(source: source) }

        /// The access token and its claims.
        ///
        /// - Throws: Status 500 on a route without the middleware `AccessTokens`.
        var access: Access<Claims> {
            get throws {
                guard let verified else { throw HTTPError(.internalServerError) }
                return verified
            }
        }

        var claims: Claims { get throws { try access.claims } }
    }

    extension AccessTokens: RouterMiddleware {
        typealias Context = AccessTokenContext<Claims>

        func handle(
            _ request: Request, context: Context,
            next: (Request, Context) async throws -> Response
        ) async throws -> Response {
            var context = context
            let access: Access<Claims>
            do {
                access = try await verify(
                    method: request.method.rawValue, path: request.head.path ?? "/",
                    authorization: request.headers[.authorization],
                    proofs: request.headers[values: .dpop])
            } catch let error as RejectedRequest {
                context.logger.log(
                    level: error.isServiceFailure ? .error : .info, "access token rejected",
                    metadata: ["error": "\(error.reason)"])
                return Response(error.response)
            }
            context.verified = access
            var response = try await next(request, context)
            if let nonce = access.nextNonce { response.headers[.dpopNonce] = nonce }
            return response
        }
    }

    extension Router {
        /// Adds the routes of a login.
        func addLogin(_ flow: LoginFlow) {
            get("login") { _, _ in Response(try await flow.start()) }
            get("callback") { request, _ in
                Response(
                    try await flow.callback(
                        query: request.uri.query ?? "", cookies: request.headers[.cookie]))
            }
            post("callback") { request, _ in
                Response(
                    try await flow.callback(
                        form: try await request.form(), cookies: request.headers[.cookie]))
            }
            post("logout") { request, _ in
                Response(
                    try await flow.logout(
                        cookies: request.headers[.cookie], origin: request.headers[.origin]))
            }
            post("backchannel-logout") { request, _ in
                Response(try await flow.backchannelLogout(form: try await request.form()))
            }
            get("jwks") { _, _ in Response(try await flow.keySet()) }
        }
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
            guard isForm(headers[.contentType]) else { throw HTTPError(.unsupportedMediaType) }
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

    // swift-format-ignore: NeverForceUnwrap
    extension HTTPField.Name {
        static let dpop = HTTPField.Name("DPoP")!
        fileprivate static let dpopNonce = HTTPField.Name("DPoP-Nonce")!
    }

#elseif canImport(Vapor)

    // MARK: - Vapor

    import Vapor

    /// In a route: `request.auth.require(Access<Claims>.self)`.
    extension Access: Authenticatable {}

    extension AccessTokens: AsyncMiddleware {
        func respond(
            to request: Request, chainingTo next: any AsyncResponder
        ) async throws -> Response {
            // Joins two Authorization headers, so that the request is rejected as malformed.
            let authorization = request.headers[.authorization]
            let access: Access<Claims>
            do {
                access = try await verify(
                    method: request.method.rawValue, path: request.url.string,
                    authorization: authorization.isEmpty
                        ? nil : authorization.joined(separator: ", "),
                    proofs: request.headers["DPoP"])
            } catch let error as RejectedRequest {
                request.logger.log(
                    level: error.isServiceFailure ? .error : .info, "access token rejected",
                    metadata: ["error": "\(error.reason)"])
                return Response(error.response)
            }
            request.auth.login(access)
            let response = try await next.respond(to: request)
            if let nonce = access.nextNonce {
                response.headers.replaceOrAdd(name: "DPoP-Nonce", value: nonce)
            }
            return response
        }
    }

    extension RoutesBuilder {
        /// Adds the routes of a login. Forms have at most 64 KB.
        func addLogin(_ flow: LoginFlow) {
            get("login") { _ in Response(try await flow.start()) }
            get("callback") { request in
                Response(
                    try await flow.callback(
                        query: request.url.query ?? "", cookies: request.cookieHeader))
            }
            on(.POST, "callback", body: .collect(maxSize: "64kb")) { request in
                try await request.withForm { form in
                    try await flow.callback(
                        form: form, cookies: request.cookieHeader)
                }
            }
            post("logout") { request in
                Response(
                    try await flow.logout(
                        cookies: request.cookieHeader,
                        origin: request.headers.first(name: .origin)))
            }
            on(.POST, "backchannel-logout", body: .collect(maxSize: "64kb")) { request in
                try await request.withForm { try await flow.backchannelLogout(form: $0) }
            }
            get("jwks") { _ in Response(try await flow.keySet()) }
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

    extension Request {
        /// The `Cookie` header. HTTP/2 clients may send several (RFC 9113, 8.2.3).
        var cookieHeader: String? {
            let all = headers[.cookie]
            return all.isEmpty ? nil : all.joined(separator: "; ")
        }

        /// Reads a form. Responds with status 415 to another content type, and with 400 to other
        /// bytes than UTF-8. It returns these instead of throwing `Abort`, since Vapor logs the
        /// query of a request whose route throws.
        fileprivate func withForm(
            _ work: (String) async throws -> OpenIDHTTPResponse
        ) async throws -> Response {
            // Not `headers.contentType`: Vapor's parser of long texts is slow.
            guard isForm(headers.first(name: .contentType)) else {
                return Response(status: .unsupportedMediaType)
            }
            let bytes = body.data.map { Array($0.readableBytesView) } ?? []
            guard let form = String(validating: bytes, as: UTF8.self) else {
                return Response(status: .badRequest)
            }
            return Response(try await work(form))
        }
    }

#endif
