// Receives token requests: authenticates the client and redeems its codes.

public import JOSE
import JOSEBytes

/// A token request of an authenticated client, or of an identified public one.
public struct ReceivedTokenRequest: Sendable {
    let issuer: String
    /// The client's `client_id`.
    public let clientID: String
    /// The code, to look up its grant.
    public let code: String
    /// The values of `resource` for the access token (RFC 8707), in order. `redeem` rejects those
    /// that the authorization request lacks. If that request has none, your code decides.
    public let resources: [String]
    let redirectURI: String?
    let codeVerifier: String?
    /// The thumbprint of the DPoP key, for the access token's `cnf`; nil without a proof.
    public let keyThumbprint: String?
    /// A new nonce for the response header `DPoP-Nonce`; nil if the client needs none.
    package let nextNonce: String?

    /// The `token_type` of the response.
    public var tokenType: AccessTokenType { keyThumbprint == nil ? .bearer : .dpop }
}

/// A code and its request, to store under the code until the token request.
public struct CodeGrant: Sendable, Codable {
    /// The authorization code.
    public let code: String
    /// The authorization request that the user granted.
    public let request: ReceivedAuthorization
    let issued: NumericDate
    /// When the code expires.
    public let expires: NumericDate
}

extension RegisteredClient {
    /// Issues a code for an accepted request. For a pushed request, only one caller gets a code.
    ///
    /// - Parameters:
    ///   - request: The accepted request.
    ///   - now: When the user agreed; the system's clock by default.
    /// - Throws: `misuse` for a request of another client or provider, or a code that would expire
    ///   after the year 9999; `internal`. For a pushed request: `replayed` if it was granted
    ///   before. `claimRejected` with `request_uri` if the user took too long, or the replay store
    ///   lost its entries after the request was pushed. `limitExceeded` for the client's quota.
    ///   `unavailable` if the store is full or unreachable.
    public func grant(
        _ request: ReceivedAuthorization, at now: NumericDate? = nil
    ) async throws(JOSEError) -> CodeGrant {
        try checkOwn(request)
        let now = now ?? .now
        let grant = CodeGrant(
            code: try RandomString.make(bits: 256), request: request, issued: now,
            expires: try now.end(ofLifetime: profile.client.codeLifetimeSeconds))
        if let use = request.pushedUse { try await consume(use, at: now) }
        return grant
    }

    func tokenForm(_ body: String, grant: String) throws(JOSEError) -> OpenIDParameters {
        let form = try OpenIDParameters(decoding: body)
        try checkClient(of: form)
        guard let type = form["grant_type"] else {
            throw .malformed(.message, "grant_type is missing")
        }
        guard type.isExactly(grant) else {
            throw .unsupported(.message, "this method does not support the grant_type")
        }
        return form
    }

    /// Throws `misuse` if the provider's keys do not serve this client, and `claimRejected` for a
    /// form of another client.
    func checkClient(of form: OpenIDParameters) throws(JOSEError) {
        try checkServed()
        if let clientID = form["client_id"], !clientID.isExactly(registration.clientID) {
            throw .claimRejected("client_id", "it is another client's")
        }
    }

    /// Reads `resource` of a token request (RFC 8707, 2.2).
    static func resources(_ form: OpenIDParameters) throws(JOSEError) -> [String] {
        let resources = form.values("resource")
        guard resources.allSatisfy(WebURL.isURIWithoutFragment) else {
            throw .claimRejected("resource", "it is not an absolute URI without fragment")
        }
        return resources
    }

    static func check(
        resources requested: [String], among granted: [String]
    ) throws(JOSEError) {
        guard requested.allSatisfy({ name in granted.contains { $0.isExactly(name) } }) else {
            throw .claimRejected("resource", "it was not requested, or not granted")
        }
    }

