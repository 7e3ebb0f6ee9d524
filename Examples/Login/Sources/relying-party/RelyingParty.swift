// A relying party: starts a login, takes the answer, and asks the provider for tokens and claims.

import Agreement
import JOSE
import JOSEOpenID
import JOSERemote
import Web

/// All that it remembers is in memory, by the browser's session; in a real service it is in the session's store.
actor Site {
    let agreement: Agreement
    let web: WebClient
    private let transport: CurlTransport
    private let keys: JWKSet
    private let published: OpenIDHTTPResponse
    private let secret: ClientSecret?
    private let certificates: CertificateRule
    /// The key that access tokens are bound to, where the profile binds them; a service has one for each provider.
    let prover: DPoPProver?
    /// The newest nonce of each server that asks for nonces.
    private var nonces: [String: DPoPNonce] = [:]
    /// The party, once the provider's document has been read.
    private var known: RelyingParty?

    /// Logins under way: what was remembered, by session and state. One login, one answer.
    private var logins = Shelf<AuthorizationSession>()
    /// Request objects that the provider may fetch, by the end of their address.
    private var objects = Shelf<OpenIDHTTPResponse>()
    /// Who is signed in, by session.
    private var users = Shelf<SignedIn>()

    struct SignedIn {
        let idToken: VerifiedIDToken
        let person: Person
        /// What the resource server said; nil where there is none.
        let accounts: String?
        /// Not needed after the login; kept so that the pages can show what becomes of it.
        let used: (session: AuthorizationSession, code: String, accessToken: String)
    }

    /// Reads and tries all that it needs later, so that a program which starts can sign users in.
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

    /// Answers a request to any of the pages.
    func response(_ request: WebRequest) async throws -> OpenIDHTTPResponse {
        switch (request.method, request.path) {
        case ("GET", "/"): return try startPage(request)
        case ("GET", "/jwks"): return published
        case ("GET", let path) where path.hasPrefix("/request-objects/"):
            return try objects[String(path.dropFirst(17)), at: .now] ?? .noSuchPage()
        case ("GET", "/callback"): return try await finish(request, request.query)
        case ("POST", "/callback"): return try await finish(request, request.body)
        case ("POST", _) where request.header("origin") != agreement.site:
            // The session's cookie comes with posts from other sites too: see `cookie`.
            return try .page("This form is not ours", "", status: 403)
        case ("POST", "/login"): return try await start()
        case ("POST", "/logout"): return try leave(request)
        case ("POST", "/attempt"): return try await attempt(request)
        case ("GET", "/style.css"): return try .style()
        default: return try .noSuchPage()
        }
    }

    // MARK: The login

    /// Sends the browser to the provider.
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
        let session = freshName()
        logins.put(started.session, session, until: end)
        return try .redirect(to: started.url, cookies: [cookie(session, seconds: 600)])
    }

    /// The request, pushed first where the provider takes no other.
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

    /// The callback: a query, or for `form_post` a form that the browser posts from the provider's page.
    private func finish(_ request: WebRequest, _ parameters: String) async throws -> OpenIDHTTPResponse {
        guard let session = request.cookie(Site.sessionCookie),
            let session = logins[session, at: .now]
        else { return try .page("This login was not started here", "", status: 400) }
        do {
            let party = try await party()
            let response =
                request.method == "POST"
                ? try await party.authorizationResponse(form: parameters, for: session)
                : try await party.authorizationResponse(query: parameters, for: session)
            // Nothing shows whose answer this is: the login that waits goes on, and the provider's
            // text goes to the log alone.
            if case .unauthenticatedError(let error) = response {
                noteUnproved(error)
                return try .page(
                    "The login failed", "<p>\(error.code.pageText)</p>\(HTML.again)", status: 400)
            }
            // It is the answer to this login, so the login is over; what others send here ends none.
            guard logins.take(session) != nil else { return try .redirect(to: "/") }
            switch response {
            case .error(let error), .unauthenticatedError(let error):
                note(
                    "relying party: the provider rejects: \(error.code.name) \(error.description ?? "")"
                )
                return try .page(
                    "You are not signed in",
                    "<p>\(error.code.pageText)</p>\(HTML.again)")
            case .code(let code):
                let signedIn = try await signIn(party, session, code)
                // A new name for the session, as somebody may know the old one.
                let fresh = freshName()
                users.put(signedIn, fresh, until: .now.advanced(by: .seconds(3_600)))
                return try .redirect(to: "/", cookies: [cookie(fresh, seconds: 3_600)])
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

    /// Who rejects a request without being able to read it does not know its `state`: anybody may have sent this, and it may
    /// be why nobody can sign in.
    private func noteUnproved(_ error: AuthorizationError) {
        let words = [error.code.name, error.description ?? ""].map { $0.prefix(200) }
        note("relying party: somebody says, unproved: \(words.joined(separator: " "))")
    }

    /// From a code to a user.
    private func signIn(
        _ party: RelyingParty, _ session: AuthorizationSession, _ code: String
    ) async throws -> SignedIn {
        let (asked, reply) = try await redeem(code, party, session)
        guard reply.status == 200 else { throw try TokenError(response: OpenIDHTTPResponse(reply)) }
        let tokens = try TokenResponse(json: reply.body, to: asked)
        let idToken = try await party.verifyIDToken(
            tokens.idToken, for: session, accessToken: tokens.accessToken, code: code)
        let told = try await userInfo(tokens.accessToken, party)
        guard told.status == 200 else { throw try BearerError(response: OpenIDHTTPResponse(told)) }
        let user = try await party.verifyUserInfo(
            told.body, for: idToken, contentType: told.header("content-type"))
        return SignedIn(
            idToken: idToken, person: try Person(user),
            accounts: try await accounts(tokens.accessToken),
            used: (session, code, tokens.accessToken))
    }

    /// The code for tokens: what was asked last, and the reply to it.
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

    /// The access token for what the provider tells of the user.
    func userInfo(_ accessToken: String, _ party: RelyingParty) async throws -> WebReply {
        try await exchange(with: agreement.issuer) { nonce in
            WebMessage(
                try await party.userInfoRequest(
                    accessToken: accessToken, prover: prover, nonce: nonce))
        }
    }

    /// The access token for what another server keeps of the user; nil where there is no such server.
    private func accounts(_ accessToken: String) async throws -> String? {
        guard let prover else { return nil }
        let address = agreement.accounts
        let reply = try await exchange(with: address) { nonce in
            WebMessage(
                url: address,
                headers: try prover.headers(
                    method: "GET", url: address, accessToken: accessToken, nonce: nonce),
                form: nil)
        }
        guard reply.status == 200 else { throw try BearerError(response: OpenIDHTTPResponse(reply)) }
        return reply.body
    }

    /// Who is signed in in this browser.
    func signedIn(_ request: WebRequest) -> SignedIn? {
        request.cookie(Site.sessionCookie).flatMap { users[$0, at: .now] }
    }

    private func leave(_ request: WebRequest) throws -> OpenIDHTTPResponse {
        if let session = request.cookie(Site.sessionCookie) { _ = users.take(session) }
        return try .redirect(to: "/", cookies: [cookie("", seconds: 0)])
    }

    // MARK: The provider

    /// Sends what `make` makes; where the server asks for a nonce in the proof, made once more with the one that it gave.
    private func exchange(
        with server: String, _ make: (DPoPNonce?) async throws -> WebMessage
    ) async throws -> WebReply {
        let reply = try await send(make(nonces[server]))
        guard let text = reply.header("dpop-nonce") else { return reply }
        let nonce = try DPoPNonce(header: text)
        nonces[server] = nonce
        guard reply.asksForNonce else { return reply }
        note("relying party: \(server) asks for a nonce: once more, with it")
        return try await send(make(nonce))
    }

    private func send(_ message: WebMessage) async throws -> WebReply {
        let reply = try await web.send(
            message.url, headers: message.headers.map { ($0.name, $0.value) }, form: message.form)
        note(
            "relying party: \(message.form == nil ? "GET" : "POST") \(message.url): \(reply.status)"
        )
        return reply
    }

    /// The party; the provider's document is read once, its keys whenever that is needed.
    func party() async throws -> RelyingParty {
        if let known { return known }
        let address = ProviderMetadata.discoveryURL(issuer: agreement.issuer)
        let metadata: ProviderMetadata
        do {
            let document = try await SSRFSafeFetcher(transport: transport, addressPolicy: agreement.addressPolicy)
                .discoveryDocument(at: address)
            metadata = try ProviderMetadata(
                json: document, issuer: agreement.issuer, profile: agreement.profile)
        } catch {
            note("relying party: \(address) cannot be used")
            throw error
        }
        for ignored in metadata.ignored { note("relying party: \(address): ignores \(ignored)") }
        var settings = RemoteJWKSetSettings()
        settings.certificates = certificates
        let theirs = try RemoteJWKSet(
            untrustedURL: metadata.jwksURI, addressPolicy: agreement.addressPolicy,
            settings: settings, transport: transport,
            observe: { note($0, of: "relying party: provider's") })
        let party = try RelyingParty(
            profile: agreement.profile, metadata: metadata, clientID: agreement.clientID,
            redirectURI: agreement.redirectURI, keys: keys, secret: secret, providerKeys: theirs)
        known = party
        return party
    }
}

extension TokenError {
    /// What the log says: status, code and description.
    fileprivate var shown: String { "\(httpStatus ?? 0) \(code) \(description ?? "")" }
}

extension BearerError {
    /// What the log says: status, code and description.
    fileprivate var shown: String {
        "\(httpStatus ?? 0) \(code?.name ?? "no code") \(description ?? "")"
    }
}
