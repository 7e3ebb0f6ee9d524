// The error of the UserInfo endpoint: status 401 and WWW-Authenticate (RFC 6750, 3).

public import JOSE
import JOSEBytes

/// What a `WWW-Authenticate` header says of a bearer token.
public struct BearerError: Sendable, Hashable {
    /// What went wrong; nil where the request held no token at all.
    public var code: OAuthErrorCode?
    /// A text for developers.
    public var description: String?

    /// An error.
    public init(_ code: OAuthErrorCode?, description: String? = nil) {
        self.code = code
        self.description = description
    }

    /// The value of the `WWW-Authenticate` header to answer with.
    public var header: String {
        guard let code else { return "Bearer" }
        guard let description = description?.errorText else { return "Bearer error=\"\(code)\"" }
        return "Bearer error=\"\(code)\", error_description=\"\(description)\""
    }

    /// Reads the value of a `WWW-Authenticate` header: `Bearer error="…"`, or the parameters alone, as some providers
    /// write them.
    ///
    /// - Throws: `malformed` for anything else.
    public init(header: String) throws(JOSEError) {
        guard header.utf8.count <= 2_048, header.isVisible else {
            throw .malformed(.message, "the header is not well-formed")
        }
        var rest = header[...]
        if rest.lowercased().hasPrefix("bearer"),
            rest.utf8.count == 6 || rest.dropFirst(6).first == " "
        {
            rest = rest.dropFirst(6)
        }
        var seen: Set<ExactText> = []
        while true {
            rest = rest.drop { $0 == " " || $0 == "," }
            if rest.isEmpty { break }
            guard let equals = rest.firstIndex(of: "=") else {
                throw .malformed(.message, "the header is not well-formed")
            }
            let name = String(rest[..<equals])
            let value = try BearerError.value(&rest, behind: equals)
            guard seen.insert(ExactText(name)).inserted else {
                throw .malformed(.message, "a parameter stands twice")
            }
            if name.isExactly("error") { code = try OAuthErrorCode(name: value) }
            if name.isExactly("error_description") { description = value.errorText }
        }
    }

    private static func value(
        _ rest: inout Substring, behind equals: Substring.Index
    ) throws(JOSEError) -> String {
        let text = rest[rest.index(after: equals)...]
        guard text.first == "\"" else {
            let word = text.prefix { $0 != "," && $0 != " " }
            rest = text[word.endIndex...]
            return String(word)
        }
        let inner = text.dropFirst()
        guard let end = inner.firstIndex(of: "\""), !inner[..<end].contains("\\") else {
            throw .malformed(.message, "the header is not well-formed")
        }
        rest = inner[inner.index(after: end)...]
        return String(inner[..<end])
    }
}

extension BearerError {
    /// The same error, its text byte for byte.
    public static func == (a: BearerError, b: BearerError) -> Bool {
        a.code == b.code && a.description.map(ExactText.init) == b.description.map(ExactText.init)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(description.map(ExactText.init))
    }
}
