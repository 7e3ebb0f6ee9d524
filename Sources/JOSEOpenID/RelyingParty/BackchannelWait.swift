// A client's backchannel request on its way, what it is answered, and what it waits for (CIBA Core 1.0, 7.3, 10 and 11).

public import JOSE
import JOSEBytes

/// A request that is to be sent to the backchannel authentication endpoint.
public struct BackchannelAuthentication: Sendable {
    /// The POST to the endpoint; its answer with status 200 is a `BackchannelResponse`, another a `TokenError`.
    public let request: TokenRequest
    let clientID: String
    let issuer: String
    let notificationToken: String?
    let acrValues: [String]
    let requiredClaims: [String]
    let subjects: [String]
    let subject: String?

    /// What to keep once the request was accepted.
    ///
    /// - Parameters:
    ///   - answer: What the provider answered.
    ///   - now: When it was; the system's clock where none is given.
    /// - Throws: `misuse` for a time after the year 9999.
    public func accepted(
        _ response: BackchannelResponse, at now: NumericDate? = nil
    ) throws(JOSEError) -> BackchannelWait {
        guard response.expiresInSeconds <= 253_402_300_799,
            let seconds = Int(exactly: response.expiresInSeconds)
        else { throw .misuse("a request ends before the year 10000") }
        return BackchannelWait(
            requestID: response.requestID, clientID: clientID, issuer: issuer,
            notificationToken: notificationToken, acrValues: acrValues,
            requiredClaims: requiredClaims, subjects: subjects, subject: subject,
            expires: try (now ?? .now).end(ofLifetime: seconds),
            intervalSeconds: response.intervalSeconds)
    }
}

extension BackchannelAuthentication: RedactedDescription {
    package var shownAs: String { "backchannel authentication" }
}

/// The answer to a backchannel request that was accepted.
public struct BackchannelResponse: Sendable {
    /// `auth_req_id`: what to ask the token endpoint by.
    public let requestID: String
    /// How long the user has, in seconds, 1 to 253402300799.
    public let expiresInSeconds: Int64
    /// How long to wait between two questions, in seconds; 5 where the answer does not say, 1 at the least.
    public let intervalSeconds: Int64

    /// Reads the body of an answer with status 200; other answers are a `TokenError`.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - limits: Bounds on it.
    /// - Throws: `malformed` unless it has an `auth_req_id` of 22 to 4096 characters from `A-Za-z0-9.-_`, as 128 bits have no fewer,
    ///   and a positive `expires_in`; `limitExceeded`.
    ///
    /// Source: CIBA Core 1.0, 7.3.
    public init(json: String, limits: JOSELimits = .standard) throws(JOSEError) {
        let message = try JSONMessage(Array(json.utf8), limits: limits)
        try message.checkIsNoError()
        guard let name = try message.string("auth_req_id"), BackchannelResponse.isRequestID(name)
        else { throw .malformed(.message, "the answer holds no auth_req_id") }
        guard let seconds = try message.seconds("expires_in"), seconds > 0 else {
            throw .malformed(.message, "expires_in is no positive number of seconds")
        }
        requestID = name
        expiresInSeconds = seconds
        intervalSeconds = max(try message.seconds("interval") ?? 5, 1)
    }

    static func isRequestID(_ text: String) -> Bool {
        22...4_096 ~= text.utf8.count
            && text.utf8.allSatisfy {
                PercentEncoding.isUnreserved($0) && $0 != UInt8(ascii: "~")
            }
    }
}

extension BackchannelResponse: RedactedDescription {
    package var shownAs: String { "backchannel answer" }
}

/// What a client keeps until its user decided; it holds the token by which the provider proves that it calls.
public struct BackchannelWait: Sendable, Codable {
    /// `auth_req_id`.
    public let requestID: String
    let clientID: String
    let issuer: String
    let notificationToken: String?
    let acrValues: [String]
    let requiredClaims: [String]
    let subjects: [String]
    let subject: String?
    /// When the user's time ends: then there is nothing left to ask.
    public let expires: NumericDate
    /// How long to wait before the next question, from when the last was sent, in seconds.
    public private(set) var intervalSeconds: Int64

