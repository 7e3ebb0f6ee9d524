// Receiving token requests: who the client is, then whether the code is its own.

public import JOSE
import JOSEBytes

/// A token request whose client proved who it is.
public struct ReceivedTokenRequest: Sendable {
    let issuer: String
    /// The client.
    public let clientID: String
    /// The code: look its grant up.
    public let code: String
    /// The resources that the access token is to be for (RFC 8707), in order: those of the authorization request or fewer.
    /// Where that named none, whether the client may have them is yours to say.
    public let resources: [String]
    let redirectURI: String?
    let codeVerifier: String?
    /// The key that the access token is to be bound to: the thumbprint for its `cnf`; nil where the request held no proof.
    public let keyThumbprint: String?
    /// The value of `DPoP-Nonce` to answer with; nil where there is nothing new to say.
    package let nextNonce: String?

    /// How the access token will be used: the `token_type` of the answer.
    public var tokenType: AccessTokenType { keyThumbprint == nil ? .bearer : .dpop }
}

extension ReceivedTokenRequest: RedactedDescription {
    package var shownAs: String { "received token request" }
}

/// A code and what it stands for; keep it until the token request, under the code.
public struct CodeGrant: Sendable, Codable {
    /// The code to send back.
    public let code: String
    /// The request that it answers.
    public let request: ReceivedAuthorization
    /// When it was made; nil in what a version kept that did not say.
    let issued: NumericDate?
    /// When it ends.
    public let expires: NumericDate
}

extension CodeGrant: RedactedDescription {
    package var shownAs: String { "code grant" }
}

extension RegisteredClient {
    /// A fresh code for an accepted request of this client. A pushed request is used up by it: of all callers one wins.
    ///
    /// - Parameters:
    ///   - request: The accepted request.
    ///   - now: When the user agreed; the system's clock where none is given.
    /// - Throws: `misuse` for a request of another client or provider, or a code that would end after the year 9999,
    ///   `internal` without random numbers. For a pushed request `replayed` where it was granted before, `claimRejected` with
    ///   `request_uri` where the user took longer than the profile allows, or the store of one-time tokens is younger than the request
    ///   and cannot tell, `limitExceeded` for the client's quota, and `unavailable` where the store is full or does not answer.
    public func grant(
        _ request: ReceivedAuthorization, at now: NumericDate? = nil
    ) async throws(JOSEError) -> CodeGrant {
        try checkOwn(request)
        let now = now ?? .now
        let grant = CodeGrant(
            code: try FreshText.make(bits: 256), request: request, issued: now,
            expires: try now.end(ofLifetime: profile.client.codeLifetimeSeconds))
        if let use = request.pushedUse { try await useUp(use, at: now) }
        return grant
    }

    /// The form of a request to the token endpoint: this client's, for a provider that serves it, and for this grant.
    func tokenForm(_ body: String, grant: String) throws(JOSEError) -> OpenIDParameters {
        let form = try OpenIDParameters(decoding: body)
        try checkServed()
        if let clientID = form["client_id"], !clientID.isExactly(registration.clientID) {
            throw .claimRejected("client_id", "it is another client's")
        }
        guard let type = form["grant_type"] else {
            throw .malformed(.message, "grant_type is missing")
        }
        guard type.isExactly(grant) else {
            throw .unsupported(.message, "grant_type is another than this call reads")
        }
        return form
    }

    /// The resources that a token request names (RFC 8707, 2.2).
    static func resources(_ form: OpenIDParameters) throws(JOSEError) -> [String] {
        let resources = form.values("resource")
        guard resources.allSatisfy(WebURL.isRedirect) else {
            throw .claimRejected("resource", "it is no absolute address without fragment")
        }
        return resources
    }

    /// Throws `claimRejected` for a resource beyond those that were granted.
    static func check(
        resources wanted: [String], among granted: [String]
    ) throws(JOSEError) {
        guard wanted.allSatisfy({ wanted in granted.contains { $0.isExactly(wanted) } }) else {
            throw .claimRejected("resource", "it was not asked for, or not granted")
        }
    }

