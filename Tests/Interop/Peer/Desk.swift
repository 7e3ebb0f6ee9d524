// The state of the process between lines: keys, one relying party, one provider with one client.

import Foundation
import JOSE
import JOSEOpenID

/// A parsed request line.
struct Request {
    let members: [String: Any]

    struct Missing: Error { let name: String }

    /// A string, or an object as its JSON text.
    func text(_ name: String) throws -> String {
        if let text = members[name] as? String { return text }
        guard let value = members[name] as? [String: Any] else { throw Missing(name: name) }
        return String(decoding: try JSONSerialization.data(withJSONObject: value), as: UTF8.self)
    }

    func optional(_ name: String) -> String? { members[name] as? String }
    func words(_ name: String) -> [String] { members[name] as? [String] ?? [] }

    /// The verification time, `late` seconds after now. Nil for now.
    var time: NumericDate? {
        (members["late"] as? Int64).map { NumericDate.now.advanced(by: .seconds($0)) }
    }

    /// The named preset with the changes of the line.
    func profile() throws -> OpenIDProfile {
        let presets: [OpenIDProfile] = [
            .itsme0, .itsme1, .itsme2, .signicatMobileID, .netsEIDBroker, .openID,
        ]
        let name = try text("profile")
        guard var profile = presets.first(where: { $0.name == name }) else {
            throw Missing(name: name)
        }
        try change(&profile)
        return profile
    }
}

struct Desk {
    private let keys: JWKSet
    private let replays = MemoryReplayStore()
    private var theirs: PublicJWKSet
    private var profile = OpenIDProfile.openID
    private var party: RelyingParty?
    private var started: AuthorizationStart?
    private var idToken: VerifiedIDToken?
    private var client: RegisteredClient?
    private var grants: [String: CodeGrant] = [:]
    private var issued: (access: String, subject: String)?
    private var service: Service?
    private var messages: PartyMessages

    init() throws {
        keys = JWKSet(keys: [
            try JWK.generate(.rsa, use: .signature), try JWK.generate(.rsa, use: .encryption),
        ])
        theirs = try PublicJWKSet(keys: [])
        messages = try PartyMessages()
    }

    mutating func response(_ request: Request) async throws -> [String: Any] {
        switch try request.text("op") {
        case "keys": return ["jwks": try keys.publicKeys.json()]
        case "party": return try become(party: request)
        case "start": return try await start(request)
        case "answer": return try await read(response: request)
        case "token_request": return try await ask(code: request)
        case "token_error":
            return ["error": try TokenError(json: request.text("body")).code.name]
        case "id_token": return try await check(idToken: request)
        case "userinfo_request": return try await ask(userInfo: request)
        case "userinfo": return try await check(userInfo: request)
        case "provider": return try become(provider: request)
        case "authorize": return try await authorize(request)
        case "token": return try await give(tokens: request)
        case "userinfo_response": return try await give(userInfo: request)
        case "service":
            service = try Service(request, request.profile(), keys: keys)
            return [:]
        case "http":
            guard var service else { throw Request.Missing(name: "service") }
            let response = try await service.response(request)
            self.service = service
            return response.line
        case "decide":
            guard var service else { throw Request.Missing(name: "service") }
            let call = try service.decide(request)
            self.service = service
            return call
        case "forge": return ["token": try forge(request)]
        default:
            guard let party, let response = try await messages.response(request, party) else {
                throw Request.Missing(name: "op")
            }
            return response
        }
    }

    // MARK: relying party

    private mutating func become(party request: Request) throws -> [String: Any] {
        profile = try request.profile()
        theirs = try PublicJWKSet(json: request.text("jwks"))
        let metadata = try ProviderMetadata(
            json: request.text("metadata"), issuer: request.text("issuer"), profile: profile)
        party = try RelyingParty(
            profile: profile, metadata: metadata, clientID: request.text("client_id"),
            redirectURI: request.text("redirect_uri"), keys: keys,
            secret: request.optional("secret").map(ClientSecret.init), providerKeys: theirs)
        return [:]
    }

    private func present<Value>(_ value: Value?, _ name: String) throws -> Value {
        guard let value else { throw Request.Missing(name: name) }
        return value
    }

    private mutating func start(_ request: Request) async throws -> [String: Any] {
        var wanted = AuthorizationRequest(
            scopes: request.words("scopes"), serviceCode: request.optional("service"),
            acrValues: request.words("contexts"))
        wanted.loginHints = request.words("hints")
        wanted.usesPKCE = request.members["proof_key"] as? Bool == true
        wanted.responseMode = request.optional("mode").flatMap(ResponseMode.init(rawValue:))
        if request.members["by_value"] as? Bool == true { wanted.delivery = .byValue }
        if let address = request.optional("by_reference") {
            wanted.delivery = .byReference(address)
        }
        let started = try await present(party, "party").start(wanted, at: request.time)
        self.started = started
        let session = started.session
        let object = try started.requestObjectResponse()
        return [
            "url": started.url, "state": session.state, "nonce": session.nonce,
            "object": object?.body ?? "", "object_headers": table(object?.headers ?? []),
        ]
    }

