// A request that waits for its user's decision, and what its client is told meanwhile (CIBA Core 1.0, 7.3, 10 and 11).

public import JOSE
import JOSEBytes

/// What became of a user who was asked.
public enum UserDecision: String, Sendable, Hashable, Codable {
    /// She has not decided.
    case pending
    /// She agreed.
    case granted
    /// She rejected.
    case denied
}

/// A backchannel request that waits; keep it under `requestID`, and with it who the user is.
public struct PendingAuthentication: Sendable, Codable {
    /// `auth_req_id`: a name of 256 random bits.
    public let requestID: String
    /// What was asked for.
    public let request: ReceivedBackchannelRequest
    /// When it began to wait; nil in what a version kept that did not say.
    let issued: NumericDate?
    /// When the user's time ends.
    public let expires: NumericDate
    /// What she decided: set it when she does.
    public var decision = UserDecision.pending { didSet { generation += 1 } }
    /// How often it was changed, by her or by a question. Both may come at once: write what changed only where this is still what
    /// was read, or a question overwrites what she decided. Where it is not, drop what a question changed, and set what she decided anew.
    public private(set) var generation = 0
    /// How long the client waits between two questions, in seconds.
    public private(set) var intervalSeconds: Int
    let lifetimeSeconds: Int
    private var asked: NumericDate?

    init(
        _ request: ReceivedBackchannelRequest, _ rules: BackchannelRules, at now: NumericDate
    ) throws(JOSEError) {
        requestID = try FreshText.make(bits: 256)
        self.request = request
        let wanted = request.requestedExpirySeconds ?? Int64(rules.lifetimeSeconds)
        lifetimeSeconds = Int(min(wanted, Int64(rules.lifetimeSeconds)))
        issued = now
        expires = try now.end(ofLifetime: lifetimeSeconds)
        intervalSeconds = rules.intervalSeconds
    }

    /// The answer to give: status 200.
    ///
    /// - Throws: `misuse` where it cannot be written.
    public func response() throws(JOSEError) -> OpenIDHTTPResponse {
        let bytes = try ClaimsEncoder.object { (members) throws(JOSEError) in
            members.string("auth_req_id", requestID)
            members.integer("expires_in", Int64(lifetimeSeconds))
            members.integer("interval", Int64(intervalSeconds))
        }
        return try .notStored(String(decoding: bytes, as: UTF8.self), type: "application/json")
    }

    /// Throws `misuse` where she did not agree: nothing is made of what nobody granted.
    fileprivate func checkGranted() throws(JOSEError) {
        guard decision == .granted else { throw .misuse("the user did not agree to the request") }
    }

    /// The code to answer a question with before she decided; the next may come after the interval, or five seconds later where this
    /// one came early (11). Clocks that count in whole seconds make a question seem a second early.
    mutating func ask(at now: NumericDate) -> OAuthErrorCode {
        defer {
            asked = now
            generation += 1
        }
        guard let asked, now < asked.later(bySeconds: intervalSeconds - 1) else {
            return .authorizationPending
        }
        intervalSeconds = min(intervalSeconds + 5, 86_400)
        return .slowDown
    }
}

extension PendingAuthentication: RedactedDescription {
    package var shownAs: String { "pending authentication" }
}

/// What a provider makes of a question whether a user decided.
public enum BackchannelTurn: Sendable {
    /// Give the tokens: she agreed, and this was the one use of the request. Forget it.
    case granted
    /// Tell the client, and keep this in place of what was kept, where its `generation` is still the one that was read.
    case waiting(TokenError, PendingAuthentication)
    /// Tell the client, and forget the request.
    case over(TokenError)
}

/// A question whether a user decided, whose client proved who it is.
public struct ReceivedBackchannelPoll: Sendable {
    let issuer: String
    let clientID: String
    /// `auth_req_id`: look up what waits.
    public let requestID: String
    /// The resources that the access token is to be for (RFC 8707), in order: those of the request or fewer. Where that named none,
    /// whether the client may have them is yours to say.
    public let resources: [String]
    /// The key that the access token is to be bound to: the thumbprint for its `cnf`; nil where the request held no proof.
    public let keyThumbprint: String?
    /// The value of `DPoP-Nonce` to answer with; nil where there is nothing new to say.
    package let nextNonce: String?

