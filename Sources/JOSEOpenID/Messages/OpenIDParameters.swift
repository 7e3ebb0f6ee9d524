// Reads and writes the parameters of a query or a form.

public import JOSE
import JOSEBytes

/// One parameter of a query or form.
public struct OpenIDParameter: Sendable, Hashable, Codable {
    /// The name, such as `scope`.
    public var name: String
    /// The value, decoded.
    public var value: String

    /// Creates a parameter. Name and value are not encoded.
    ///
    /// - Parameters:
    ///   - name: The name, not encoded.
    ///   - value: The value, not encoded.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension OpenIDParameter {
    /// Compares name and value byte by byte.
    public static func == (a: OpenIDParameter, b: OpenIDParameter) -> Bool {
        a.name.isExactly(b.name) && a.value.isExactly(b.value)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactString(name))
        hasher.combine(ExactString(value))
    }
}

/// The parameters of a query or form, in the order of sending.
public struct OpenIDParameters: Sendable, Hashable, Codable {
    /// All parameters, in order.
    public private(set) var all: [OpenIDParameter]

    /// Creates a list of parameters.
    public init(_ all: [OpenIDParameter] = []) { self.all = all }

    init(capacity: Int) {
        all = []
        all.reserveCapacity(capacity)
    }

    /// Returns the first value of a parameter; nil if it is absent.
    public subscript(name: String) -> String? {
        let all = all.span
        for index in all.indices where all[index].name.isExactly(name) { return all[index].value }
        return nil
    }

    /// Returns all values of a parameter, in order.
    public func values(_ name: String) -> [String] {
        all.indices.compactMap { all[$0].name.isExactly(name) ? all[$0].value : nil }
    }

    /// Returns the words of a space-separated value. The separator is the byte 0x20, even before a
    /// combining mark.
    public func words(_ name: String) -> [String] { self[name]?.words ?? [] }

    mutating func append(_ name: String, _ value: String?) {
        if let value { all.append(OpenIDParameter(name, value)) }
    }

    mutating func append(_ name: String, words: [String]) {
        if !words.isEmpty { append(name, words.joined(separator: " ")) }
    }

    mutating func append(scopes: [String]) throws(JOSEError) {
        if !scopes.isEmpty { append("scope", try KnownParameter.scope(scopes)) }
    }

    /// Throws `misuse` for a resource that is not an absolute URI without fragment (RFC 8707, 2).
    mutating func append(resources: [String]) throws(JOSEError) {
        for resource in resources {
            guard WebURL.isURIWithoutFragment(resource) else {
                throw .misuse("resource must be an absolute URI without fragment")
            }
            append("resource", resource)
        }
    }

    /// The text of a query or an `application/x-www-form-urlencoded` body. All characters except
    /// unreserved ones are percent-encoded. A space becomes `%20`, which readers of both formats
    /// decode.
    public var encoded: String {
        all.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }
            .joined(separator: "&")
    }
}

extension OpenIDParameters {
    static func isRepeatable(_ name: String) -> Bool {
        name.isExactly("login_hint") || name.isExactly("resource")
    }

    /// Reads a query or a form body.
    ///
    /// Empty pairs (`&&`, a trailing `&`) are skipped, and empty values count as absent (RFC 6749,
    /// 3.1, 3.2 and 4.1.2). Text is UTF-8 without control characters and with at most 30
    /// consecutive combining marks; more would take seconds to hash. An unknown parameter whose
    /// value is not text counts as absent. A JSON value may have tabs and line breaks (RFC 8259,
    /// 2). In `error_description` and `error_uri`, invalid characters and bytes are escaped
    /// (`\u{e9}`).
    ///
    /// - Parameter text: The query without the question mark, or the body.
    /// - Throws: `malformed` for invalid percent-encoding except in `error_description` and
    ///   `error_uri`, for a name that is empty or not text, for a known parameter that is not text,
    ///   and for a repeated parameter other than `login_hint` and `resource` (RFC 6749, 3.1).
    ///   `limitExceeded` above 65,536 bytes, 64 parameters, or 256 words of a list.
    public init(decoding text: String) throws(JOSEError) {
        guard text.utf8.count <= 65_536 else {
            throw .limitExceeded(
                .message, "the parameters have {} bytes; at most 65536 are read",
                .number(text.utf8.count))
        }
        all = []
        let bytes = text.utf8.span
        guard !bytes.isEmpty else { return }
        var starts: [64 of Int] = .init(repeating: 0)
        var ends: [64 of Int] = .init(repeating: 0)
        var count = 0
        var start = 0
        while start < bytes.count {
            let end = bytes.index(of: UInt8(ascii: "&"), in: start..<bytes.count)
            if end > start {
                guard count < 64 else {
                    throw .limitExceeded(.message, "there are more than 64 parameters")
                }
                starts[count] = start
                ends[count] = end
                count += 1
            }
            start = end + 1
        }
        all.reserveCapacity(count)
        var seen = NamesSeen(capacity: count)
        for index in 0..<count {
            let (start, end) = (starts[index], ends[index])
            let equals = bytes.index(of: UInt8(ascii: "="), in: start..<end)
            let part = bytes.extracting(start..<equals)
            guard case .text(let name) = PercentEncoding.decode(part), !name.isEmpty else {
                throw .malformed(.message, "a parameter has an invalid or empty name")
            }
            let known = KnownParameter.named(name)
            let rest = bytes.extracting(min(equals + 1, end)..<end)
            let value = try ValueRule.of(name, known).read(rest)
            if let value { try known?.checkWords(value) }
            guard OpenIDParameters.isRepeatable(name) || seen.insert(name) else {
                throw .malformed(.message, "a parameter is repeated")
            }
            if let value, !value.isEmpty { all.append(OpenIDParameter(name, value)) }
        }
    }
}

/// The names that were already read. Long names are hashed, because comparing many untrusted long
/// names would be slow.
private struct NamesSeen {
    private var short: [String] = []
    private var long: Set<ExactString> = []
    private let capacity: Int
    private static let maxShort = 32

    init(capacity: Int) {
        self.capacity = capacity
        short.reserveCapacity(capacity)
    }

    mutating func insert(_ name: String) -> Bool {
        guard name.utf8.count <= NamesSeen.maxShort else {
            // Reserves the capacity once: a growing set would rehash all names.
            if long.isEmpty { long.reserveCapacity(capacity) }
            return long.insert(ExactString(name)).inserted
        }
        for index in short.indices where short[index].isExactly(name) { return false }
        short.append(name)
        return true
    }
}

extension OpenIDParameter: RedactedDescription {}
extension OpenIDParameters: RedactedDescription {}
