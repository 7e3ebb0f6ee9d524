// The error response of a resource such as UserInfo: a status and WWW-Authenticate (RFC 6750, 3).

public import JOSE
import JOSEBytes

/// The error of a bearer token, as in the header `WWW-Authenticate`.
public struct BearerError: Error, Hashable {
    /// The error code; nil if the request had no token.
    public var code: OAuthErrorCode?
    /// `error_description`, for developers.
    public var description: String?
    /// The HTTP status of the response; nil unless `init(response:)` read it.
    public internal(set) var httpStatus: Int?
    /// `scope`: the scopes that the resource requires, from a header that was read.
    public private(set) var scopes: [String] = []
    /// `resource_metadata`: the URL of the resource's metadata (RFC 9728, 5.1), from a header that
    /// was read. The sender of the header chose it. Fetch it with an address policy, and read it
    /// with `ResourceServer.Metadata.init(json:resource:)`, which checks the resource.
    public private(set) var metadataURL: String?

    /// Creates an error; see the properties.
    public init(_ code: OAuthErrorCode?, description: String? = nil) {
        self.code = code
        self.description = description
    }

    /// The HTTP status to send: 401 for a missing or invalid token, 403 for insufficient scope, 503
    /// and 500 for a failure of the provider, 400 for everything else (RFC 6750, 3.1).
    public var status: Int {
        switch code {
        case nil, .invalidToken?: 401
        case .insufficientScope?: 403
        case let code?: code.errorStatus
        }
    }

    /// The value of the header `WWW-Authenticate`. It has no `error` if the request had no token
    /// (RFC 6750, 3.1).
    public var header: String {
        guard let code else { return "Bearer realm=\"userinfo\"" }
        guard let description = description?.errorText else { return "Bearer error=\"\(code)\"" }
        return "Bearer error=\"\(code)\", error_description=\"\(description)\""
    }

    /// The HTTP response.
    ///
    /// - Throws: `misuse` if it cannot be written.
    public func response() throws(JOSEError) -> OpenIDHTTPResponse {
        try OpenIDHTTPResponse(
            status: status,
            headers: [OpenIDParameter("WWW-Authenticate", header)] + OpenIDHTTPResponse.notStored)
    }

    /// Creates the error for a request with a missing or malformed token, or for a failure of the
    /// provider. It contains the error code, no details. For a rejected token, use
    /// `init(rejectingToken:)`.
    public init(rejecting error: JOSEError) {
        switch error.code {
        case .claimRejected where error.claim?.isExactly("access_token") == true: self.init(nil)
        case .malformed where error.step == .message, .limitExceeded where error.step == .message:
            self.init(.invalidRequest)
        default: self.init(.serverSide(error) ?? .serverError)
        }
    }

    /// Creates the error for a rejected access token.
    ///
    /// An invalid token is `invalid_token`, a missing scope `insufficient_scope`, and an unreadable
    /// request `invalid_request` (RFC 6750, 3.1). An outage is `temporarily_unavailable` and a
    /// failure of the server `server_error`: neither means that the token is invalid.
    public init(rejectingToken error: JOSEError) {
        self.init(OAuthErrorCode.resource(rejecting: error))
    }

    /// Reads an error response of the UserInfo endpoint or of another resource.
    ///
    /// - Parameter response: The response, with any status.
    /// - Throws: Without a readable `WWW-Authenticate` header: `unavailable` for a status of at
    ///   least 500, else `malformed`. The error text contains the status.
    public init(response: OpenIDHTTPResponse) throws(JOSEError) {
        do {
            // A missing header is parsed as `?`, which is malformed.
            try self.init(header: response.header("WWW-Authenticate") ?? "?")
        } catch {
            throw response.unreadableError
        }
        httpStatus = response.status
    }

