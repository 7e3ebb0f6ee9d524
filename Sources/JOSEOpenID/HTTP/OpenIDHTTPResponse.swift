// An HTTP response for any HTTP server or client.

public import JOSE
import JOSEBytes

/// An HTTP response that your server sends, or that your HTTP client received. Send it unchanged;
/// add only `Content-Length`.
public struct OpenIDHTTPResponse: Sendable, Hashable {
    /// The status code, 100 to 599.
    public let status: Int
    /// The headers, in order.
    public let headers: [OpenIDParameter]
    /// The body, UTF-8; empty if there is none.
    public var body: String { exactBody.text }
    private let exactBody: ExactString

    /// Creates a response, such as your own page or one that your HTTP client received.
    ///
    /// - Parameters:
    ///   - status: The status code, 100 to 599.
    ///   - headers: Each name is a token (RFC 9110, 5.6.2). Each value is printable ASCII without a
    ///     space at either end: a line break would start another header.
    ///   - body: The body.
    /// - Throws: `misuse` for an invalid status or header.
    public init(
        status: Int, headers: [OpenIDParameter] = [], body: String = ""
    ) throws(JOSEError) {
        guard 100...599 ~= status else {
            throw .misuse("HTTP status {} is not 100 to 599", .number(status))
        }
        for header in headers {
            guard OpenIDHTTPResponse.isToken(header.name),
                header.value.isPrintableASCII, header.value.utf8.first != 0x20,
                header.value.utf8.last != 0x20
            else {
                throw .misuse(
                    "a response header needs a token as its name and printable ASCII as its value")
            }
        }
        self.status = status
        self.headers = headers
        exactBody = ExactString(body)
    }

    /// Returns the value of the first header of this name in any letter case; nil if there is none.
    public func header(_ name: String) -> String? { headers.first(named: name) }

    /// Whether a string is a token, such as a header name or a method (RFC 9110, 5.6.2).
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { isToken($0) }
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension OpenIDHTTPResponse {
    /// The headers that keep a response out of caches (RFC 6749, 5.1).
    static let notStored = [
        OpenIDParameter("Cache-Control", "no-store"), OpenIDParameter("Pragma", "no-cache"),
    ]

    /// The `DPoP-Nonce` header (RFC 9449, 8.2).
    static func carrying(nonce: String?) -> [OpenIDParameter] {
        nonce.map { [OpenIDParameter("DPoP-Nonce", $0)] } ?? []
    }

    /// Creates a response that caches must not store. Browsers must not guess its type.
    static func notStored(
        _ body: String, type: String, status: Int = 200, further: [OpenIDParameter] = []
    ) throws(JOSEError) -> OpenIDHTTPResponse {
        try OpenIDHTTPResponse(
            status: status,
            headers: [OpenIDParameter("Content-Type", type)] + notStored
                + [OpenIDParameter("X-Content-Type-Options", "nosniff")] + further,
            body: body)
    }

    static func published(
        _ body: String, type: String, maxAge: Duration
    ) throws(JOSEError) -> OpenIDHTTPResponse {
        let seconds = maxAge.wholeSeconds
        guard 0...86_400 ~= seconds else {
            throw .misuse("maxAge is not 0 to 86400 seconds")
        }
        return try OpenIDHTTPResponse(
            status: 200,
            headers: [
                OpenIDParameter("Content-Type", type),
                OpenIDParameter("Cache-Control", "public, max-age=\(seconds)"),
                OpenIDParameter("X-Content-Type-Options", "nosniff"),
            ], body: body)
    }
}

extension [OpenIDParameter] {
    func first(named name: String) -> String? {
        let name = name.lowercasedASCII
        return first { $0.name.lowercasedASCII.isExactly(name) }?.value
    }
}

extension OpenIDHTTPResponse: RedactedDescription {}
