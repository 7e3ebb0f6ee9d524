// A relying party: starts a login, handles the callback, and requests tokens and claims.

import Agreement
import JOSE
import JOSEOpenID
import JOSERemote
import Web

/// The state is in memory, by browser session. A real service uses its session store.
actor Site {
    let agreement: Agreement
    let web: WebClient
    private let transport: CurlTransport
    private let keys: JWKSet
    private let published: OpenIDHTTPResponse
    private let secret: ClientSecret?
    private let certificates: CertificateRule
    /// The key that access tokens are bound to; nil without DPoP. A service has one per provider.
    let prover: DPoPProver?
    /// The newest nonce of each server.
    private var nonces: [String: DPoPNonce] = [:]
    /// The relying party, once the discovery document is fetched.
    private var known: RelyingParty?

    /// Logins in progress, by session cookie.
    private var logins = Shelf<AuthorizationSession>()
    /// Request objects for the provider, by the last path segment of their URL.
    private var objects = Shelf<OpenIDHTTPResponse>()
    /// Signed-in users, by session cookie.
    private var users = Shelf<SignedIn>()

    struct SignedIn {
        let idToken: VerifiedIDToken
        let person: Person
        /// The response of the resource server; nil without DPoP.
        let accounts: String?
        /// Used values, which the pages send again to show the rejection.
        let used: (session: AuthorizationSession, code: String, accessToken: String)
    }

    /// Reads and validates the configuration at start, so that errors do not appear at the first
    /// login.
    init(_ agreement: Agreement) throws {
        self.agreement = agreement
        keys = try agreement.keys("relying-party")
        published = try .keySet(keys, for: agreement.profile)
        secret = try agreement.secret()
        certificates = try agreement.providerCertificates()
        prover = try agreement.bindsTokens ? .fresh() : nil
        let authorities = try agreement.providerAuthorities()
        transport = try CurlTransport(certificateAuthorities: authorities)
        web = WebClient(authorities: authorities)
    }

    /// Handles a request.
    func response(_ request: WebRequest) async throws -> OpenIDHTTPResponse {
        switch (request.method, request.path) {
        case ("GET", "/"): return try startPage(request)
        case ("GET", "/jwks"): return published
        case ("GET", let path) where path.hasPrefix("/request-objects/"):
            return try objects[String(path.dropFirst(17)), at: .now] ?? .noSuchPage()
        case ("GET", "/callback"): return try await finish(request, request.query)
        case ("POST", "/callback"): return try await finish(request, request.body)
        case ("POST", _) where request.header("origin") != agreement.site:
            // Browsers send the session cookie with cross-site posts: see `cookie`.
            return try .page("This form is from another site", "", status: 403)
        case ("POST", "/login"): return try await start()
        case ("POST", "/logout"): return try leave(request)
        case ("POST", "/attempt"): return try await attempt(request)
        case ("GET", "/style.css"): return try .style()
        default: return try .noSuchPage()
        }
    }

    // MARK: The login

    /// Redirects the browser to the provider.
    private func start() async throws -> OpenIDHTTPResponse {
        let name = freshName()
        let started: AuthorizationStart
        do {
            started = try await begin(agreement.loginRequest(name))
        } catch let error as TokenError {
            note("relying party: the provider rejects: \(error.shown)")
            return try .page("The login failed", HTML.again, status: 502)
        } catch let error as JOSEError where error.step == .message {
            note("relying party: the provider rejects: \(error)")
            return try .page("The login failed", HTML.again, status: 502)
        }
        let end = NumericDate.now.advanced(by: .seconds(600))
        if let object = try started.requestObjectResponse() {
            objects.put(object, name, until: end)
        }
        let id = freshName()
        logins.put(started.session, id, until: end)
        return try .redirect(to: started.url, cookies: [cookie(id, seconds: 600)])
    }

    /// Starts a login, with a pushed request if the profile requires it.
    private func begin(_ request: AuthorizationRequest) async throws -> AuthorizationStart {
        let party = try await party()
        guard agreement.profile.pushedRequests.isRequired else {
            return try await party.start(request)
        }
        var pushed: PushedAuthorization?
        let reply = try await exchange(with: agreement.issuer) { nonce in
            let made = try await party.push(request, prover: prover, nonce: nonce)
            pushed = made
            return WebMessage(made.request)
        }
        guard reply.status == 201, let pushed else {
            throw try TokenError(response: OpenIDHTTPResponse(reply))
        }
        return try party.start(pushed, PushedAuthorizationResponse(json: reply.body))
    }

    /// Handles the callback: a query, or for `form_post` a form.
    private func finish(
        _ request: WebRequest, _ parameters: String
    ) async throws -> OpenIDHTTPResponse {
        guard let id = request.cookie(Site.sessionCookie), let session = logins[id, at: .now]
        else { return try .page("This login was not started here", "", status: 400) }
        do {
            let party = try await party()
            let response =
                request.method == "POST"
                ? try await party.authorizationResponse(form: parameters, for: session)
                : try await party.authorizationResponse(query: parameters, for: session)
            // The origin of this error is not proven: keep the login, and log the text only.
            if case .unauthenticatedError(let error) = response {
                noteUnproved(error)
                return try .page(
                    "The login failed", "<p>\(error.code.pageText)</p>\(HTML.again)", status: 400)
            }
            // The response is authenticated, so the login ends.
            guard logins.take(id) != nil else { return try .redirect(to: "/") }
            switch response {
            case .error(let error), .unauthenticatedError(let error):
                note(
                    "relying party: the provider rejects: "
                        + "\(error.code.name) \(error.description ?? "")")
                return try .page(
                    "You are not signed in",
                    "<p>\(error.code.pageText)</p>\(HTML.again)")
            case .code(let code):
                let signedIn = try await signIn(party, session, code)
                // A new session ID prevents session fixation.
                let newID = freshName()
                users.put(signedIn, newID, until: .now.advanced(by: .seconds(3_600)))
                return try .redirect(to: "/", cookies: [cookie(newID, seconds: 3_600)])
            }
        } catch let error as JOSEError {
            note("relying party: rejects the answer: \(error)")
            return try .page("The login failed", HTML.again, status: 400)
        } catch let error as TokenError {
            note("relying party: the provider rejects: \(error.shown)")
            return try .page("The login failed", HTML.again, status: 502)
        } catch let error as BearerError {
            note("relying party: the provider rejects the access token: \(error.shown)")
            return try .page("The login failed", HTML.again, status: 502)
        }
    }

    /// Logs an error without `state`. Anyone may have sent it, or a provider that cannot read the
    /// request.
    private func noteUnproved(_ error: AuthorizationError) {
        let texts = [error.code.name, error.description ?? ""].map { $0.prefix(200) }
        note("relying party: unproven error: \(texts.joined(separator: " "))")
    }

    /// Exchanges a code for tokens and reads the user's claims.
    private func signIn(
        _ party: RelyingParty, _ session: AuthorizationSession, _ code: String
    ) async throws -> SignedIn {
        let (request, reply) = try await redeem(code, party, session)
        guard reply.status == 200 else { throw try TokenError(response: OpenIDHTTPResponse(reply)) }
        let tokens = try TokenResponse(json: reply.body, to: request)
        let idToken = try await party.verifyIDToken(
            tokens.idToken, for: session, accessToken: tokens.accessToken, code: code)
        let userInfo = try await userInfo(tokens.accessToken, party)
        guard userInfo.status == 200 else {
            throw try BearerError(response: OpenIDHTTPResponse(userInfo))
        }
        let user = try await party.verifyUserInfo(
            userInfo.body, for: idToken, contentType: userInfo.header("content-type"))
        return SignedIn(
            idToken: idToken, person: try Person(user),
            accounts: try await accounts(tokens.accessToken),
            used: (session, code, tokens.accessToken))
    }

    /// Sends the token request. Returns the last request and its response.
    func redeem(
        _ code: String, _ party: RelyingParty, _ session: AuthorizationSession
    ) async throws -> (TokenRequest, WebReply) {
        var requests: [TokenRequest] = []
        let reply = try await exchange(with: agreement.issuer) { nonce in
            let request = try await party.tokenRequest(
                code: code, for: session, prover: prover, nonce: nonce)
            requests.append(request)
            return WebMessage(request)
        }
        return (requests[requests.endIndex - 1], reply)
    }

    /// Sends the UserInfo request.
    func userInfo(_ accessToken: String, _ party: RelyingParty) async throws -> WebReply {
        try await exchange(with: agreement.issuer) { nonce in
            WebMessage(
                try await party.userInfoRequest(
                    accessToken: accessToken, prover: prover, nonce: nonce))
        }
    }

    /// Sends the request to the resource server; nil without DPoP.
    private func accounts(_ accessToken: String) async throws -> String? {
        guard let prover else { return nil }
        let url = agreement.accounts
        let reply = try await exchange(with: url) { nonce in
            WebMessage(
                url: url,
                headers: try prover.headers(
                    method: "GET", url: url, accessToken: accessToken, nonce: nonce),
                form: nil)
        }
        guard reply.status == 200 else {
            throw try BearerError(response: OpenIDHTTPResponse(reply))
        }
        return reply.body
    }

    /// Returns the signed-in user of this browser.
    func signedIn(_ request: WebRequest) -> SignedIn? {
        request.cookie(Site.sessionCookie).flatMap { users[$0, at: .now] }
    }

    private func leave(_ request: WebRequest) throws -> OpenIDHTTPResponse {
        if let id = request.cookie(Site.sessionCookie) { _ = users.take(id) }
        return try .redirect(to: "/", cookies: [cookie("", seconds: 0)])
    }

    // MARK: The provider

    /// Sends a message, and sends it again with a nonce if the server requires one.
    private func exchange(
        with server: String, _ make: (DPoPNonce?) async throws -> WebMessage
    ) async throws -> WebReply {
        let reply = try await send(make(nonces[server]))
        guard let text = reply.header("dpop-nonce") else { return reply }
        let nonce = try DPoPNonce(header: text)
        nonces[server] = nonce
        guard reply.asksForNonce else { return reply }
        note("relying party: \(server) requires a nonce: sending again")
        return try await send(make(nonce))
    }

    private func send(_ message: WebMessage) async throws -> WebReply {
        let reply = try await web.send(
            message.url, headers: message.headers.map { ($0.name, $0.value) }, form: message.form)
        let method = message.form == nil ? "GET" : "POST"
        note("relying party: \(method) \(message.url): \(reply.status)")
        return reply
    }

    /// Returns the relying party. Fetches the discovery document once, and keys when needed.
    func party() async throws -> RelyingParty {
        if let known { return known }
        let url = ProviderMetadata.discoveryURL(issuer: agreement.issuer)
        let metadata: ProviderMetadata
        do {
            let document = try await SSRFSafeFetcher(
                transport: transport, addressPolicy: agreement.addressPolicy
            ).discoveryDocument(at: url)
            metadata = try ProviderMetadata(
                json: document, issuer: agreement.issuer, profile: agreement.profile)
        } catch {
            note("relying party: \(url) cannot be used")
            throw error
        }
        for ignored in metadata.ignored { note("relying party: \(url): ignores \(ignored)") }
        var settings = RemoteJWKSetSettings()
        settings.certificates = certificates
        let providerKeys = try RemoteJWKSet(
            untrustedURL: metadata.jwksURI, addressPolicy: agreement.addressPolicy,
            settings: settings, transport: transport,
            observe: { note($0, of: "relying party: provider's") })
        let party = try RelyingParty(
            profile: agreement.profile, metadata: metadata, clientID: agreement.clientID,
            redirectURI: agreement.redirectURI, keys: keys, secret: secret,
            providerKeys: providerKeys)
        known = party
        return party
    }
}

extension TokenError {
    /// Status, code and description for the log.
    fileprivate var shown: String { "\(httpStatus ?? 0) \(code) \(description ?? "")" }
}

extension BearerError {
    /// Status, code and description for the log.
    fileprivate var shown: String {
        "\(httpStatus ?? 0) \(code?.name ?? "no code") \(description ?? "")"
    }
}
