// A pushed authorization request that a provider accepted (RFC 9126).

public import JOSE
import JOSEBytes

/// An accepted pushed request. A store keeps it under `reference` until it expires, or until
/// `RegisteredClient.grant` removes it.
public struct PushedRequest: Sendable, Codable {
    /// `request_uri`: a URN with 256 random bits.
    public let reference: String
    /// The client that pushed the request. Only this client may use it.
    public let clientID: String
    let issued: NumericDate
    /// When the reference expires and the store may drop the request.
    public let expires: NumericDate
    /// The deadline for the user's decision.
    let decisionDeadline: NumericDate
    let request: ReceivedAuthorization

    let lifetimeSeconds: Int
    /// A new DPoP nonce for the response. It is not stored.
    private var nextNonce: String?

    private enum CodingKeys: String, CodingKey {
        case reference, clientID, issued, expires, decisionDeadline, request, lifetimeSeconds
    }

    /// The prefix of every reference (RFC 9126, 2.2).
    static let prefix = "urn:ietf:params:oauth:request_uri:"

    init(
        _ request: ReceivedAuthorization, _ rules: PushedRequestRules, at now: NumericDate
    ) throws(JOSEError) {
        reference = PushedRequest.prefix + (try RandomString.make(bits: 256))
        clientID = request.clientID
        self.request = request
        lifetimeSeconds = rules.lifetimeSeconds
        issued = now
        expires = try now.end(ofLifetime: rules.lifetimeSeconds)
        decisionDeadline = try expires.end(ofLifetime: rules.decisionSeconds)
    }

    /// The approximate size in memory, including the list of parameters.
    public var byteCount: Int {
        request.parameters.all.reduce(
            reference.utf8.count + clientID.utf8.count + request.others.utf8.count
        ) { $0 + $1.name.utf8.count + $1.value.utf8.count + MemoryLayout<OpenIDParameter>.stride }
    }

    func adding(nonce: String?) -> PushedRequest {
        var copy = self
        copy.nextNonce = nonce
        return copy
    }

    /// The HTTP response, with status 201 (RFC 9126, 2.2).
    ///
    /// - Throws: `misuse` if it cannot be written.
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

/// The reference of a pushed request, and the deadline for the user's decision.
struct PushedUse: Sendable, Codable {
    let reference: String
    let issued: NumericDate
    let decisionDeadline: NumericDate
}

extension PushedRequest: RedactedDescription {}
