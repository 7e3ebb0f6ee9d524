// What a provider answers over HTTP, as a value that any server can send.

public import JOSE
import JOSEBytes

/// An answer of HTTP: send all three parts as they are, add `Content-Length` and nothing else.
public struct OpenIDHTTPResponse: Sendable, Hashable {
    /// The status code.
    public let status: Int
    /// The headers, in order.
    public let headers: [OpenIDParameter]
    /// The body, UTF-8; empty where there is none.
    public var body: String { exactBody.text }
    private let exactBody: ExactString

    /// An answer of your own, such as a page.
    ///
    /// - Parameters:
    ///   - status: 100 to 599.
    ///   - headers: Names of visible characters as RFC 9110, 5.6.2 allows them; values of visible ASCII.
    ///   - body: The body.
    /// - Throws: `misuse` for a status or a header that HTTP cannot carry: a line break in a value would begin another
    ///   header.
    public init(
        status: Int, headers: [OpenIDParameter] = [], body: String = ""
    ) throws(JOSEError) {
        guard 100...599 ~= status else { throw .misuse("an HTTP status is 100 to 599") }
        for header in headers {
            guard OpenIDHTTPResponse.isToken(header.name),
                header.value.isVisible, header.value.utf8.first != 0x20,
                header.value.utf8.last != 0x20
            else { throw .misuse("a header of the answer is not well-formed") }
        }
        self.status = status
        self.headers = headers
        exactBody = ExactString(body)
    }

    /// The value of the first header of this name, in any case; nil where there is none.
    public func header(_ name: String) -> String? {
        headers.first(named: name)
    }

    /// RFC 9110, 5.6.2: names of headers and methods.
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
    /// What keeps an answer out of every cache (RFC 6749, 5.1).
    static let notStored = [
        OpenIDParameter("Cache-Control", "no-store"), OpenIDParameter("Pragma", "no-cache"),
    ]

    /// The header with the nonce for the next proof of possession; none where there is nothing to say (RFC 9449, 8.2).
    static func carrying(nonce: String?) -> [OpenIDParameter] {
        nonce.map { [OpenIDParameter("DPoP-Nonce", $0)] } ?? []
    }

    /// A body that no cache keeps and no browser takes for something else.
    static func notStored(
        _ body: String, type: String, status: Int = 200, further: [OpenIDParameter] = []
    ) throws(JOSEError) -> OpenIDHTTPResponse {
        try OpenIDHTTPResponse(
            status: status,
            headers: [OpenIDParameter("Content-Type", type)] + notStored
                + [OpenIDParameter("X-Content-Type-Options", "nosniff")] + further,
            body: body)
    }

    /// A document that everybody may read and keep for a while.
    static func published(
        _ body: String, type: String, maxAge: Duration
    ) throws(JOSEError) -> OpenIDHTTPResponse {
        let seconds = maxAge.wholeSeconds
        guard 0...86_400 ~= seconds else {
            throw .misuse("maxAge: is not 0 to 86400 whole seconds")
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

extension OpenIDHTTPResponse: RedactedDescription {
    package var shownAs: String { "HTTP answer" }
}

extension [OpenIDParameter] {
    /// The value of the first header of this name, in any case.
    func first(named name: String) -> String? {
        let name = name.lowercasedASCII
        return first { $0.name.lowercasedASCII.isExactly(name) }?.value
    }
}
