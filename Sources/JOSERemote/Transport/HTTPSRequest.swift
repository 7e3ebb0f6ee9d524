// A request with headers and a body, and its response, such as those of a relying party.

import JOSE
import JOSEBytes

/// An HTTPS request for `CurlTransport.send(_:)`: a POST if it has a body, otherwise a GET.
/// `TokenRequest` and `OpenIDHTTPRequest` of JOSEOpenID have the same parts.
public struct HTTPSRequest: Sendable {
    /// A header field.
    public typealias Header = (name: String, value: String)

    /// An absolute `https` URL of at most 2,048 ASCII characters, without user and fragment. With
    /// `AddressPolicy.loopbackAddresses` it may be an `http` URL of this machine.
    public var url: String
    /// The header fields, in order. Names are letters, digits, `-` and `_`; values are printable
    /// ASCII and not only spaces.
    public var headers: [Header]
    /// The body of a POST; nil for a GET.
    public var body: String?
    /// The maximum time from the call to the last byte, 1 millisecond to 1 hour. Default 5 seconds.
    public var timeLimit = Duration.seconds(5)
    /// The maximum size of the response body. Default 524,288 bytes.
    public var bodyLimitBytes = 524_288
    /// The IP addresses that the request may connect to. Default `anyAddress`.
    public var addressPolicy = AddressPolicy.anyAddress

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: An absolute `https` URL.
    ///   - headers: The header fields, in order.
    ///   - body: The body of a POST; nil for a GET.
    public init(url: String, headers: [Header] = [], body: String? = nil) {
        self.url = url
        self.headers = headers
        self.body = body
    }

    init(_ request: JWKSetRequest) {
        self.init(url: request.url, headers: [("Accept", request.mediaTypes)])
        if let tag = request.entityTag, !tag.isEmpty { headers.append(("If-None-Match", tag)) }
        timeLimit = request.timeLimit
        bodyLimitBytes = request.bodyLimitBytes
        addressPolicy = request.addressPolicy
    }

    /// Whether all values are in range and no header field can inject another one.
    var isWellFormed: Bool {
        RemoteURL.isAllowed(url, addressPolicy) && bodyLimitBytes >= 0
            && .milliseconds(1) <= timeLimit && timeLimit <= .seconds(3_600)
            && headers.allSatisfy { header in
                !header.name.isEmpty && header.name.utf8.allSatisfy(HTTPSRequest.isNameByte)
                    // libcurl would drop a field without a value.
                    && header.value.utf8.contains { $0 != 0x20 }
                    && header.value.utf8.allSatisfy { 0x20...0x7e ~= $0 }
            }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// The response to an `HTTPSRequest`, with any status.
public struct HTTPSResponse: Sendable {
    /// The HTTP status of the final response, such as 200. Redirects are not followed.
    public let status: Int
    /// The body as the server sent it; at most the limit of the request.
    public let body: [UInt8]
    let fields: ResponseHeader

    /// Returns the value of a header field, whose name is matched in any case, or nil. The values
    /// of repeated fields are joined by commas (RFC 9110, 5.3).
    public func header(_ name: String) -> String? { fields[name.lowercasedASCII] }
}

extension HTTPSResponse: RedactedDescription {
    package var shownAs: String { "HTTPS response with status \(status)" }
}

extension HTTPSRequest: RedactedDescription {}