    /// Receives a token request and proves that this client sent it.
    ///
    /// - Parameters:
    ///   - body: The form.
    ///   - authorization: The `Authorization` header.
    ///   - proofs: The values of the header `DPoP`, one for each time that it stands there; looked at where the profile takes proofs,
    ///     once the client proved itself.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: `malformed` for the form, `unsupported` for another grant, `claimRejected` where the client does not prove
    ///   itself, every code of the engine for the assertion, `replayed` for a `jti` that was used, `unavailable` where the client's keys or the store cannot be asked;
    ///   `OpenIDProvider.error(rejecting:)` tells what to answer.
    public func receive(
        tokenRequest body: String, authorization: String? = nil, proofs: [String] = [],
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

    /// The proof of possession of a request whose client proved itself (RFC 9449, 5 and 10.1); a pushed request may go without.
    ///
    /// - Parameter bound: The key that the request names.
    func verify(
        proofs: [String], to endpoint: ProvingEndpoint, boundTo bound: String? = nil,
        at now: NumericDate
    ) async throws(JOSEError) -> VerifiedProof? {
        guard profile.accessToken.proofs != .ignored, let judge = provider.proofs else {
            guard !registration.bindsAccessTokens else {
                throw .misuse(
                    "the client's tokens are bound to keys, and its profile takes no proofs")
            }
            return nil
        }
        guard bindsEveryToken && endpoint == .token || !proofs.isEmpty else { return nil }
        guard let url = endpoint.url(provider.metadata) else {
            throw .misuse("the metadata have no endpoint for pushed requests")
        }
        let judged = try judge.judge(
            proofs,
            DPoPVerifier.Demand(
                method: "POST", url: url,
                rules: registration.profile == nil ? nil : profile.accessToken.dpop), at: now)
        guard bound.map(judged.proof.keyThumbprint.isExactly) ?? true else {
            throw JOSEError.claimRejected("dpop_jkt", "the proof is by another key").met(at: .proof)
        }
        try await judge.claim(judged, by: registration.clientID, at: now)
        return judged.proof
    }

    /// Whether the client is given no token without a proof of possession.
    var bindsEveryToken: Bool {
        profile.accessToken.proofs == .required || registration.bindsAccessTokens
    }

    /// Proves the client in the agreed way, which must be the only one (RFC 6749, 2.3).
    func authenticate(
        _ form: OpenIDParameters, _ authorization: String?,
        to endpoint: ProvingEndpoint = .token, at now: NumericDate
    ) async throws(JOSEError) {
        let ways = [authorization, form["client_assertion"], form["client_secret"]]
        guard ways.count(where: { $0 != nil }) <= 1 else {
            throw .malformed(.message, "the client proves itself in more than one way")
        }
        switch profile.client.authentication {
        case .basic where registration.sendsSecretInForm:
            guard authorization == nil else {
                throw .claimRejected(
                    "client_secret",
                    "it came by HTTP Basic; the client registered client_secret_post")
            }
            guard let sent = form["client_secret"], let secret = registration.secret,
                form["client_id"] != nil, secret.isSame(as: sent)
            else { throw .claimRejected("client_secret", "it is missing or wrong") }
        case .basic:
            guard form["client_secret"] == nil else {
                throw .claimRejected(
                    "client_secret",
                    "it came in the form; the client registered client_secret_basic")
            }
            guard let authorization, let secret = registration.secret,
                secret.accepts(authorization, clientID: registration.clientID)
            else { throw .claimRejected("client_secret", "it is missing or wrong") }
        case .assertion:
            guard form["client_secret"] == nil else {
                throw .claimRejected(
                    "client_secret", "it came in the form; the client registered private_key_jwt")
            }
            guard let assertion = form["client_assertion"] else {
                throw .claimRejected(
                    "client_assertion",
                    authorization == nil
                        ? "it is missing"
                        : "it came by HTTP Basic; the client registered private_key_jwt")
            }
            guard let type = form["client_assertion_type"],
                type.isExactly(TokenRequest.assertionType)
            else {
                throw .claimRejected("client_assertion_type", "it is missing or another one")
            }
            try await verify(assertion: assertion, for: endpoint, at: now)
        case .publicClient: try identify(form, authorization, at: endpoint)
        }
    }

    /// Takes a public client by its `client_id` (RFC 6749, 3.2.1): whoever has another proof is
    /// registered wrongly, and where a proof is demanded such a client has none.
    private func identify(
        _ form: OpenIDParameters, _ authorization: String?, at endpoint: ProvingEndpoint
    ) throws(JOSEError) {
        guard form["client_secret"] == nil else {
            throw .claimRejected(
                "client_secret", "it came in the form; the client registered none (public)")
        }
        guard authorization == nil, form["client_assertion"] == nil else {
            throw .claimRejected(
                "client_id", "the client proves itself; it registered none (public)")
        }
        guard endpoint == .token || endpoint == .pushedRequest else {
            throw .claimRejected("client_id", "a public client cannot prove itself")
        }
        guard form["client_id"]?.isExactly(registration.clientID) == true else {
            throw .claimRejected("client_id", "it is missing, and the client is a public one")
        }
    }

    /// Verifies a client assertion (RFC 7523, 3); its `jti` is claimed last, after every other check.
    ///
    /// - Parameters:
    ///   - assertion: The JWT.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: `claimRejected` with the claim, also one that tells of another kind of token; `replayed`;
    ///   `limitExceeded` for the client's quota; `unavailable` where the store is full, or it or the source of keys does not
    ///   answer.
    public func verify(
        assertion: String, at now: NumericDate? = nil
    ) async throws(JOSEError) {
        try await verify(assertion: assertion, for: .token, at: now ?? .now)
    }

    private func verify(
        assertion: String, for endpoint: ProvingEndpoint, at now: NumericDate
    ) async throws(JOSEError) {
        guard let assertions = try assertions(at: endpoint) else {
            throw .misuse("the profile has no client assertions")
        }
        let expectation = ClaimsExpectation(subject: registration.clientID)
        let token = try await assertions.verify(assertion, expecting: expectation, at: now)
        try MessageKind.clientAssertion.check(token)
        // An assertion for several parties could be handed on by one of them to another.
        guard token.audience.count == 1 else {
            throw .claimRejected("aud", "an assertion is for one audience")
        }
        guard !profile.client.audienceIsText || token["aud"]?.string != nil else {
            throw .claimRejected("aud", "it is not a string")
        }
        // The URL of an endpoint is accepted alone and as a string only
        // (draft-ietf-oauth-rfc7523bis, 4).
        guard
            token["aud"]?.string != nil
                || token.audience.first?.isExactly(provider.metadata.issuer) == true
        else { throw .claimRejected("aud", "an audience other than the issuer is a string") }
        guard let expiry = token.expiration,
            expiry <= now.later(bySeconds: profile.client.assertionHorizonSeconds)
        else { throw .claimRejected("exp", "it is further ahead than allowed") }
        try await provider.replays.claim(
            token, purpose: "client-assertion",
            audience: profile.client.audience.text(provider.metadata), at: now)
    }

    /// Redeems a code: this client must have proved itself and asked for it, at this provider; in time, for the same
    /// address, with its verifier, and once.
    ///
    /// - Parameters:
    ///   - request: The token request.
    ///   - grant: What the code stands for.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: `claimRejected` with `code`, `redirect_uri`, `dpop_jkt`, `resource`, `code_verifier` or `code_challenge`; `replayed` for a
    ///   code that was used, and for no other: one that is older than what the store of one-time tokens knows of is `claimRejected` with
    ///   `code`; `limitExceeded` for the client's quota; `unavailable` where the store is full or does not answer. Answer
    ///   `TokenError(rejectingGrant:)`.
    public func redeem(
        _ request: ReceivedTokenRequest, _ grant: CodeGrant, at now: NumericDate? = nil
    ) async throws(JOSEError) {
        let now = now ?? .now
        guard request.code.isSecretly(grant.code), (try? checkOwn(grant.request)) != nil,
            request.clientID.isExactly(registration.clientID),
            request.issuer.isExactly(provider.metadata.issuer)
        else { throw .claimRejected("code", "it is wrong or another client's") }
        guard now < grant.expires else { throw .claimRejected("code", "it has expired") }
        guard let address = request.redirectURI, address.isExactly(grant.request.redirectURI) else {
            throw .claimRejected("redirect_uri", "it is not the one of the authorization request")
        }
        // A code that was asked for with a key is for whoever has it (RFC 9449, 10); where nobody looks at proofs, as an unknown
        // parameter it is ignored.
        if let thumbprint = grant.request.keyThumbprint, profile.accessToken.proofs != .ignored {
            guard let proved = request.keyThumbprint, proved.isExactly(thumbprint) else {
                throw .claimRejected("dpop_jkt", "the proof is by another key, or there is none")
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
            // The client may have been another kind when the code was granted.
            throw .claimRejected("code_challenge", "a public client's code needs one")
        } else if request.codeVerifier != nil {
            throw .claimRejected("code_verifier", "no challenge was sent")
        }
        try await claim(
            OwnToken(
                text: grant.code, purpose: "code", parameter: "code", issued: grant.issued,
                expires: grant.expires), at: now)
    }

    /// Claims the one use of what this provider gave this client.
    ///
    /// - Throws: `replayed` where it was used before, and there alone: what came of the first use may be a thief's. `claimRejected` with
    ///   its parameter where the store cannot tell: whoever has it begins anew.
    func claim(_ token: OwnToken, at now: NumericDate) async throws(JOSEError) {
        let use = token.use(by: registration.clientID, at: provider.metadata.issuer)
        do throws(ReplayStoreError) {
            try await provider.replays.claim(use, at: now)
        } catch .issuedBeforeStore {
            throw .claimRejected(
                token.parameter, "it is older than what the store of one-time tokens knows of")
        } catch {
            throw JOSEError(error)
        }
    }
}

/// What this provider gave a client to come back with once.
struct OwnToken {
    let text: String
    /// What kind it is, in the store.
    let purpose: String
    /// The parameter in which it comes back.
    let parameter: String
    /// When it was given; nil where it was kept by a version that did not say.
    let issued: NumericDate?
    let expires: NumericDate

    /// Its one use.
    func use(by clientID: String, at issuer: String) -> ReplayEntry {
        let end = expires.later(bySeconds: 1)
        guard let issued else {
            return ReplayEntry(
                purpose: purpose, issuer: clientID, audience: issuer, tokenID: text, expires: end)
        }
        return ReplayEntry(
            purpose: purpose, issuer: clientID, audience: issuer, tokenID: text,
            issuedHere: issued, expires: end)
    }
}