    /// Receives a token request with a code and authenticates the client.
    ///
    /// - Parameters:
    ///   - body: The form.
    ///   - authorization: The `Authorization` header.
    ///   - proofs: The values of all `DPoP` headers. Checked after the client's authentication, and
    ///     only if the profile accepts proofs.
    ///   - now: The current time; the system's clock by default.
    /// - Throws: `malformed` or `limitExceeded` for the form. `unsupported` for another grant type.
    ///   `claimRejected` with `client_id` for another client, with `resource` for an invalid one,
    ///   and if the client fails to authenticate. The errors of `AsyncJWTVerifier` for a client
    ///   assertion, and `replayed` for its used `jti`. The errors of `DPoPVerifier` for a proof.
    ///   `unavailable` if the client's keys or the replay store cannot be reached. `misuse` if the
    ///   provider's keys no longer serve this client. Respond with
    ///   `OpenIDProvider.error(rejecting:)`.
    public func receiveTokenRequest(
        _ body: String, authorization: String? = nil, proofs: [String] = [],
        at now: NumericDate? = nil
    ) async throws(JOSEError) -> ReceivedTokenRequest {
        let form = try tokenForm(body, grant: "authorization_code")
        guard let code = form["code"] else { throw .malformed(.message, "the code is missing") }
        let resources = try RegisteredClient.resources(form)
        let now = now ?? .now
        try await authenticate(form, authorization, at: now)
        let proof = try await verify(proofs: proofs, to: .token, at: now)
        return ReceivedTokenRequest(
            issuer: provider.metadata.issuer, clientID: registration.clientID, code: code,
            resources: resources, redirectURI: form["redirect_uri"],
            codeVerifier: form["code_verifier"], keyThumbprint: proof?.keyThumbprint,
            nextNonce: proof?.nextNonce)
    }

    /// Verifies the DPoP proof of an authenticated client and records its use (RFC 9449, 5 and
    /// 10.1). Returns nil if the profile ignores proofs, or if none was sent and none is required.
    ///
    /// - Parameter bound: The key thumbprint that the request names (`dpop_jkt`).
    func verify(
        proofs: [String], to endpoint: AuthenticatedEndpoint, boundTo bound: String? = nil,
        at now: NumericDate
    ) async throws(JOSEError) -> VerifiedDPoPProof? {
        guard profile.accessToken.proofs != .ignored, let verifier = provider.proofs else {
            guard !registration.bindsAccessTokens else {
                throw .misuse(
                    "bindsAccessTokens needs a profile that accepts proofs (accessToken.proofs)")
            }
            return nil
        }
        guard bindsEveryToken && endpoint == .token || !proofs.isEmpty else { return nil }
        guard let url = endpoint.url(provider.metadata) else {
            throw .misuse("the metadata have no URL for this endpoint")
        }
        let checked = try verifier.check(
            proofs,
            DPoPVerifier.ExpectedRequest(
                method: "POST", url: url,
                rules: registration.profile == nil ? nil : profile.accessToken.dpop), at: now)
        guard bound.map(checked.keyThumbprint.isExactly) ?? true else {
            throw JOSEError.claimRejected("dpop_jkt", "the proof has another key")
                .with(step: .proof)
        }
        return try await verifier.markUsed(checked, by: registration.clientID, at: now)
    }

    var bindsEveryToken: Bool {
        profile.accessToken.proofs == .required || registration.bindsAccessTokens
    }

