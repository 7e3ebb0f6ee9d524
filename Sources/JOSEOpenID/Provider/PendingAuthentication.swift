// A backchannel request that waits for the user's decision (CIBA Core 1.0, 7.3, 10 and 11).

public import JOSE
import JOSEBytes

/// The user's decision about a backchannel request.
public enum UserDecision: String, Sendable, Hashable, Codable {
    /// The user has not decided.
    case pending
    /// The user agreed.
    case granted
    /// The user declined.
    case denied
}

/// A backchannel request that waits for the user. Store it with the user, under `requestID`.
public struct PendingAuthentication: Sendable, Codable {
    /// `auth_req_id`: 256 random bits.
    public let requestID: String
    /// The client's request.
    public let request: ReceivedBackchannelRequest
    let issued: NumericDate
    /// When the request expires.
    public let expires: NumericDate
    /// The user's decision. Set it when the user decides.
    public var decision = UserDecision.pending { didSet { generation += 1 } }
    /// The number of decisions and polls so far. A poll and a decision may change the stored
    /// request at the same time.
    ///
    /// Store a change only if the stored generation is still the one that you read. Otherwise
    /// discard the change of a poll. For a decision, read the request again, set the decision and
    /// retry.
    public private(set) var generation = 0
    /// The minimum time between two polls, in seconds.
    public private(set) var intervalSeconds: Int
    let lifetimeSeconds: Int
    private var lastPoll: NumericDate?

    init(
        _ request: ReceivedBackchannelRequest, _ rules: BackchannelRules, at now: NumericDate
    ) throws(JOSEError) {
        requestID = try RandomString.make(bits: 256)
        self.request = request
        let requested = request.requestedExpirySeconds ?? Int64(rules.lifetimeSeconds)
        lifetimeSeconds = Int(min(requested, Int64(rules.lifetimeSeconds)))
        issued = now
        expires = try now.end(ofLifetime: lifetimeSeconds)
        intervalSeconds = rules.intervalSeconds
    }

    /// The HTTP response, with status 200.
    ///
    /// - Throws: `misuse` if it cannot be written.
    public func response() throws(JOSEError) -> OpenIDHTTPResponse {
        let bytes = try ClaimsEncoder.object { (members) throws(JOSEError) in
            members.string("auth_req_id", requestID)
            members.integer("expires_in", Int64(lifetimeSeconds))
            members.integer("interval", Int64(intervalSeconds))
        }
        return try .notStored(String(decoding: bytes, as: UTF8.self), type: "application/json")
    }

    fileprivate func checkGranted() throws(JOSEError) {
        guard decision == .granted else { throw .misuse("the user did not agree to the request") }
    }

    /// Records a poll before the user's decision and returns the error code for it. A poll that
    /// comes more than one second early extends the interval by five seconds (CIBA Core 1.0, 11).
    /// One second is tolerated, as clocks count whole seconds.
    mutating func poll(at now: NumericDate) -> OAuthErrorCode {
        defer {
            lastPoll = now
            generation += 1
        }
        guard let lastPoll, now < lastPoll.later(bySeconds: intervalSeconds - 1) else {
            return .authorizationPending
        }
        intervalSeconds = min(intervalSeconds + 5, 86_400)
        return .slowDown
    }
}

/// The result of a poll: tokens, another wait, or an error.
public enum BackchannelPollResult: Sendable {
    /// The user agreed, and the request is used up: issue the tokens and delete the request.
    case granted
    /// Respond with the error. Store this request if the stored `generation` has not changed.
    case waiting(TokenError, PendingAuthentication)
    /// Respond with the error, and delete the request.
    case failed(TokenError)
}

/// A poll of an authenticated client, which asks whether the user has decided.
public struct ReceivedBackchannelPoll: Sendable {
    let issuer: String
    let clientID: String
    /// `auth_req_id`, to look up the pending request.
    public let requestID: String
    /// The values of `resource` for the access token (RFC 8707), in order. `redeem` rejects those
    /// that the backchannel request lacks. If it has none, your code decides which are allowed.
    public let resources: [String]
    /// The thumbprint of the DPoP key, for the access token's `cnf`; nil without a proof.
    public let keyThumbprint: String?
    /// A new nonce for the response header `DPoP-Nonce`; nil if the client needs none.
    package let nextNonce: String?

    /// The `token_type` of the response.
    public var tokenType: AccessTokenType { keyThumbprint == nil ? .bearer : .dpop }
}

extension RegisteredClient {
    /// Creates the pending authentication of an accepted request.
    ///
    /// - Parameters:
    ///   - request: The accepted request.
    ///   - now: When it was accepted; the system's clock by default.
    /// - Throws: `misuse` for a request of another client or provider; `internal`.
    public func pending(
        _ request: ReceivedBackchannelRequest, at now: NumericDate? = nil
    ) throws(JOSEError) -> PendingAuthentication {
        try checkOwn(request.request)
        return try PendingAuthentication(request, profile.backchannel, at: now ?? .now)
    }

