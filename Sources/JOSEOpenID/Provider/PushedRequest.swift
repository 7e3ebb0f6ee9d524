// A pushed authorization request that a provider accepted (RFC 9126), and what it says of its one use.

public import JOSE
import JOSEBytes

/// An accepted request that waits for its user's browser; a store keeps it under its reference.
public struct PushedRequest: Sendable, Codable {
    /// `request_uri`: a name of 256 random bits.
    public let reference: String
    /// Who pushed it, and alone may use it.
    public let clientID: String
    /// When it was pushed; nil in what a version kept that did not say.
    let issued: NumericDate?
    /// When the reference ends: a browser that comes then is refused. A store may forget it then.
    public let expires: NumericDate
    /// When the user must have decided, at the latest.
    let grantBy: NumericDate
    /// What it asks for.
    let request: ReceivedAuthorization

    /// The answer's `expires_in`, in seconds.
    let lifetimeSeconds: Int
    /// A newer nonce for proofs of possession, to answer with; of no use to who comes later, so nobody keeps it.
    private var nextNonce: String?

    private enum CodingKeys: String, CodingKey {
        case reference, clientID, issued, expires, grantBy, request, lifetimeSeconds
    }

    /// What every reference begins with (RFC 9126, 2.2).
    static let prefix = "urn:ietf:params:oauth:request_uri:"

    init(
        _ request: ReceivedAuthorization, _ rules: PushedRequestRules, at now: NumericDate
    ) throws(JOSEError) {
        reference = PushedRequest.prefix + (try FreshText.make(bits: 256))
        clientID = request.clientID
        self.request = request
        lifetimeSeconds = rules.lifetimeSeconds
        issued = now
        expires = try now.end(ofLife: rules.lifetimeSeconds)
        grantBy = try expires.end(ofLife: rules.decisionSeconds)
    }

    /// About how many bytes it takes to keep, what the list of its parameters takes included.
    public var byteCount: Int {
        request.parameters.all.reduce(
            reference.utf8.count + clientID.utf8.count + request.others.utf8.count
        ) { $0 + $1.name.utf8.count + $1.value.utf8.count + MemoryLayout<OpenIDParameter>.stride }
    }

    /// The same, answered with a nonce.
    func bringing(nonce: String?) -> PushedRequest {
        var request = self
        request.nextNonce = nonce
        return request
    }

    /// The answer to give: status 201 (RFC 9126, 2.2).
    ///
    /// - Throws: `misuse` where it cannot be written.
    public func answer() throws(JOSEError) -> HTTPAnswer {
        let bytes = try ClaimsEncoder.object { (members) throws(JOSEError) in
            members.string("request_uri", reference)
            members.integer("expires_in", Int64(lifetimeSeconds))
        }
        return try .notStored(
            String(decoding: bytes, as: UTF8.self), type: "application/json", status: 201,
            further: HTTPAnswer.carrying(nonce: nextNonce))
    }
}

extension PushedRequest: RedactedDescription {
    package var shownAs: String { "pushed request" }
}

/// By which reference an authorization request came, and until when it may be granted.
struct PushedUse: Sendable, Codable {
    let reference: String
    /// When it was given; nil in what a version kept that did not say.
    let issued: NumericDate?
    let grantBy: NumericDate
}

/// What a provider makes of a request that a client pushes.
public enum PushedRequestVerdict: Sendable {
    /// It waits for the user's browser.
    case accepted(PushedRequest)
    /// Tell the client.
    case refused(RefusedPush)

    /// The answer to give to the client, with a nonce where its proofs need one.
    ///
    /// - Throws: `misuse` where it cannot be written.
    public func answer() throws(JOSEError) -> HTTPAnswer {
        switch self {
        case .accepted(let request): try request.answer()
        case .refused(let refused): try refused.answer()
        }
    }
}

/// A refused pushed request.
public struct RefusedPush: Sendable {
    /// Why, for the log.
    public let cause: JOSEError
    /// What the client is told.
    public let error: TokenError
    private let hasHeader: Bool
    private let status: Int?

    /// - Parameters:
    ///   - provider: Who refuses, and gives the nonce that the error asks for.
    ///   - hasHeader: Whether the request had an `Authorization` header.
    ///   - status: Another status than the error's own.
    init(
        _ refusal: AuthorizationRefusal, at provider: OpenIDProvider, hasHeader: Bool,
        status: Int? = nil, now: NumericDate? = nil
    ) {
        cause = refusal.cause
        error = provider.bringingNonce(
            TokenError(refusal.answer, description: refusal.description), at: now)
        self.hasHeader = hasHeader
        self.status = status
    }

    /// The answer to give: as the token endpoint's (RFC 9126, 2.3), 413 for a request that is too large, 429 for a client that
    /// has too many waiting; with a nonce where `error` asks for one.
    ///
    /// - Throws: `misuse` where it cannot be written.
    public func answer() throws(JOSEError) -> HTTPAnswer {
        guard let status else { return try error.answer(authorization: hasHeader ? "" : nil) }
        return try .notStored(try error.json(), type: "application/json", status: status)
    }
}