    /// Authenticates the client with its registered method. A request with another method, or with
    /// several, is rejected (RFC 6749, 2.3).
    func authenticate(
        _ form: OpenIDParameters, _ authorization: String?,
        to endpoint: AuthenticatedEndpoint = .token, at now: NumericDate
    ) async throws(JOSEError) {
        let credentials = [authorization, form["client_assertion"], form["client_secret"]]
        guard credentials.count(where: { $0 != nil }) <= 1 else {
            throw .malformed(.message, "the client used more than one authentication method")
        }
        switch profile.client.authentication {
        case .basic where registration.sendsSecretInForm:
            guard authorization == nil else {
                throw UnregisteredMethod.basicInsteadOfPost.error
            }
            guard let sent = form["client_secret"], let secret = registration.secret,
                form["client_id"] != nil, secret.isSame(as: sent)
            else { throw .claimRejected("client_secret", "it is missing or wrong") }
        case .basic:
            guard form["client_secret"] == nil else {
                throw UnregisteredMethod.postInsteadOfBasic.error
            }
            guard let authorization, let secret = registration.secret,
                secret.accepts(authorization, clientID: registration.clientID)
            else { throw .claimRejected("client_secret", "it is missing or wrong") }
        case .assertion:
            guard form["client_secret"] == nil else {
                throw UnregisteredMethod.postInsteadOfAssertion.error
            }
            guard let assertion = form["client_assertion"] else {
                throw authorization == nil
                    ? .claimRejected("client_assertion", "it is missing")
                    : UnregisteredMethod.basicInsteadOfAssertion.error
            }
            guard let type = form["client_assertion_type"],
                type.isExactly(TokenRequest.assertionType)
            else {
                throw .claimRejected("client_assertion_type", "it is missing or unsupported")
            }
            try await verify(assertion: assertion, for: endpoint, at: now)
        case .publicClient: try identify(form, authorization, at: endpoint)
        }
    }

    /// Identifies a public client by its `client_id` (RFC 6749, 3.2.1). A request with credentials
    /// is rejected, as is one at an endpoint that requires authentication.
    private func identify(
        _ form: OpenIDParameters, _ authorization: String?, at endpoint: AuthenticatedEndpoint
    ) throws(JOSEError) {
        guard form["client_secret"] == nil else {
            throw UnregisteredMethod.postOfPublicClient.error
        }
        guard authorization == nil, form["client_assertion"] == nil else {
            throw .claimRejected(
                "client_id", "the request has credentials, but the client is registered as public")
        }
        guard endpoint.takesPublicClients else {
            throw .claimRejected(
                "client_id", "this endpoint requires authentication; a public client has none")
        }
        guard form["client_id"]?.isExactly(registration.clientID) == true else {
            throw .claimRejected("client_id", "it is missing; a public client must send it")
        }
    }

    /// Verifies a client assertion (RFC 7523, 3). Its `jti` is recorded last.
    ///
    /// - Parameters:
    ///   - assertion: The JWT.
    ///   - now: The current time; the system's clock by default.
    /// - Throws: The errors of `AsyncJWTVerifier`. `claimRejected` with an invalid claim, or one of
    ///   another kind of token; `replayed`; `limitExceeded` for the client's quota; `unavailable`
    ///   if the store is full or unreachable; `misuse` for a profile without client assertions.
    public func verify(
        assertion: String, at now: NumericDate? = nil
    ) async throws(JOSEError) {
        try await verify(assertion: assertion, for: .token, at: now ?? .now)
    }

    private func verify(
        assertion: String, for endpoint: AuthenticatedEndpoint, at now: NumericDate
    ) async throws(JOSEError) {
        guard let assertions = try assertions(at: endpoint) else {
            throw .misuse("the profile has no client assertions")
        }
        let expectation = ClaimsExpectation(subject: registration.clientID)
        let token = try await assertions.verify(assertion, expecting: expectation, at: now)
        try MessageKind.clientAssertion.check(token)
        // With several audiences, one of them could replay the assertion at another.
        guard token.audience.count == 1 else {
            throw .claimRejected("aud", "it must have exactly one value")
        }
        guard !profile.client.audienceIsString || token["aud"]?.string != nil else {
            throw .claimRejected("aud", "it is not a string")
        }
        // The URL of an endpoint must be a string, not an array (draft-ietf-oauth-rfc7523bis, 4).
        guard
            token["aud"]?.string != nil
                || token.audience.first?.isExactly(provider.metadata.issuer) == true
        else { throw .claimRejected("aud", "an audience other than the issuer must be a string") }
        guard let expiry = token.expiration,
            expiry <= now.later(bySeconds: profile.client.maxAssertionValiditySeconds)
        else { throw .claimRejected("exp", "it is further ahead than allowed") }
        try await provider.replays.markUsed(
            token, purpose: "client-assertion",
            audience: profile.client.audience.text(provider.metadata), at: now)
    }

