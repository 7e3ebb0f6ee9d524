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
    /// When the reference ends: a browser that comes then is rejected. A store may forget it then.
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
        expires = try now.end(ofLifetime: rules.lifetimeSeconds)
        grantBy = try expires.end(ofLifetime: rules.decisionSeconds)
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
    public func response() throws(JOSEError) -> OpenIDHTTPResponse {
        let bytes = try ClaimsEncoder.object { (members) throws(JOSEError) in
            members.string("request_uri", reference)
            members.integer("expires_in", Int64(lifetimeSeconds))
        }
        return try .notStored(
            String(decoding: bytes, as: UTF8.self), type: "application/json", status: 201,
            further: OpenIDHTTPResponse.carrying(nonce: nextNonce))
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