    /// How the access token will be used: the `token_type` of the answer.
    public var tokenType: AccessTokenType { keyThumbprint == nil ? .bearer : .dpop }
}

extension ReceivedBackchannelPoll: RedactedDescription {
    package var shownAs: String { "received backchannel poll" }
}

extension RegisteredClient {
    /// Lets an accepted request wait for its user.
    ///
    /// - Parameters:
    ///   - request: The accepted request.
    ///   - now: When it was; the system's clock where none is given.
    /// - Throws: `misuse` for a request of another client or provider, `internal` without random numbers.
    public func pending(
        _ request: ReceivedBackchannelRequest, at now: NumericDate? = nil
    ) throws(JOSEError) -> PendingAuthentication {
        try checkOwn(request.request)
        return try PendingAuthentication(request, profile.backchannel, at: now ?? .now)
    }

    /// Receives a question whether a user decided, and proves that this client asks.
    ///
    /// - Parameters:
    ///   - body: The form, whose `grant_type` is `urn:openid:params:grant-type:ciba`.
    ///   - authorization: The `Authorization` header.
    ///   - proofs: The values of the header `DPoP`, as for a token request.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: As `receive(tokenRequest:authorization:proofs:at:)`; `claimRejected` with `grant_type` for a client that did not register
    ///   it. `OpenIDProvider.error(rejecting:)` tells what to answer.
    ///
    /// Source: CIBA Core 1.0, 10.1.
    public func receive(
        backchannelPoll body: String, authorization: String? = nil, proofs: [String] = [],
        at now: NumericDate? = nil
    ) async throws(JOSEError) -> ReceivedBackchannelPoll {
        let form = try tokenForm(body, grant: OpenIDProfile.backchannelGrant)
        guard let requestID = form["auth_req_id"] else {
            throw .malformed(.message, "auth_req_id is missing")
        }
        let resources = try RegisteredClient.resources(form)
        let now = now ?? .now
        try await authenticate(form, authorization, at: now)
        _ = try backchannelRegistration()
        let proof = try await verify(proofs: proofs, to: .token, at: now)
        return ReceivedBackchannelPoll(
            issuer: provider.metadata.issuer, clientID: registration.clientID,
            requestID: requestID, resources: resources, keyThumbprint: proof?.keyThumbprint,
            nextNonce: proof?.nextNonce)
    }

    /// Judges a question by what waits: of all that come after the user agreed, one is granted.
    ///
    /// - Parameters:
    ///   - poll: The question.
    ///   - pending: What waits under its `auth_req_id`.
    ///   - now: When it came; the system's clock where none is given.
    /// - Throws: `claimRejected` with `auth_req_id` for another client's, and for one that is older than what the store of one-time tokens
    ///   knows of, with `resource` for one that was not asked for; `replayed` for one whose tokens were given; `limitExceeded` for the
    ///   client's quota; `unavailable` where the store is full or does not answer. Answer `TokenError(rejectingGrant:)`.
    ///
    /// Source: CIBA Core 1.0, 10.1 and 11.
    public func redeem(
        _ poll: ReceivedBackchannelPoll, _ pending: PendingAuthentication,
        at now: NumericDate? = nil
    ) async throws(JOSEError) -> BackchannelTurn {
        let now = now ?? .now
        guard poll.requestID.isSecretly(pending.requestID),
            (try? checkOwn(pending.request.request)) != nil,
            poll.clientID.isExactly(registration.clientID),
            poll.issuer.isExactly(provider.metadata.issuer)
        else { throw .claimRejected("auth_req_id", "it is wrong or another client's") }
        guard now < pending.expires else { return .over(TokenError(.expiredToken)) }
        let asked = pending.request.resources
        if !asked.isEmpty { try RegisteredClient.check(resources: poll.resources, among: asked) }
        switch pending.decision {
        case .pending:
            var next = pending
            let code = next.ask(at: now)
            return .waiting(TokenError(code), next)
        case .denied: return .over(TokenError(.accessDenied))
        case .granted:
            try await claim(
                OwnToken(
                    text: pending.requestID, purpose: "backchannel", parameter: "auth_req_id",
                    issued: pending.issued, expires: pending.expires), at: now)
            return .granted
        }
    }

