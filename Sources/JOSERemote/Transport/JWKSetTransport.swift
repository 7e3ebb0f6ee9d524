// The protocol between a `RemoteJWKSet` and the network: one request, one response or error.

/// Fetches a JWK Set over HTTPS. `CurlTransport` is this module's implementation.
///
/// A transport must not follow redirects and must not block the calling thread. It must enforce the
/// time and size limits while it reads, and the address policy before it connects.
public protocol JWKSetTransport: Sendable {
    /// Sends one GET request.
    ///
    /// - Parameter request: The URL and the limits.
    /// - Returns: The response, with any HTTP status.
    /// - Throws: The reason why there is no response.
    func fetch(
        _ request: JWKSetRequest
    ) async throws(JWKSetTransportError) -> JWKSetResponse
}

/// The IP addresses that a request may connect to. Host names are checked only for `http`.
public enum AddressPolicy: Sendable, Hashable {
    /// Any address.
    case anyAddress
    /// Addresses of the public Internet only: not loopback, link-local, private, unique-local,
    /// multicast, unspecified or reserved, nor IPv6 addresses that contain such an IPv4 address.
    case publicAddresses
    /// Loopback addresses only: 127.0.0.0/8 and `::1`. For development with a local provider.
    ///
    /// Only with this policy may a URL use `http`, and only with the host `127.0.0.1`, `[::1]` or
    /// `localhost`. If libcurl tries another address, it does not connect, and the request fails.
    case loopbackAddresses
}

/// One GET request, by default for a JWK Set.
public struct JWKSetRequest: Sendable {
    /// The URL, with the rules of `HTTPSRequest.url`.
    public var url: String
    /// The value for `If-None-Match`: the ETag of the last response.
    public var entityTag: String?
    /// The value for `Accept`.
    public var mediaTypes: String
    /// The maximum time from the call to the last byte.
    public var timeLimit: Duration
    /// The maximum size of the body.
    public var bodyLimitBytes: Int
    /// The IP addresses that the request may connect to.
    public var addressPolicy: AddressPolicy

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: An absolute `https` URL.
    ///   - entityTag: The value for `If-None-Match`.
    ///   - mediaTypes: The value for `Accept`.
    ///   - timeLimit: The maximum time from the call to the last byte, 1 millisecond to 1 hour.
    ///   - bodyLimitBytes: The maximum size of the body.
    ///   - addressPolicy: The IP addresses that the request may connect to.
    public init(
        url: String, entityTag: String? = nil,
        mediaTypes: String = "application/jwk-set+json, application/json",
        timeLimit: Duration = .seconds(5), bodyLimitBytes: Int = 524_288,
        addressPolicy: AddressPolicy = .anyAddress
    ) {
        self.url = url
        self.entityTag = entityTag
        self.mediaTypes = mediaTypes
        self.timeLimit = timeLimit
        self.bodyLimitBytes = bodyLimitBytes
        self.addressPolicy = addressPolicy
    }
}

/// One HTTP response, with the header fields as the server sent them.
public struct JWKSetResponse: Sendable {
    /// The HTTP status. A `RemoteJWKSet` accepts 200, and 304 if it sent an ETag.
    public var status: Int
    /// The body, at most `JWKSetRequest.bodyLimitBytes`; not read with status 304.
    public var body: [UInt8]
    /// The header field `ETag`, sent back as `If-None-Match`; nil if absent.
    public var entityTag: String?
    /// The header field `Cache-Control`, for `max-age`; nil if absent.
    public var cacheControl: String?
    /// The header field `Age`: seconds that the response was in caches; nil if absent.
    public var age: String?

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - body: The body.
    ///   - entityTag: `ETag`.
    ///   - cacheControl: `Cache-Control`.
    ///   - age: `Age`.
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

/// The reason why a transport has no response.
public struct JWKSetTransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The identifier for logs and metrics, such as `time-limit`.
    public let description: String

    private init(_ description: String) { self.description = description }

    /// The host name cannot be resolved, or connecting fails.
    public static let unreachable = JWKSetTransportError("unreachable")
    /// The address policy allows no address of the name.
    public static let forbiddenAddress = JWKSetTransportError("forbidden-address")
    /// TLS failed: certificate, name, version, or the CA file.
    public static let untrusted = JWKSetTransportError("untrusted")
    /// There was no complete response within the `timeLimit` of the request.
    public static let timeLimit = JWKSetTransportError("time-limit")
    /// The body or the header exceeded its limit.
    public static let sizeLimit = JWKSetTransportError("size-limit")
    /// The response is not valid HTTP, or the connection broke.
    public static let broken = JWKSetTransportError("broken")
    /// `CurlTransport.send(_:)` has too many requests in progress. Respond with status 503.
    public static let tooManyRequests = JWKSetTransportError("too-many-requests")
    /// Memory, a thread or the transport itself failed, or the request is malformed.
    public static let `internal` = JWKSetTransportError("internal")
}
