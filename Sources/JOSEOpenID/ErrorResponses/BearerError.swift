// The error of the UserInfo endpoint: a status and WWW-Authenticate (RFC 6750, 3).

public import JOSE
import JOSEBytes

/// What a `WWW-Authenticate` header says of a bearer token.
public struct BearerError: Error, Hashable {
    /// What went wrong; nil where the request held no token at all.
    public var code: OAuthErrorCode?
    /// A text for developers.
    public var description: String?
    /// The HTTP status that it came with; nil unless `init(response:)` read it.
    public internal(set) var httpStatus: Int?

    /// An error.
    ///
    /// - Parameters:
    ///   - code: The registered word.
    ///   - description: `error_description`, for developers.
    public init(_ code: OAuthErrorCode?, description: String? = nil) {
        self.code = code
        self.description = description
    }

    /// The status to answer with: 401 without a token or with one that is no good, 403 for one that does not reach so
    /// far, 503 and 500 where the provider cannot answer, 400 for all else (RFC 6750, 3.1).
    public var status: Int {
        switch code {
        case nil, .invalidToken?: 401
        case .insufficientScope?: 403
        case let code?: code.errorStatus
        }
    }

    /// The value of the `WWW-Authenticate` header to answer with; it always has a parameter (RFC 6750, 3), and no error
    /// where the request held no token (3.1).
    public var header: String {
        guard let code else { return "Bearer realm=\"userinfo\"" }
        guard let description = description?.errorText else { return "Bearer error=\"\(code)\"" }
        return "Bearer error=\"\(code)\", error_description=\"\(description)\""
    }

    /// The answer to give.
    ///
    /// - Throws: `misuse` where it cannot be written.
    public func response() throws(JOSEError) -> OpenIDHTTPResponse {
        try OpenIDHTTPResponse(
            status: status,
            headers: [OpenIDParameter("WWW-Authenticate", header)] + OpenIDHTTPResponse.notStored)
    }

    /// What a provider answers to a request for claims that `error` rejected, by `BearerToken` or by whatever came after
    /// it; nothing of the cause but its class.
    public init(rejecting error: JOSEError) {
        switch error.code {
        case .claimRejected where error.claim?.isExactly("access_token") == true: self.init(nil)
        case .malformed where error.step == .message, .limitExceeded where error.step == .message:
            self.init(.invalidRequest)
        default: self.init(.ours(error) ?? .serverError)
        }
    }

    /// What to answer where `error` rejected the access token itself, as a verifier of signed ones does: `invalid_token`
    /// for whatever is wrong with it, `insufficient_scope` where `scope` does not reach so far, `invalid_request` for a
    /// request that cannot be read (RFC 6750, 3.1). An outage is `temporarily_unavailable` and a fault of ours
    /// `server_error`: neither says that the token is no good.
    public init(rejectingToken error: JOSEError) {
        self.init(OAuthErrorCode.resource(rejecting: error))
    }

    /// Reads an error answer of the UserInfo endpoint, or of another resource, with its HTTP
    /// status.
    ///
    /// - Parameter answer: What came instead of the successful answer, in any status.
    /// - Throws: Where it has no `WWW-Authenticate` header that can be read: `unavailable` for a
    ///   status from 500 on, else `malformed`. The text has the status.
    public init(response: OpenIDHTTPResponse) throws(JOSEError) {
        do {
            try self.init(header: response.header("WWW-Authenticate") ?? "?")
        } catch {
            throw response.withoutError
        }
        httpStatus = response.status
    }

    /// Reads the value of a `WWW-Authenticate` header: `Bearer error="…"`, `DPoP error="…"`, both as a resource answers that takes
    /// both, or the parameters alone, as some providers write them. What other schemes are told is passed over.
    ///
    /// Characters that a description may not have (RFC 6750, 3) are escaped, such as `\u{e9}`;
    /// whatever is no `error` is left out.
    ///
    /// - Throws: `malformed` for anything else.
    public init(header: String) throws(JOSEError) {
        let bytes = Array(header.utf8)
        // The characters of any header (RFC 9110, 5.5).
        guard bytes.count <= 2_048, bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 })
        else { throw .malformed(.message, "the header is not well-formed") }
        var rest = bytes[...]
        var challenge = Challenge()
        while true {
            let gap = rest.prefix(while: BearerError.isGap)
            rest = rest[gap.endIndex...]
            if rest.isEmpty { break }
            guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else {
                // Schemes alone say nothing.
                guard challenge.seen.isEmpty || gap.contains(UInt8(ascii: ",")),
                    rest.split(separator: UInt8(ascii: ",")).allSatisfy({ scheme in
                        scheme.drop(while: BearerError.isSpace).allSatisfy(WebHost.isLetter)
                    })
                else { throw .malformed(.message, "the header is not well-formed") }
                break
            }
            let words = rest[..<equals].split(whereSeparator: BearerError.isGap)
                .map { String(decoding: $0, as: UTF8.self) }
            // Names of parameters have no case, as schemes (RFC 9110, 11.2).
            guard let name = words.last?.lowercasedASCII, words.allSatisfy(OpenIDHTTPResponse.isToken)
            else {
                throw .malformed(.message, "the header is not well-formed")
            }
            // What stands before the name of a parameter begins another challenge (RFC 9110, 11.6.1).
            if words.count > 1 {
                take(challenge)
                challenge = Challenge()
                challenge.isOurs = AccessTokenType(word: words[words.count - 2]) != nil
            }
            let value = try BearerError.value(&rest, behind: equals)
            guard challenge.seen.insert(ExactString(name)).inserted else {
                throw .malformed(.message, "a parameter stands twice")
            }
            guard challenge.isOurs else { continue }
            if name.isExactly("error") { challenge.code = try OAuthErrorCode(name: value) }
            if name.isExactly("error_description") {
                challenge.description = ReadableText.description(value)
            }
        }
        take(challenge)
    }

    /// What one scheme is told; without a scheme, the parameters alone.
    private struct Challenge {
        var isOurs = true
        var code: OAuthErrorCode?
        var description: String?
        var seen: Set<ExactString> = []
    }

    /// Of several that tell of an error the last counts.
    private mutating func take(_ challenge: Challenge) {
        guard challenge.code != nil || code == nil && challenge.isOurs else { return }
        code = challenge.code
        description = challenge.description
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    private static func isGap(_ byte: UInt8) -> Bool { isSpace(byte) || byte == UInt8(ascii: ",") }

    private static func value(
        _ rest: inout ArraySlice<UInt8>, behind equals: Int
    ) throws(JOSEError) -> String {
        // Blanks around the sign are bad, and read (RFC 9110, 11.2).
        let text = rest[(equals + 1)...].drop(while: isSpace)
        guard text.first == UInt8(ascii: "\"") else {
            let word = text.prefix { !isSpace($0) && $0 != UInt8(ascii: ",") }
            rest = text[word.endIndex...]
            return String(decoding: word, as: UTF8.self)
        }
        // A reverse solidus says that the next character is meant as it is (RFC 9110, 5.6.4).
        var value: [UInt8] = []
        var isQuoted = false
        for (index, byte) in zip(text.indices, text).dropFirst() {
            if !isQuoted, byte == UInt8(ascii: "\"") {
                rest = text[(index + 1)...]
                return String(decoding: value, as: UTF8.self)
            }
            isQuoted = !isQuoted && byte == UInt8(ascii: "\\")
            if !isQuoted { value.append(byte) }
        }
        throw .malformed(.message, "the header is not well-formed")
    }
}

extension BearerError {
    /// The same error, its text byte for byte.
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
