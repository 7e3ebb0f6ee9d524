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
    /// The party, once the provider's document has been read.
    private var known: AsyncRelyingParty?

    /// Logins under way: what was remembered, by session and state. One login, one answer.
    private var logins = Shelf<RememberedRequest>()
    /// Request objects that the provider may fetch, by the end of their address.
    private var objects = Shelf<HTTPAnswer>()
    /// Who is signed in, by session.
    private var users = Shelf<SignedIn>()

    /// Not every provider says why.
    struct RefusedByProvider: Error {
        let status: Int
        let code: OAuthErrorCode?
    }

    struct SignedIn {
        let idToken: VerifiedIDToken
        let person: Person
        /// Not needed after the login; kept so that the pages can show what becomes of it.
        let used: (remembered: RememberedRequest, code: String, accessToken: String)
    }

    init(_ agreement: Agreement) throws {
        self.agreement = agreement
        keys = try agreement.keys("relying-party")
        transport = try CurlTransport(certificateAuthorities: agreement.providerAuthorities)
        web = WebClient(authorities: agreement.providerAuthorities)
    }

    /// Answers a request to any of the pages.
    func answer(_ request: WebRequest) async throws -> HTTPAnswer {
        switch (request.method, request.path) {
        case ("GET", "/"): return try startPage(request)
        case ("GET", "/jwks"): return try .keySet(keys, for: agreement.profile)
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
    private func start() async throws -> HTTPAnswer {
        let name = freshName()
        let started = try await party().start(agreement.loginRequest(name))
        let end = NumericDate.now.advanced(by: .seconds(600))
        if let object = try started.requestObjectAnswer() {
            try objects.put(object, name, until: end)
        }
        let session = freshName()
        try logins.put(started.remembered, session, until: end)
        return try .redirect(to: started.url, cookies: [cookie(session, seconds: 600)])
    }

    /// The callback: a query, or for `form_post` a form that the browser posts from the provider's page.
    private func finish(_ request: WebRequest, _ parameters: String) async throws -> HTTPAnswer {
        guard let session = request.cookie(Site.sessionCookie),
            let remembered = logins[session, at: .now]
        else { return try .page("This login was not started here", "", status: 400) }
        do {
            let party = try await party()
            let answer =
                request.method == "POST"
                ? try party.answer(form: parameters, for: remembered)
                : try party.answer(query: parameters, for: remembered)
            // It is the answer to this login, so the login is over; what others send here ends none.
            guard logins.take(session) != nil else { return try .redirect(to: "/") }
            switch answer {
            case .error(let error):
                return try .page(
                    "You are not signed in",
                    "<p>The provider says: \(error.code.name).</p>\(HTML.again)")
            case .code(let code):
                let signedIn = try await signIn(party, remembered, code)
                // A new name for the session, as somebody may know the old one.
                let fresh = freshName()
                try users.put(signedIn, fresh, until: .now.advanced(by: .seconds(3_600)))
                return try .redirect(to: "/", cookies: [cookie(fresh, seconds: 3_600)])
            }
        } catch let error as JOSEError {
            note("relying party: refuses the answer: \(error)")
            return try .page("The login failed", HTML.again, status: 400)
        } catch let refused as RefusedByProvider {
            note(
                "relying party: the provider refuses: \(refused.status) \(refused.code?.name ?? "")"
            )
            return try .page("The login failed", HTML.again, status: 502)
        }
    }

    /// From a code to a user.
    private func signIn(
        _ party: AsyncRelyingParty, _ remembered: RememberedRequest, _ code: String
    ) async throws -> SignedIn {
        let reply = try await send(party.tokenRequest(code: code, for: remembered))
        guard reply.status == 200 else {
            throw RefusedByProvider(
                status: reply.status, code: try? TokenError(json: reply.body).code)
        }
        let tokens = try TokenAnswer(json: reply.body)
        let idToken = try await party.verifyIDToken(
            tokens.idToken, for: remembered, accessToken: tokens.accessToken, code: code)
        let told = try await send(party.userInfoRequest(accessToken: tokens.accessToken))
        guard told.status == 200 else {
            let error = try? BearerError(header: told.header("www-authenticate") ?? "")
            throw RefusedByProvider(status: told.status, code: error?.code)
        }
        let user = try await party.verifyUserInfo(
            told.body, for: idToken, contentType: told.header("content-type"))
        return SignedIn(
            idToken: idToken, person: try Person(user), used: (remembered, code, tokens.accessToken)
        )
    }

    /// Who is signed in in this browser.
    func signedIn(_ request: WebRequest) -> SignedIn? {
        request.cookie(Site.sessionCookie).flatMap { users[$0, at: .now] }
    }

    private func leave(_ request: WebRequest) throws -> HTTPAnswer {
        if let session = request.cookie(Site.sessionCookie) { _ = users.take(session) }
        return try .redirect(to: "/", cookies: [cookie("", seconds: 0)])
    }

    // MARK: The provider

    func send(_ request: TokenRequest) async throws -> WebReply {
        try await web.send(
            request.url, headers: request.headers.map { ($0.name, $0.value) }, form: request.body)
    }

    func send(_ request: UserInfoRequest) async throws -> WebReply {
        try await web.send(
            request.url, headers: request.headers.map { ($0.name, $0.value) },
            form: request.method == "POST" ? request.body : nil)
    }

    /// The party; the provider's document is read once, its keys whenever that is needed.
    func party() async throws -> AsyncRelyingParty {
        if let known { return known }
        let address = ProviderMetadata.address(issuer: agreement.issuer)
        let document = try await GuardedFetch(transport: transport, reach: agreement.reach)
            .discoveryDocument(at: address)
        let metadata = try ProviderMetadata(
            json: document, issuer: agreement.issuer,
            profile: agreement.profile)
        var settings = RemoteJWKSetSettings()
        settings.certificates = try agreement.providerCertificates()
        let theirs = try RemoteJWKSet(
            url: metadata.keySetAddress, settings: settings, transport: transport,
            observe: { note("relying party: provider's keys: \($0.kind) \($0.fault ?? "")") })
        let party = try AsyncRelyingParty(
            profile: agreement.profile, metadata: metadata, clientID: agreement.clientID,
            redirectURI: agreement.redirectURI, keys: keys, secret: try agreement.secret(),
            source: theirs)
        known = party
        return party
    }
}
