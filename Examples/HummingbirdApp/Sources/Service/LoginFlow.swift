// Logins at one OpenID provider, for any web framework: it takes the parts of a request, and
// returns the response to send. Copy this file, LoginStore.swift, OpenIDLogin.swift and
// OpenIDClient.swift.

import JOSE
import JOSEOpenID
import JOSERemote

/// The configuration of a login.
struct LoginSettings: Sendable {
    /// The rules of the provider, such as `.itsme2` or `.netsEIDBroker`.
    var profile = OpenIDProfile.openID
    var issuer: String
    var clientID: String
    /// The URL of this service without a path. Register `site + "/callback"`, and for logout
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

/// The endpoints of a login: start, callback, logout, back-channel logout and key set.
///
/// A flow is for one provider. A second one needs a site of its own: it would use the same cookies,
/// and providers that share a redirect URI can be mixed up (RFC 9700, 4.4).
actor LoginFlow {
    private let settings: LoginSettings
    private let client: any OpenIDClient
    private let transport: CurlTransport
    private let store: any LoginStore
    private let observe: JOSEEventHandler
    private let log: @Sendable (String) -> Void
    private var known: (party: RelyingParty, metadata: ProviderMetadata)?

    static let startedCookie = "__Host-login"
    static let signedInCookie = "__Host-session"

    init(
        _ settings: LoginSettings, client: any OpenIDClient, transport: CurlTransport,
        store: any LoginStore = MemoryLoginStore(), observe: @escaping JOSEEventHandler = { _ in },
        log: @escaping @Sendable (String) -> Void
    ) {
        self.settings = settings
        self.client = client
        self.transport = transport
        self.store = store
        self.observe = observe
        self.log = log
    }

    /// `GET /login`: redirects the browser to the provider.
    func start() async throws -> OpenIDHTTPResponse {
        do {
            let party = try await provider().party
            let started = try await start(party)
            let id = try BearerToken.fresh().text
            _ = try await store.put(
                .started(started.session), id: id, expires: .now.advanced(by: .seconds(600)))
            // Browsers send only a cookie with SameSite=None with the cross-site post of form_post.
            return try .redirect(
                to: started.url,
                [.cookie(LoginFlow.startedCookie, id, seconds: 600, sameSite: "None")])
        } catch {
            return try rejection(error)
        }
    }

    private func start(_ party: RelyingParty) async throws -> AuthorizationStart {
        guard settings.profile.pushedRequests.isRequired else {
            return try await party.start(settings.request)
        }
        let pushed = try await party.push(settings.request)
        let response = try await client.post(pushed.request)
        guard response.status == 201 else { throw try TokenError(response: response) }
        return try party.start(pushed, PushedAuthorizationResponse(json: response.body))
    }

    /// `GET /callback` with the query, or `POST /callback` with the form.
    ///
    /// - Parameter cookies: The `Cookie` header.
    func callback(
        query: String? = nil, form: String? = nil, cookies: String?
    ) async throws -> OpenIDHTTPResponse {
        let id: String
        let session: AuthorizationSession
        let party: RelyingParty
        let response: AuthorizationResponse
        do {
            guard let known = cookie(LoginFlow.startedCookie, in: cookies),
                case .started(let started)? = try await store.session(id: known)
            else { return try .text("This login was not started here.", status: 400) }
            (id, session) = (known, started)
            party = try await provider().party
            response =
                if let form {
                    try await party.authorizationResponse(form: form, for: session)
                } else {
                    try await party.authorizationResponse(query: query ?? "", for: session)
                }
        } catch let error as JOSEError where error.code != .unavailable {
            // Anyone may have sent it: the session stays.
            note("login", error)
            return try .text("The login failed.", status: 400)
        } catch {
            return try rejection(error)
        }
        do {
            let login = OpenIDLogin(party: party, post: client.post, get: client.get)
            let done = try await login.finish(response, session) { [store] in
                guard try await store.take(id: id) != nil else { throw AlreadyFinished() }
            }
            let user = SignedInUser(
                issuer: done.idToken.issuer, subject: done.user.subject,
                name: try done.user.name, providerSession: done.idToken["sid"]?.string,
                issuedAt: done.idToken.issuedAt ?? .now,
                idToken: done.tokens.idToken.split(separator: ".").count == 3
                    ? done.tokens.idToken : nil)
            // The browser's last session. A cross-site post (form_post) does not name it.
            if let last = cookie(LoginFlow.signedInCookie, in: cookies) {
                _ = try await store.take(id: last)
            }
            // A new session ID prevents session fixation.
            let id = try BearerToken.fresh().text
            let end = NumericDate.now.advanced(by: settings.sessionTime)
            guard try await store.put(.signedIn(user), id: id, expires: end) else {
                log("login: the provider has ended this session")
                return try .text("The login failed.", status: 400)
            }
            let seconds = settings.sessionTime.components.seconds
            return try .redirect(
                to: "/",
                [
                    .cookie(LoginFlow.signedInCookie, id, seconds: seconds, sameSite: "Lax"),
                    .cookie(LoginFlow.startedCookie, "", seconds: 0, sameSite: "None"),
                ])
        } catch is AlreadyFinished {
            return try .redirect(to: "/")
        } catch {
            return try rejection(error)
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
        let gone = OpenIDParameter.cookie(
            LoginFlow.signedInCookie, "", seconds: 0, sameSite: "Lax")
        do {
            guard let id = cookie(LoginFlow.signedInCookie, in: cookies),
                case .signedIn(let user)? = try await store.take(id: id)
            else { return try .redirect(to: "/", [gone]) }
            let (party, metadata) = try await provider()
            guard metadata["end_session_endpoint"] != nil else {
                return try .redirect(to: "/", [gone])
            }
            let url = try party.logoutURL(idToken: user.idToken, returningTo: settings.site + "/")
            return try .redirect(to: url, [gone])
        } catch {
            note("logout", error)
            return try .text(
                "You are signed out here, but perhaps not at the provider.", status: 503, [gone])
        }
    }

    /// `POST /backchannel-logout`: the provider ends a session.
    func backchannelLogout(form: String) async throws -> OpenIDHTTPResponse {
        do {
            let token = try await provider().party.verifyLogout(form: form, once: Unrecorded())
            let count = try await store.end(
                EndedSessions(
                    issuer: settings.issuer, subject: token.subject,
                    providerSession: token.sessionID, issuedAt: token.issuedAt))
            if count == 0 { log("back-channel logout: no session here is the token's") }
            return try .loggedOut()
        } catch let error as JOSEError {
            note("back-channel logout", error)
            return try .loggedOut(rejecting: error)
        } catch {
            note("back-channel logout", error)
            return try .text("Try again later.", status: 503)
        }
    }

    /// Records no use of logout tokens (Back-Channel Logout 1.0, 2.6: optional). If the session
    /// store fails, the provider must be able to send the token again. To end sessions twice
    /// changes nothing, as `EndedSessions` includes no later login.
    private struct Unrecorded: ReplayStore {
        func markUsed(_ use: ReplayEntry, at now: NumericDate) {}
    }

    /// `GET /jwks`: the client's public keys.
    func keySet() throws -> OpenIDHTTPResponse {
        try .keySet(settings.keys, for: settings.profile)
    }

    /// Fetches the discovery document once, and keys when needed.
    private func provider() async throws -> (party: RelyingParty, metadata: ProviderMetadata) {
        if let known { return known }
        let fetcher = SSRFSafeFetcher(transport: transport, addressPolicy: settings.addressPolicy)
        let document = try await fetcher.discoveryDocument(
            at: ProviderMetadata.discoveryURL(issuer: settings.issuer))
        let metadata = try ProviderMetadata(
            json: document, issuer: settings.issuer, profile: settings.profile)
        var times = RemoteJWKSetSettings()
        // Anyone can send a token with an unknown kid, and thereby delay a new key for this time.
        times.unknownKeyIDInterval = .seconds(30)
        for ignored in metadata.ignored { log("discovery document: ignores \(ignored)") }
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

    /// The page for an error. Descriptions of providers are for the log only.
    private func rejection(_ error: any Error) throws -> OpenIDHTTPResponse {
        note("login", error)
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
    private func note(_ task: String, _ error: any Error) {
        log(task + ": " + String(String.UnicodeScalarView("\(error)".unicodeScalars.prefix(200))))
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

extension OpenIDParameter {
    /// The header that sets a cookie for this host, unreadable for scripts.
    static func cookie(
        _ name: String, _ value: String, seconds: Int64, sameSite: String
    ) -> OpenIDParameter {
        OpenIDParameter(
            "Set-Cookie",
            "\(name)=\(value); Path=/; Max-Age=\(seconds); Secure; HttpOnly; SameSite=\(sameSite)")
    }
}

extension OpenIDHTTPResponse {
    static func redirect(
        to url: String, _ cookies: [OpenIDParameter] = []
    ) throws -> OpenIDHTTPResponse {
        try OpenIDHTTPResponse(
            status: 303,
            headers: [
                OpenIDParameter("Location", url), OpenIDParameter("Cache-Control", "no-store"),
            ]
                + cookies)
    }

    static func text(
        _ text: String, status: Int = 200, _ cookies: [OpenIDParameter] = []
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