    /// Redeems a code for this client.
    ///
    /// The code must belong to this client at this provider, and must not be expired or used. The
    /// redirect URI and the code verifier must match.
    ///
    /// - Parameters:
    ///   - request: The token request.
    ///   - grant: The stored grant of the code.
    ///   - now: The current time; the system's clock by default.
    /// - Throws: `claimRejected` with `code`, `redirect_uri`, `dpop_jkt`, `resource`,
    ///   `code_verifier` or `code_challenge`; `malformed` for a malformed code verifier. `replayed`
    ///   only for a used code; a code older than the replay store's records is `claimRejected` with
    ///   `code`. `limitExceeded` for the client's quota. `unavailable` if the store is full or
    ///   unreachable. Respond with `TokenError(rejectingGrant:)`.
    public func redeem(
        _ request: ReceivedTokenRequest, _ grant: CodeGrant, at now: NumericDate? = nil
    ) async throws(JOSEError) {
        let now = now ?? .now
        guard request.code.equalsConstantTime(grant.code),
            isOwn(grant.request.clientID, grant.request.issuer),
            isOwn(request.clientID, request.issuer)
        else { throw .claimRejected("code", "it is wrong or another client's") }
        guard now < grant.expires else { throw .claimRejected("code", "it has expired") }
        guard let uri = request.redirectURI, uri.isExactly(grant.request.redirectURI) else {
            throw .claimRejected("redirect_uri", "it is not the one of the authorization request")
        }
        // A code that is bound to a key needs a proof with this key (RFC 9449, 10).
        if let thumbprint = grant.request.keyThumbprint, profile.accessToken.proofs != .ignored {
            guard let proved = request.keyThumbprint, proved.isExactly(thumbprint) else {
                throw .claimRejected("dpop_jkt", "the proof is missing or has another key")
            }
        }
        let granted = grant.request.resources
        if !granted.isEmpty {
            try RegisteredClient.check(resources: request.resources, among: granted)
        }
        if let challenge = grant.request.parameters["code_challenge"] {
            guard let verifier = request.codeVerifier else {
                throw .claimRejected("code_verifier", "it is missing")
            }
            try PKCE(verifier: verifier).verify(challenge)
        } else if profile.client.authentication == .publicClient {
            // The client may have been confidential when the code was granted.
            throw .claimRejected("code_challenge", "it is required for a public client")
        } else if request.codeVerifier != nil {
            throw .claimRejected("code_verifier", "the request had no code_challenge")
        }
        try await markUsed(
            OneTimeToken(
                text: grant.code, purpose: "code", parameter: "code", issued: grant.issued,
                expires: grant.expires), at: now)
    }

    /// Records the use of a token that this provider issued to this client.
    ///
    /// - Throws: `replayed` for a used token: the first use may have been a thief's.
    ///   `claimRejected` with the token's parameter if it is older than the store's records.
    func markUsed(_ token: OneTimeToken, at now: NumericDate) async throws(JOSEError) {
        let use = token.use(by: registration.clientID, at: provider.metadata.issuer)
        do throws(ReplayStoreError) {
            try await provider.replays.markUsed(use, at: now)
        } catch .issuedBeforeStore {
            throw .claimRejected(
                token.parameter, "it is older than the records of the replay store")
        } catch {
            throw JOSEError(error)
        }
    }
}

/// A token that this provider issued for a single use.
struct OneTimeToken {
    let text: String
    /// Separates kinds of tokens in the replay store.
    let purpose: String
    /// The name of the parameter in errors.
    let parameter: String
    let issued: NumericDate
    let expires: NumericDate

    /// The issuer of the entry is `clientID`, whose quota applies. The entry expires a second later
    /// than the token, for stores that count whole seconds.
    func use(by clientID: String, at provider: String) -> ReplayEntry {
        ReplayEntry(
            purpose: purpose, issuer: clientID, audience: provider, tokenID: text,
            issuedHere: issued, expires: expires.later(bySeconds: 1))
    }
}

extension ReceivedTokenRequest: RedactedDescription {}
extension CodeGrant: RedactedDescription {}