    /// The call that tells the client that its user decided; nil for a client that asks by itself.
    /// The client answers 204 or 200.
    ///
    /// - Throws: `misuse` for what waits for another client or provider, or lacks the token to show; `internal`.
    ///
    /// Source: CIBA Core 1.0, 10.2.
    public func ping(_ pending: PendingAuthentication) throws(JOSEError) -> OpenIDHTTPRequest? {
        try checkOwn(pending.request.request)
        guard case .ping(let url)? = registration.backchannel?.way else { return nil }
        guard let token = pending.request.notificationToken else {
            throw .misuse("the request came from a client that is not called")
        }
        let bytes = try ClaimsEncoder.object { (members) throws(JOSEError) in
            members.string("auth_req_id", pending.requestID)
        }
        return OpenIDHTTPRequest(
            url: url, headers: [OpenIDParameter("Authorization", "Bearer " + token)],
            json: String(decoding: bytes, as: UTF8.self))
    }

    /// The first refresh token of a request whose user agreed; see
    /// `refreshFamily(for:granting:resources:lifetime:answering:at:)`.
    ///
    /// - Throws: As there; `misuse` where the user did not agree.
    public func refreshFamily(
        for pending: PendingAuthentication, granting scopes: [String]? = nil,
        resources: [String]? = nil, lifetime: Duration, at now: NumericDate? = nil
    ) throws(JOSEError) -> RefreshTurn {
        try pending.checkGranted()
        return try refreshFamily(
            for: pending.request.request, granting: scopes, resources: resources,
            lifetime: lifetime, at: now)
    }
}

extension ClientResponses {
    /// Issues the ID Token of a user who was asked for without a browser: it names the request that it answers.
    ///
    /// - Parameters:
    ///   - pending: The request that it answers.
    ///   - user: Who authenticated, when and how.
    ///   - refreshToken: The refresh token beside it: becomes `urn:openid:params:jwt:claim:rt_hash`.
    ///   - claims: Further claims.
    ///   - now: The time of `iat`; the system's clock where none is given.
    /// - Throws: As `idToken(for:_:claims:at:)`; `misuse` where the user did not agree.
    ///
    /// Source: CIBA Core 1.0, 10.1.1 and 10.3.1.
    public func idToken(
        for pending: PendingAuthentication, _ user: UserAuthentication,
        refreshToken: String? = nil, claims: some Encodable = NoClaims(),
        at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        try pending.checkGranted()
        return try idToken(
            for: pending.request.request, user.answering(pending.requestID, refreshToken),
            claims: claims, at: now)
    }

    /// The same with a signing key that may be held elsewhere; see `idToken(for:_:claims:at:timeout:)`.
    public func idToken(
        for pending: PendingAuthentication, _ user: UserAuthentication,
        refreshToken: String? = nil, claims: some Encodable = NoClaims(),
        at now: NumericDate? = nil, timeout: Duration
    ) async throws(JOSEError) -> String {
        try pending.checkGranted()
        return try await idToken(
            for: pending.request.request, user.answering(pending.requestID, refreshToken),
            claims: claims, at: now, timeout: timeout)
    }
}

extension UserAuthentication {
    fileprivate func answering(_ requestID: String, _ refreshToken: String?) -> UserAuthentication {
        var user = self
        user.backchannel = BackchannelBinding(requestID: requestID, refreshToken: refreshToken)
        return user
    }
}
