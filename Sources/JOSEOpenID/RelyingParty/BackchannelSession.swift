// A client's backchannel authentication request, its response and its session (CIBA Core 1.0).

public import JOSE
import JOSEBytes

/// A backchannel authentication request to send.
public struct BackchannelAuthentication: Sendable {
    /// The POST to the backchannel authentication endpoint; its response is a
    /// `BackchannelResponse`.
    public let request: TokenRequest
    let context: BackchannelContext

    /// Returns the session to store when the provider has accepted the request.
    ///
    /// - Parameters:
    ///   - response: The provider's response.
    ///   - now: The time of the response; the system clock by default.
    /// - Throws: `misuse` if the request expires after the year 9999.
    public func accepted(
        _ response: BackchannelResponse, at now: NumericDate? = nil
    ) throws(JOSEError) -> BackchannelSession {
        guard let seconds = Int(exactly: response.expiresInSeconds) else {
            throw .misuse("the request expires after the year 9999")
        }
        return BackchannelSession(
            requestID: response.requestID, context: context,
            expires: try (now ?? .now).end(ofLifetime: seconds),
            intervalSeconds: response.intervalSeconds)
    }
}

struct BackchannelContext: Sendable, Codable {
    let clientID: String
    let issuer: String
    let notificationToken: String?
    let acrValues: [String]
    let requiredClaims: [String]
    /// The values of `sub` that the request's `claims` allows; empty for any.
    let subjects: [String]
    /// `BackchannelRequest.subject`; nil for any.
    let subject: String?
}

/// A successful response to a backchannel authentication request.
public struct BackchannelResponse: Sendable {
    /// `auth_req_id`, for the token requests.
    public let requestID: String
    /// The lifetime of the request in seconds, 1 to 253402300799.
    public let expiresInSeconds: Int64
    /// The minimum time between two token requests in seconds, at least 1; 5 by default.
    public let intervalSeconds: Int64

    /// Reads the body of a response with status 200. Read other statuses with `TokenError`.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - limits: The limits of the body.
    /// - Throws: `malformed` unless the body has a positive `expires_in` and an `auth_req_id` of at
    ///   least 22 (128 bits) and at most 4096 characters of `A-Za-z0-9.-_`. `limitExceeded`.
    ///
    /// Source: CIBA Core 1.0, 7.3.
    public init(json: String, limits: JOSELimits = .standard) throws(JOSEError) {
        let message = try JSONMessage(Array(json.utf8), limits: limits)
        try message.checkIsNoError()
        requestID = try message.backchannelRequestID()
        expiresInSeconds = try message.positiveSeconds("expires_in")
        intervalSeconds = max(try message.seconds("interval") ?? 5, 1)
    }

    static func isRequestID(_ text: String) -> Bool {
        22...4_096 ~= text.utf8.count
            && text.utf8.allSatisfy {
                $0.isUnreserved && $0 != UInt8(ascii: "~")
            }
    }
}

extension JSONMessage {
    fileprivate func backchannelRequestID() throws(JOSEError) -> String {
        guard let id = try string("auth_req_id"), BackchannelResponse.isRequestID(id) else {
            throw .malformed(
                .message, "auth_req_id is missing, or not 22 to 4096 characters of A-Za-z0-9.-_")
        }
        return id
    }
}

/// The session of a backchannel request, to store until the user has decided. Store it on the
/// server: it contains the token that authenticates the provider's notification.
public struct BackchannelSession: Sendable, Codable {
    /// `auth_req_id`.
    public let requestID: String
    let context: BackchannelContext
    /// When the request expires. Stop polling then.
    public let expires: NumericDate
    /// The time to wait between two token requests, in seconds.
    public private(set) var intervalSeconds: Int64

    /// Returns the session to continue with after an error of the token endpoint; nil if the
    /// request has ended.
    ///
    /// After `slow_down`, the interval is five seconds longer (CIBA Core 1.0, 11). After
    /// `use_dpop_nonce`, send the token request again at once with the new nonce (RFC 9449, 8).
    public func after(_ error: TokenError) -> BackchannelSession? {
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

    /// Verifies the provider's notification. If this succeeds, send the token request.
    ///
    /// - Throws: `claimRejected` with `auth_req_id` for another request, and with
    ///   `client_notification_token` if the token is not this request's (compared in constant
    ///   time). Respond with `OpenIDHTTPResponse.pinged(rejecting:)`.
    ///
    /// Source: CIBA Core 1.0, 10.2.
    public func accept(_ ping: ReceivedPing) throws(JOSEError) {
        guard ping.requestID.isExactly(requestID) else {
            throw .claimRejected("auth_req_id", "it is of another request")
        }
        guard let token = context.notificationToken, ping.token.equalsConstantTime(token) else {
            throw .claimRejected("client_notification_token", "it is not of this request")
        }
    }
}

/// An unverified notification that the user has decided. Find the session by `requestID` and call
/// the session's `accept(_:)`.
public struct ReceivedPing: Sendable {
    /// `auth_req_id`.
    public let requestID: String
    let token: String

    /// Reads a POST to the client's notification endpoint.
    ///
    /// - Parameters:
    ///   - authorization: The `Authorization` header.
    ///   - body: The body. Unknown members are ignored.
    ///   - limits: The limits of the body.
    /// - Throws: `claimRejected` with `client_notification_token` if the header has no `Bearer`
    ///   credentials. `malformed` unless the body is a JSON object with an `auth_req_id`.
    ///   `limitExceeded`. Respond with `OpenIDHTTPResponse.pinged(rejecting:)`.
    ///
    /// Source: CIBA Core 1.0, 9 and 10.2.
    public init(
        authorization: String?, body: String, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        // The header is untrusted: do not parse one that is longer than any notification token of
        // this library.
        guard let authorization, authorization.utf8.count <= 2_048,
            let found = HTTPCredentials.after(scheme: "bearer", of: authorization),
            1...1_024 ~= found.count
        else { throw .claimRejected("client_notification_token", "the request has none") }
        requestID = try JSONMessage(Array(body.utf8), limits: limits).backchannelRequestID()
        token = String(decoding: found, as: UTF8.self)
    }
}

extension OpenIDHTTPResponse {
    /// Creates the response to an accepted notification, with status 204.
    ///
    /// - Throws: `misuse` if the response cannot be written.
    public static func pinged() throws(JOSEError) -> OpenIDHTTPResponse {
        try OpenIDHTTPResponse(status: 204, headers: notStored)
    }

    /// Creates the response to a rejected notification: status 401 for `claimRejected`, else 400.
    ///
    /// - Throws: `misuse` if the response cannot be written.
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

extension BackchannelContext: RedactedDescription {}
extension BackchannelAuthentication: RedactedDescription {}
extension BackchannelResponse: RedactedDescription {}
extension BackchannelSession: RedactedDescription {}
extension ReceivedPing: RedactedDescription {}
