// Logins at one OpenID provider, for any web framework: it takes the parts of a request, and
// returns the response to send. Copy this file, OpenIDLogin.swift and OpenIDClient.swift.

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

/// A signed-in user, as the session store keeps it.
struct SignedInUser: Codable, Sendable {
    let subject: String
    let name: String?
    /// `sid`: the session at the provider.
    let providerSession: String?
    /// The ID Token, a hint for the provider at logout; nil for an encrypted one.
    let idToken: String?
}

/// What a session cookie stands for.
enum LoginSession: Codable, Sendable {
    case started(AuthorizationSession)
    case signedIn(SignedInUser)
}

/// Keeps sessions by ID. Several machines share a database.
protocol LoginStore: Sendable {
    func put(_ session: LoginSession, id: String, expires: NumericDate) async throws
    func session(id: String) async throws -> LoginSession?
    /// Removes and returns a session, in one step.
    func take(id: String) async throws -> LoginSession?
    /// Ends the sessions of a user, or only the one with this `sid`.
    func end(subject: String?, providerSession: String?) async throws
}

/// The endpoints of a login: start, callback, logout, back-channel logout and key set.
actor LoginFlow {
    private let settings: LoginSettings
    private let client: any OpenIDClient
    private let transport: CurlTransport
    private let store: any LoginStore
    private let observe: JOSEEventHandler
    private let log: @Sendable (String) -> Void
    /// For several machines: `RedisReplayStore`.
    private let replays = MemoryReplayStore()
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
            try await store.put(
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
        guard let id = cookie(LoginFlow.startedCookie, in: cookies),
            case .started(let session)? = try await store.session(id: id)
        else { return try .text("This login was not started here.", status: 400) }
        let party: RelyingParty
        let response: AuthorizationResponse
        do {
            party = try await provider().party
            response =
                if let form {
                    try await party.authorizationResponse(form: form, for: session)
                } else {
                    try await party.authorizationResponse(query: query ?? "", for: session)
                }
        } catch let error as JOSEError where error.code != .unavailable {
            // Anyone may have sent it: the session stays.
            log("login: \(error)")
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
                subject: done.user.subject, name: try done.user.name,
                providerSession: done.idToken["sid"]?.string,
                idToken: done.tokens.idToken.split(separator: ".").count == 3
                    ? done.tokens.idToken : nil)
            // A new session ID prevents session fixation.
            let id = try BearerToken.fresh().text
            let end = NumericDate.now.advanced(by: settings.sessionTime)
            try await store.put(.signedIn(user), id: id, expires: end)
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
    func logout(cookies: String?) async throws -> OpenIDHTTPResponse {
        let gone = OpenIDParameter.cookie(
            LoginFlow.signedInCookie, "", seconds: 0, sameSite: "Lax")
        guard let id = cookie(LoginFlow.signedInCookie, in: cookies),
            case .signedIn(let user)? = try await store.take(id: id)
        else { return try .redirect(to: "/", [gone]) }
        do {
            let (party, metadata) = try await provider()
            guard metadata["end_session_endpoint"] != nil else {
                return try .redirect(to: "/", [gone])
            }
            let url = try party.logoutURL(idToken: user.idToken, returningTo: settings.site + "/")
            return try .redirect(to: url, [gone])
        } catch {
            log("logout: \(error)")
            return try .text(
                "You are signed out here, but perhaps not at the provider.", status: 503, [gone])
        }
    }

    /// `POST /backchannel-logout`: the provider ends a session.
    func backchannelLogout(form: String) async throws -> OpenIDHTTPResponse {
        do {
            let token = try await provider().party.verifyLogout(form: form, once: replays)
            try await store.end(subject: token.subject, providerSession: token.sessionID)
            return try .loggedOut()
        } catch let error as JOSEError {
            log("back-channel logout: \(error)")
            return try .loggedOut(rejecting: error)
        }
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
        for ignored in metadata.ignored { log("discovery document: ignores \(ignored)") }
        let party = try RelyingParty(
            profile: settings.profile, metadata: metadata, clientID: settings.clientID,
            redirectURI: settings.site + "/callback", keys: settings.keys,
            secret: settings.secret,
            providerKeys: RemoteJWKSet(
                untrustedURL: metadata.jwksURI, addressPolicy: settings.addressPolicy,
                transport: transport, observe: observe))
        known = (party, metadata)
        return (party, metadata)
    }

    /// The page for an error. Descriptions of providers are for the log only.
    private func rejection(_ error: any Error) throws -> OpenIDHTTPResponse {
        log("login: \(error)")
        return switch error {
        case let error as AuthorizationError:
            try .text(
                error.isAuthenticated ? error.code.pageText : "The login failed.", status: 400)
        case let error as TokenError: try .text(error.code.pageText, status: 502)
        case let error as JOSEError where error.code == .unavailable:
            try .text("Try again later.", status: 503)
        case let error as JOSEError where error.code == .misuse:
            try .text("The login failed.", status: 500)
        case is JOSEError, is BearerError: try .text("The login failed.", status: 502)
        default: try .text("Try again later.", status: 503)
        }
    }

    /// Returns the value of a cookie of at most 128 bytes.
    private func cookie(_ name: String, in header: String?) -> String? {
        guard let header, header.utf8.count <= 8_192 else { return nil }
        for pair in header.split(separator: ";") {
            let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0] == name, parts[1].utf8.count <= 128 {
                return String(parts[1])
            }
        }
        return nil
    }
}

/// Sessions in memory, at most 100,000. A full store drops the one that expires first.
actor MemoryLoginStore: LoginStore {
    private var sessions: [String: (session: LoginSession, expires: NumericDate)] = [:]

    func put(_ session: LoginSession, id: String, expires: NumericDate) {
        if sessions.count >= 100_000 {
            sessions = sessions.filter { .now < $0.value.expires }
            if sessions.count >= 100_000,
                let first = sessions.min(by: { $0.value.expires < $1.value.expires })
            {
                sessions[first.key] = nil
            }
        }
        sessions[id] = (session, expires)
    }

    func session(id: String) -> LoginSession? {
        sessions[id].flatMap { .now < $0.expires ? $0.session : nil }
    }

    func take(id: String) -> LoginSession? {
        defer { sessions[id] = nil }
        return session(id: id)
    }

    func end(subject: String?, providerSession: String?) {
        sessions = sessions.filter { _, entry in
            guard case .signedIn(let user) = entry.session else { return true }
            let isEnded =
                if let providerSession { user.providerSession == providerSession } else { true }
            return !(isEnded && (subject == nil || user.subject == subject))
        }
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