    private func read(response request: Request) async throws -> [String: Any] {
        let session = try present(started, "started").session
        let (party, text) = (try present(party, "party"), try request.text("query"))
        let response =
            await session.responseMode == .formPost
            ? try party.authorizationResponse(form: text, for: session)
            : try party.authorizationResponse(query: text, for: session)
        switch response {
        case .code(let code): return ["value": code]
        case .error(let error), .unauthenticatedError(let error): return ["error": error.code.name]
        }
    }

    private func ask(code request: Request) async throws -> [String: Any] {
        let made = try await present(party, "party").tokenRequest(
            code: request.text("value"), for: present(started, "started").session,
            at: request.time)
        let header = made.headers.first { $0.name == "Authorization" }
        return [
            "url": made.url, "headers": table(made.headers), "body": made.body,
            "authorization": header?.value ?? "",
        ]
    }

    private func ask(userInfo request: Request) async throws -> [String: Any] {
        let made = try await present(party, "party").userInfoRequest(
            accessToken: request.text("access_token"))
        return ["url": made.url, "method": made.method, "headers": table(made.headers)]
    }

    private func table(_ headers: [OpenIDParameter]) -> [String: String] {
        Dictionary(headers.map { ($0.name, $0.value) }) { first, _ in first }
    }

    private mutating func check(idToken request: Request) async throws -> [String: Any] {
        let token = try await present(party, "party").verifyIDToken(
            request.text("token"), for: present(started, "started").session,
            accessToken: request.optional("access_token"), code: request.optional("value"),
            at: request.time)
        idToken = token
        return ["sub": token.subject, "acr": token.acr ?? ""]
    }

    private func check(userInfo request: Request) async throws -> [String: Any] {
        let info = try await present(party, "party").verifyUserInfo(
            request.text("body"), for: present(idToken, "idToken"),
            contentType: request.optional("type"), at: request.time)
        return ["sub": info.subject, "name": try info.name ?? ""]
    }

    // MARK: provider

    private mutating func become(provider request: Request) throws -> [String: Any] {
        profile = try request.profile()
        theirs = try PublicJWKSet(json: request.text("jwks"))
        let issuer = try request.text("issuer")
        let metadata = try ProviderMetadata(
            issuer: issuer, authorizationEndpoint: issuer + "/authorization",
            tokenEndpoint: issuer + "/token", userInfoEndpoint: issuer + "/userinfo",
            jwksURI: issuer + "/jwks", profile: profile)
        let provider = try OpenIDProvider(
            profile: profile, metadata: metadata, keys: keys, replays: replays)
        let registration = try ClientRegistration(
            clientID: request.text("client_id"), redirectURIs: [request.text("redirect_uri")],
            secret: request.optional("secret").map(ClientSecret.init))
        client = try provider.client(registration, keys: theirs)
        return ["metadata": try provider.discoveryDocument()]
    }

    private mutating func authorize(_ request: Request) async throws -> [String: Any] {
        let client = try present(client, "provider")
        switch try await client.receiveAuthorizationRequest(request.text("query")) {
        case .rejected(let rejected): throw rejected.cause
        case .accepted(let received):
            let grant = try await client.grant(received)
            grants[grant.code] = grant
            return ["redirect": try await client.redirect(code: grant.code, for: received).url]
        }
    }

    private mutating func give(tokens request: Request) async throws -> [String: Any] {
        let client = try present(client, "provider")
        let authorization = request.optional("authorization")
        let proved = try await client.receiveTokenRequest(
            request.text("body"), authorization: authorization)
        let grant = try present(grants[proved.code], "grant")
        try await client.redeem(proved, grant)
        let access = try PKCE().verifier
        var user = UserAuthentication(
            subject: "user-1-of-32-characters-in-total", time: .now,
            acr: grant.request.acrValues.last)
        user.accessToken = access
        issued = (access, user.subject)
        let token = try await client.tokenIssuer().idToken(for: grant.request, user)
        return ["answer": try TokenResponse(accessToken: access, idToken: token).json()]
    }

    private func give(userInfo request: Request) async throws -> [String: Any] {
        let issued = try present(issued, "token")
        guard try request.text("bearer") == issued.access else {
            throw Request.Missing(name: "bearer")
        }
        let responses = try await present(client, "provider").tokenIssuer()
        return [
            "body": try responses.userInfo(subject: issued.subject, claims: ["name": "Zoë"]),
            "type": responses.userInfoMediaType,
        ]
    }

    /// A token with any claims and our signature, for the other side to reject.
    private func forge(_ request: Request) throws -> String {
        let issuer = try JWTIssuer(
            key: keys.key(use: .signature), algorithm: .rs256, requiresExpiration: false)
        let claims = Array(try request.text("claims").utf8)
        guard request.members["encrypted"] as? Bool == true else {
            return try issuer.issue(json: claims)
        }
        let recipient = try JWTRecipient(
            key: theirs.key(use: .encryption),
            algorithm: present(profile.algorithms.keyManagement.first, "algorithm"),
            content: present(profile.algorithms.content.first, "content"))
        return try issuer.issue(json: claims, encryptedFor: recipient)
    }
}
