// The access token of a request to a protected resource: in a header or in a form, never in both, never in an address.

public import JOSE
import JOSEBytes

/// The access token that a request to the UserInfo endpoint brings, unverified (RFC 6750, 2).
public struct BearerToken: Sendable {
    /// The token's text: look up what you gave it for.
    public let text: String

    /// Reads the token of a request.
    ///
    /// - Parameters:
    ///   - method: The request's method, `GET` or `POST`.
    ///   - query: What stands behind the question mark; empty where nothing does.
    ///   - authorization: The `Authorization` header.
    ///   - contentType: The `Content-Type` header.
    ///   - body: The body; read where it is a form, and only of a `POST`.
    /// - Throws: `claimRejected` with `access_token` where the request brings none; `malformed` for a token that is not
    ///   well-formed, that stands in the query, or in two places; `limitExceeded` beyond 16 KB.
    ///   `BearerError(rejecting:)` tells what to answer.
    ///
    /// Source: RFC 6750, 2.1 and 2.2; 2.3 is rejected, as addresses are logged.
    public init(
        method: String, query: String = "", authorization: String?, contentType: String? = nil,
        body: String = ""
    ) throws(JOSEError) {
        guard method.isExactly("GET") || method.isExactly("POST") else {
            throw .malformed(.message, "a UserInfo request is a GET or a POST")
        }
        guard try OpenIDParameters(decoding: query)["access_token"] == nil else {
            throw .malformed(.message, "an access token stands in the address")
        }
        let inHeader = try authorization.flatMap(BearerToken.credentials)
        var inForm: String?
        if method.isExactly("POST"), MediaType.isForm(contentType) {
            inForm = try OpenIDParameters(decoding: body)["access_token"]
        }
        guard inHeader == nil || inForm == nil else {
            throw .malformed(.message, "the request holds two access tokens")
        }
        guard let text = inHeader ?? inForm else {
            throw .claimRejected("access_token", "the request holds none")
        }
        guard text.utf8.count <= 16_384 else {
            throw .limitExceeded(.message, "the access token is too large")
        }
        guard BearerToken.isWellFormed(text) else {
            throw .malformed(.message, "the access token is not well-formed")
        }
        self.text = text
    }

    /// A new token of 256 random bits, for a provider that keeps what it stands for.
    ///
    /// - Throws: `internal` without random numbers.
    public static func fresh() throws(JOSEError) -> BearerToken {
        BearerToken(made: try FreshText.make(bits: 256))
    }

    private init(made text: String) { self.text = text }

    /// What stands behind the scheme `Bearer` in any case; nil for another scheme.
    private static func credentials(_ header: String) throws(JOSEError) -> String? {
        HTTPCredentials.behind(scheme: "bearer", of: header)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// RFC 6750, 2.1: `b64token`.
    static func isWellFormed(_ text: String) -> Bool {
        let signs = text.utf8.prefix {
            PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/")
        }
        return !signs.isEmpty
            && text.utf8[signs.endIndex...].allSatisfy { $0 == UInt8(ascii: "=") }
    }
}

extension BearerToken: RedactedDescription {
    package var shownAs: String { "bearer token" }
}

/// Media types of messages, so far as readers look at them.
enum MediaType {
    static let form = "application/x-www-form-urlencoded"

    static func isForm(_ contentType: String?) -> Bool {
        contentType.map { name($0).isExactly(form) } ?? false
    }

    /// Whether an `Accept` header names a type itself, and does not reject it (RFC 9110, 12.5.1); a wildcard is no wish for it.
    static func isAccepted(_ type: String, by accept: String?) -> Bool {
        guard let accept, accept.utf8.count <= 8_192 else { return false }
        return accept.pieces(at: UInt8(ascii: ",")).contains { range in
            guard name(range).isExactly(type) else { return false }
            return !range.pieces(at: UInt8(ascii: ";")).dropFirst().contains { parameter in
                let bytes = parameter.utf8.filter { $0 != 0x20 && $0 != 0x09 }
                guard bytes.prefix(2).lazy.map({ $0 | 0x20 }).elementsEqual([0x71, 0x3d]) else {
                    return false
                }
                return bytes.dropFirst(2).allSatisfy { $0 == 0x30 || $0 == 0x2e }
            }
        }
    }

    /// The type without its parameters, in lower case; white space may stand around it, not within (RFC 9110, 8.3.1).
    static func name(_ contentType: String) -> String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let name = contentType.utf8.prefix { $0 != UInt8(ascii: ";") }.drop(while: isSpace)
        let end = name.reversed().drop(while: isSpace).count
        return String(decoding: name.prefix(end), as: UTF8.self).lowercasedASCII
    }
}