    /// Receives a poll and authenticates the client.
    ///
    /// `body` is the form with the `grant_type` `urn:openid:params:grant-type:ciba`. For the other
    /// parameters see `receiveTokenRequest(_:authorization:proofs:at:)`.
    ///
    /// - Throws: As that function. `claimRejected` with `grant_type` for a client without
    ///   `ClientRegistration.backchannel`. Respond with `OpenIDProvider.error(rejecting:)`.
    ///
    /// Source: CIBA Core 1.0, 10.1.
    public func receiveBackchannelPoll(
        _ body: String, authorization: String? = nil, proofs: [String] = [],
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

    /// Returns the result of a poll. After the user agreed, only one poll is granted.
    ///
    /// - Parameters:
    ///   - poll: The poll.
    ///   - pending: The stored request with the poll's `requestID`.
    ///   - now: When the poll arrived; the system's clock by default.
    /// - Throws: `claimRejected` with `auth_req_id` for another client's request, or one that is
    ///   older than the replay store's records. `claimRejected` with `resource` for a resource that
    ///   was not requested. `replayed` if a poll was granted before. `limitExceeded` for the
    ///   client's quota. `unavailable` if the store is full or unreachable. Respond with
    ///   `TokenError(rejectingGrant:)`.
    ///
    /// Source: CIBA Core 1.0, 10.1 and 11.
    public func redeem(
        _ poll: ReceivedBackchannelPoll, _ pending: PendingAuthentication,
        at now: NumericDate? = nil
    ) async throws(JOSEError) -> BackchannelPollResult {
        let now = now ?? .now
        guard poll.requestID.equalsConstantTime(pending.requestID),
            isOwn(pending.request.clientID, pending.request.issuer),
            isOwn(poll.clientID, poll.issuer)
        else { throw .claimRejected("auth_req_id", "it is wrong or another client's") }
        guard now < pending.expires else { return .failed(TokenError(.expiredToken)) }
        let granted = pending.request.resources
        if !granted.isEmpty {
            try RegisteredClient.check(resources: poll.resources, among: granted)
        }
        switch pending.decision {
        case .pending:
            var next = pending
            let code = next.poll(at: now)
            return .waiting(TokenError(code), next)
        case .denied: return .failed(TokenError(.accessDenied))
        case .granted:
            try await markUsed(
                OneTimeToken(
                    text: pending.requestID, purpose: "backchannel", parameter: "auth_req_id",
                    issued: pending.issued, expires: pending.expires), at: now)
            return .granted
        }
    }

    /// Makes the HTTP request that notifies a client in ping mode of the decision; nil for a client
    /// that polls. The client responds with status 204 or 200.
    ///
    /// - Throws: `misuse` for a request of another client or provider, or without notification
    ///   token; `internal`.
    ///
    /// Source: CIBA Core 1.0, 10.2.
    public func ping(_ pending: PendingAuthentication) throws(JOSEError) -> OpenIDHTTPRequest? {
        try checkOwn(pending.request.request)
        guard case .ping(let url)? = registration.backchannel?.deliveryMode else { return nil }
        guard let token = pending.request.notificationToken else {
            throw .misuse("the request has no client_notification_token")
        }
        let bytes = try ClaimsEncoder.object { (members) throws(JOSEError) in
            members.string("auth_req_id", pending.requestID)
        }
        return OpenIDHTTPRequest(
            url: url, headers: [OpenIDParameter("Authorization", "Bearer " + token)],
            json: String(decoding: bytes, as: UTF8.self))
    }

    /// Issues the first refresh token of a granted backchannel request; see
    /// `refreshFamily(for:granting:resources:lifetime:respondingTo:at:)`.
    ///
    /// - Throws: The errors of that function; `misuse` if the user did not agree.
    public func refreshFamily(
        for pending: PendingAuthentication, granting scopes: [String]? = nil,
        resources: [String]? = nil, lifetime: Duration, at now: NumericDate? = nil
    ) throws(JOSEError) -> IssuedRefreshToken {
        try pending.checkGranted()
        return try refreshFamily(
            for: pending.request.request, granting: scopes, resources: resources,
            lifetime: lifetime, at: now)
    }
}

extension ClientTokenIssuer {
    /// Issues the ID Token of a granted backchannel request, with its `auth_req_id`.
    ///
    /// `refreshToken` is the refresh token of the same response, for the claim
    /// `urn:openid:params:jwt:claim:rt_hash`. For the other parameters see
    /// `idToken(for:_:claims:at:)`.
    ///
    /// - Throws: As that function; `misuse` if the user did not agree.
    ///
    /// Source: CIBA Core 1.0, 10.1.1 and 10.3.1.
    public func idToken(
        for pending: PendingAuthentication, _ user: UserAuthentication,
        refreshToken: String? = nil, claims: some Encodable = NoClaims(),
        at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        try pending.checkGranted()
        return try idToken(
            for: pending.request.request, user.bound(to: pending.requestID, refreshToken),
            claims: claims, at: now)
    }

    /// Issues the ID Token of a granted backchannel request with a signing key that may be
    /// external; see `idToken(for:_:claims:at:timeout:)`.
    public func idToken(
        for pending: PendingAuthentication, _ user: UserAuthentication,
        refreshToken: String? = nil, claims: some Encodable = NoClaims(),
        at now: NumericDate? = nil, timeout: Duration
    ) async throws(JOSEError) -> String {
        try pending.checkGranted()
        return try await idToken(
            for: pending.request.request, user.bound(to: pending.requestID, refreshToken),
            claims: claims, at: now, timeout: timeout)
    }
}

extension UserAuthentication {
    fileprivate func bound(to requestID: String, _ refreshToken: String?) -> UserAuthentication {
        var user = self
        user.backchannel = BackchannelBinding(requestID: requestID, refreshToken: refreshToken)
        return user
    }
}

extension PendingAuthentication: RedactedDescription {}
extension ReceivedBackchannelPoll: RedactedDescription {}
