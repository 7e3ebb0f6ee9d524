// Reads the access token of a UserInfo request, from the Authorization header or from a form.

public import JOSE
import JOSEBytes

/// The unverified access token of a UserInfo request (RFC 6750, 2).
public struct BearerToken: Sendable {
    /// The token. Look up the grant for which you issued it.
    public let text: String

    /// Reads the token of a request.
    ///
    /// - Parameters:
    ///   - method: The request's method, `GET` or `POST`.
    ///   - query: The URL's query without the question mark.
    ///   - authorization: The `Authorization` header.
    ///   - contentType: The `Content-Type` header.
    ///   - body: The body; only the form of a `POST` is read.
    /// - Throws: `claimRejected` with `access_token` if the request has no token. `malformed` for
    ///   another method, and for a token that is not well-formed, is in the query, or is in both
    ///   header and form. `limitExceeded` for a token above 16,384 bytes. `BearerError(rejecting:)`
    ///   makes the response.
    ///
    /// Source: RFC 6750, 2.1 and 2.2. A token in the URL (2.3) is rejected, since URLs are logged.
    public init(
        method: String, query: String = "", authorization: String?, contentType: String? = nil,
        body: String = ""
    ) throws(JOSEError) {
        guard method.isExactly("GET") || method.isExactly("POST") else {
            throw .malformed(.message, "a UserInfo request is a GET or a POST")
        }
        guard try OpenIDParameters(decoding: query)["access_token"] == nil else {
            throw .malformed(
                .message, "the access token is in the URL; use the Authorization header")
        }
        let inHeader = authorization.flatMap {
            HTTPCredentials.after(scheme: "bearer", of: $0)
        }.map { String(decoding: $0, as: UTF8.self) }
        var inForm: String?
        if method.isExactly("POST"), MediaType.isForm(contentType) {
            inForm = try OpenIDParameters(decoding: body)["access_token"]
        }
        guard inHeader == nil || inForm == nil else {
            throw .malformed(.message, "the request has two access tokens, in header and form")
        }
        guard let text = inHeader ?? inForm else {
            throw .claimRejected("access_token", "the request has none")
        }
        guard text.utf8.count <= 16_384 else {
            throw .limitExceeded(
                .message, "the access token has {} bytes; at most 16384 are read",
                .number(text.utf8.count))
        }
        guard BearerToken.isWellFormed(text) else {
            throw .malformed(.message, "the access token has characters other than b64token")
        }
        self.text = text
    }

    /// Creates an opaque token of 256 random bits. Store the grant under it.
    ///
    /// - Throws: `internal` if the random generator fails.
    public static func fresh() throws(JOSEError) -> BearerToken {
        BearerToken(made: try RandomString.make(bits: 256))
    }

    private init(made text: String) { self.text = text }

    /// Whether a string is a `b64token` (RFC 6750, 2.1).
    static func isWellFormed(_ text: String) -> Bool {
        let signs = text.utf8.prefix {
            $0.isUnreserved || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/")
        }
        return !signs.isEmpty
            && text.utf8[signs.endIndex...].allSatisfy { $0 == UInt8(ascii: "=") }
    }
}

enum MediaType {
    static let form = "application/x-www-form-urlencoded"

    static func isForm(_ contentType: String?) -> Bool {
        contentType.map { name($0).isExactly(form) } ?? false
    }

    /// Whether an `Accept` header names this type with a weight above zero (RFC 9110, 12.5.1).
    /// Wildcards do not count.
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

    /// Returns the type in lower case, without parameters and surrounding space (RFC 9110, 8.3.1).
    static func name(_ contentType: String) -> String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let name = contentType.utf8.prefix { $0 != UInt8(ascii: ";") }.drop(while: isSpace)
        let end = name.reversed().drop(while: isSpace).count
        return String(decoding: name.prefix(end), as: UTF8.self).lowercasedASCII
    }
}

extension BearerToken: RedactedDescription {}

enum HTTPCredentials {
    /// Returns the bytes after `scheme` (a name in lower case) and its spaces; nil for another
    /// scheme. Comparing `Character`s would cost twenty times as much on an untrusted header.
    static func after(scheme: StaticString, of header: String) -> [UInt8]? {
        let expected = scheme.description.utf8
        let found = header.utf8.prefix(expected.count)
        let rest = header.utf8.dropFirst(expected.count)
        // `expected` has only letters, and `| 0x20` turns only letters into lower case letters.
        guard found.lazy.map({ $0 | 0x20 }).elementsEqual(expected),
            rest.first == nil || rest.first == 0x20
        else { return nil }
        return Array(rest.drop { $0 == 0x20 })
    }
}