    /// Reads the value of a `WWW-Authenticate` header: challenges of `Bearer`, `DPoP` or both, and
    /// parameters without a scheme, as some providers send them. Challenges of other schemes are
    /// ignored. Characters that a description may not have (RFC 6750, 3) are escaped, such as
    /// `\u{e9}`.
    ///
    /// - Throws: `malformed` for anything else.
    public init(header: String) throws(JOSEError) {
        let bytes = Array(header.utf8)
        // The characters of header values (RFC 9110, 5.5).
        guard bytes.count <= 2_048, bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 })
        else { throw .malformed(.message, "the WWW-Authenticate header is malformed") }
        var rest = bytes[...]
        var challenge = Challenge()
        while true {
            let gap = rest.prefix(while: BearerError.isGap)
            rest = rest[gap.endIndex...]
            if rest.isEmpty { break }
            guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else {
                // The rest may be a list of schemes without parameters, which has no error.
                guard challenge.seen.isEmpty || gap.contains(UInt8(ascii: ",")),
                    rest.split(separator: UInt8(ascii: ",")).allSatisfy({ scheme in
                        scheme.drop(while: BearerError.isSpace).allSatisfy(WebHost.isLetter)
                    })
                else { throw .malformed(.message, "the WWW-Authenticate header is malformed") }
                break
            }
            let words = rest[..<equals].split(whereSeparator: BearerError.isGap)
                .map { String(decoding: $0, as: UTF8.self) }
            // Names of parameters and schemes are case-insensitive (RFC 9110, 11.2).
            guard let name = words.last?.lowercasedASCII,
                words.allSatisfy(OpenIDHTTPResponse.isToken)
            else {
                throw .malformed(.message, "the WWW-Authenticate header is malformed")
            }
            // A word before the name of a parameter begins another challenge (RFC 9110, 11.6.1).
            if words.count > 1 {
                take(challenge)
                challenge = Challenge()
                challenge.isSupported = AccessTokenType(word: words[words.count - 2]) != nil
            }
            let value = try BearerError.value(&rest, after: equals)
            guard challenge.seen.insert(ExactString(name)).inserted else {
                throw .malformed(.message, "the WWW-Authenticate header repeats a parameter")
            }
            guard challenge.isSupported else { continue }
            if name.isExactly("error") { challenge.code = try OAuthErrorCode(name: value) }
            if name.isExactly("error_description") {
                challenge.description = EscapedText.description(value)
            }
            if name.isExactly("scope") { challenge.scopes = value.words }
            if name.isExactly("resource_metadata") {
                challenge.metadataURL = value.isEmpty ? nil : value.errorURI
            }
        }
        take(challenge)
    }

    /// One scheme and its parameters, or parameters without a scheme.
    private struct Challenge {
        var isSupported = true
        var code: OAuthErrorCode?
        var description: String?
        var scopes: [String] = []
        var metadataURL: String?
        var seen: Set<ExactString> = []
    }

    /// Of several challenges with an error, the last one counts.
    private mutating func take(_ challenge: Challenge) {
        // Of several challenges with scopes or metadata, the first one counts, even without an
        // error.
        if scopes.isEmpty { scopes = challenge.scopes.filter(KnownParameter.isScope) }
        if metadataURL == nil { metadataURL = challenge.metadataURL }
        guard challenge.code != nil || code == nil && challenge.isSupported else { return }
        code = challenge.code
        description = challenge.description
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    private static func isGap(_ byte: UInt8) -> Bool { isSpace(byte) || byte == UInt8(ascii: ",") }

    private static func value(
        _ rest: inout ArraySlice<UInt8>, after equals: Int
    ) throws(JOSEError) -> String {
        // Spaces around `=` are invalid but must be read (RFC 9110, 11.2).
        let text = rest[(equals + 1)...].drop(while: isSpace)
        guard text.first == UInt8(ascii: "\"") else {
            let word = text.prefix { !isSpace($0) && $0 != UInt8(ascii: ",") }
            rest = text[word.endIndex...]
            return String(decoding: word, as: UTF8.self)
        }
        // A backslash quotes the next character (RFC 9110, 5.6.4).
        var value: [UInt8] = []
        var isEscaped = false
        for (index, byte) in zip(text.indices, text).dropFirst() {
            if !isEscaped, byte == UInt8(ascii: "\"") {
                rest = text[(index + 1)...]
                return String(decoding: value, as: UTF8.self)
            }
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            if !isEscaped { value.append(byte) }
        }
        throw .malformed(.message, "the WWW-Authenticate header is malformed")
    }
}

extension BearerError {
    /// Compares codes and descriptions, byte for byte, not the other properties.
    public static func == (a: BearerError, b: BearerError) -> Bool {
        a.code == b.code
            && ExactString(a.description) == ExactString(b.description)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(ExactString(description))
    }
}
