// The seam between a remote set and the network: one request, one answer, or one fault.

/// Fetches the text of a JWK Set.
///
/// A transport must follow no redirect, keep both limits while it reads, connect to no address beyond the request's reach,
/// and not block the thread it is called on. `CurlTransport` is the default.
public protocol JWKSetTransport: Sendable {
    /// Sends one GET.
    ///
    /// - Parameter request: What to ask for and within which limits.
    /// - Throws: Why there is no answer; an answer of any HTTP status is no fault.
    func fetch(
        _ request: JWKSetRequest
    ) async throws(JWKSetTransportError) -> JWKSetResponse
}

/// Which machines a request may reach, by the address that it connects to, whatever name led there.
public enum AddressPolicy: Sendable, Hashable {
    /// Any.
    case anyAddress
    /// Those of the public Internet: not loopback, link-local, private, unique-local, multicast, unspecified or reserved,
    /// also where IPv6 carries an address of IPv4.
    case publicAddresses
}

/// One GET: for a JWK Set, where nothing else is said.
public struct JWKSetRequest: Sendable {
    /// An absolute `https` URL of at most 2,048 ASCII characters, without user and fragment.
    public var url: String
    /// The value for `If-None-Match`, where the answer before had an ETag.
    public var entityTag: String?
    /// The value for `Accept`.
    public var mediaTypes: String
    /// The time from the call to the last byte.
    public var timeLimit: Duration
    /// The size of the body.
    public var bodyLimitBytes: Int
    /// Where it may connect to.
    public var addressPolicy: AddressPolicy

    /// A request.
    ///
    /// - Parameters:
    ///   - url: An absolute `https` URL.
    ///   - entityTag: The value for `If-None-Match`.
    ///   - mediaTypes: The value for `Accept`.
    ///   - timeLimit: The time from the call to the last byte, 1 millisecond to 1 hour.
    ///   - bodyLimitBytes: The most that is read of the body.
    ///   - reach: Where it may connect to.
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

    /// Whether it can be sent as it stands: nothing in it adds a line to the request.
    var isWellFormed: Bool {
        let fields = [entityTag ?? "", mediaTypes]
        return RemoteURL.isAllowed(url) && bodyLimitBytes >= 0
            && .milliseconds(1) <= timeLimit && timeLimit <= .seconds(3_600)
            && fields.allSatisfy { $0.utf8.allSatisfy { 0x20...0x7e ~= $0 } }
    }
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
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - body: The body as it came.
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

/// Why a transport has no answer.
public struct JWKSetTransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The word for logs and metrics, such as `time-limit`.
    public let description: String

    private init(_ description: String) { self.description = description }

    /// No address, or no connection.
    public static let unreachable = JWKSetTransportError("unreachable")
    /// The name leads to no address within the request's reach.
    public static let forbiddenAddress = JWKSetTransportError("forbidden-address")
    /// TLS failed: certificate, name, version, or the CA file.
    public static let untrusted = JWKSetTransportError("untrusted")
    /// The time limit passed.
    public static let timeLimit = JWKSetTransportError("time-limit")
    /// The body or the header passed its limit.
    public static let sizeLimit = JWKSetTransportError("size-limit")
    /// The server broke HTTP, or the connection broke.
    public static let broken = JWKSetTransportError("broken")
    /// Memory, threads or the transport itself failed.
    public static let `internal` = JWKSetTransportError("internal")
}
