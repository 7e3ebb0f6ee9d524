// The seam between a remote set and the network: one request, one answer, or one fault.

/// Fetches the text of a JWK Set.
///
/// A transport must follow no redirect, keep both limits while it reads, and not block the thread it is called on.
/// `CurlTransport` is the default.
public protocol JWKSetTransport: Sendable {
    /// Sends one GET.
    ///
    /// - Parameter request: What to ask for and within which limits.
    /// - Throws: Why there is no answer; an answer of any HTTP status is no fault.
    func fetch(
        _ request: JWKSetRequest
    ) async throws(JWKSetTransportFault) -> JWKSetResponse
}

/// One request for a JWK Set.
public struct JWKSetRequest: Sendable {
    /// An absolute `https` URL.
    public let url: String
    /// The value for `If-None-Match`, where the answer before had an ETag.
    public let entityTag: String?
    /// The time from the call to the last byte.
    public let timeLimit: Duration
    /// The size of the body.
    public let bodyLimitBytes: Int
}

/// One answer; the fields are as the server sent them.
public struct JWKSetResponse: Sendable {
    /// The HTTP status.
    public var status: Int
    /// The body.
    public var body: [UInt8]
    /// `ETag`.
    public var entityTag: String?
    /// `Cache-Control`.
    public var cacheControl: String?
    /// `Age`.
    public var age: String?

    /// An answer.
    public init(
        status: Int, body: [UInt8] = [], entityTag: String? = nil, cacheControl: String? = nil,
        age: String? = nil
    ) {
        self.status = status
        self.body = body
        self.entityTag = entityTag
        self.cacheControl = cacheControl
        self.age = age
    }
}

/// Why a transport has no answer.
public struct JWKSetTransportFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The word for logs and metrics, such as `time-limit`.
    public let description: String

    private init(_ description: String) { self.description = description }

    /// No address, or no connection.
    public static let unreachable = JWKSetTransportFault("unreachable")
    /// TLS failed: certificate, name, version, or the CA file.
    public static let untrusted = JWKSetTransportFault("untrusted")
    /// The time limit passed.
    public static let timeLimit = JWKSetTransportFault("time-limit")
    /// The body or the header passed its limit.
    public static let sizeLimit = JWKSetTransportFault("size-limit")
    /// The server broke HTTP, or the connection broke.
    public static let broken = JWKSetTransportFault("broken")
    /// Memory, threads or the transport itself failed.
    public static let `internal` = JWKSetTransportFault("internal")
}