    init(
        requestID: String, clientID: String, issuer: String, notificationToken: String?,
        acrValues: [String], requiredClaims: [String],
        subjects: [String], subject: String?, expires: NumericDate, intervalSeconds: Int64
    ) {
        self.requestID = requestID
        self.clientID = clientID
        self.issuer = issuer
        self.notificationToken = notificationToken
        self.acrValues = acrValues
        self.requiredClaims = requiredClaims
        self.subjects = subjects
        self.subject = subject
        self.expires = expires
        self.intervalSeconds = intervalSeconds
    }

    /// What to wait for behind an error of the token endpoint: nil where it is over.
    ///
    /// `slow_down` makes this and every later wait five seconds longer (11). `use_dpop_nonce` decides nothing: ask at once, with the
    /// nonce that came (RFC 9449, 8).
    public func after(_ error: TokenError) -> BackchannelWait? {
        switch error.code {
        case .authorizationPending, .temporarilyUnavailable, .serverError, .useDPoPNonce:
            return self
        case .slowDown:
            var next = self
            next.intervalSeconds = min(intervalSeconds, NumericDate.latest.seconds) + 5
            return next
        default: return nil
        }
    }

    /// Accepts a call of the provider: ask the token endpoint now.
    ///
    /// - Throws: `claimRejected` with `auth_req_id` for another request's, with `client_notification_token` where the caller does not
    ///   show what this request gave the provider, compared in constant time. Answer `OpenIDHTTPResponse.pinged(rejecting:)`.
    ///
    /// Source: CIBA Core 1.0, 10.2.
    public func accept(_ ping: ReceivedPing) throws(JOSEError) {
        guard ping.requestID.isExactly(requestID) else {
            throw .claimRejected("auth_req_id", "it is another request's")
        }
        guard let notificationToken, ping.token.isSecretly(notificationToken) else {
            throw .claimRejected("client_notification_token", "it is not this request's")
        }
    }
}

extension BackchannelWait: RedactedDescription {
    package var shownAs: String { "backchannel wait" }
}

/// A call of a provider that says which user decided, unverified: look up what waits by `requestID`, and let that judge it.
public struct ReceivedPing: Sendable {
    /// `auth_req_id`.
    public let requestID: String
    let token: String

    /// Reads a POST to the client notification endpoint.
    ///
    /// - Parameters:
    ///   - authorization: The `Authorization` header.
    ///   - body: The body; members that nobody knows are ignored.
    ///   - limits: Bounds on the body.
    /// - Throws: `claimRejected` with `client_notification_token` without credentials of the scheme `Bearer`; `malformed` for another
    ///   body than a JSON object with an `auth_req_id`; `limitExceeded`. Answer `OpenIDHTTPResponse.pinged(rejecting:)`.
    ///
    /// Source: CIBA Core 1.0, 9 and 10.2.
    public init(
        authorization: String?, body: String, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        // Whoever calls writes the header: it is not read where no token of ours fits into it.
        guard let authorization, authorization.utf8.count <= 2_048,
            let found = HTTPCredentials.behind(scheme: "bearer", of: authorization),
            1...1_024 ~= found.count
        else { throw .claimRejected("client_notification_token", "the caller shows none") }
        let message = try JSONMessage(Array(body.utf8), limits: limits)
        guard let name = try message.string("auth_req_id"), BackchannelResponse.isRequestID(name)
        else { throw .malformed(.message, "the call holds no auth_req_id") }
        requestID = name
        token = String(decoding: found, as: UTF8.self)
    }
}

extension ReceivedPing: RedactedDescription {
    package var shownAs: String { "received ping" }
}

extension OpenIDHTTPResponse {
    /// The answer to a provider's call that was accepted: status 204.
    ///
    /// - Throws: `misuse` where it cannot be written.
    public static func pinged() throws(JOSEError) -> OpenIDHTTPResponse {
        try OpenIDHTTPResponse(status: 204, headers: notStored)
    }

    /// The answer to a call that `error` rejected: 401 for a caller that did not prove itself, 400 for all else.
    ///
    /// - Throws: `misuse` where it cannot be written.
    public static func pinged(rejecting error: JOSEError) throws(JOSEError) -> OpenIDHTTPResponse {
        guard error.code == .claimRejected else {
            return try OpenIDHTTPResponse(status: 400, headers: notStored)
        }
        return try OpenIDHTTPResponse(
            status: 401,
            headers: [OpenIDParameter("WWW-Authenticate", "Bearer error=\"invalid_token\"")]
                + notStored)
    }
}
