// The parameters of a query or a form, read strictly and written in one spelling.

public import JOSE
import JOSEBytes

/// One parameter of a query or form.
public struct OpenIDParameter: Sendable, Hashable, Codable {
    /// The name, such as `scope`.
    public var name: String
    /// The value, decoded.
    public var value: String

    /// A parameter.
    ///
    /// - Parameters:
    ///   - name: Its name, not encoded.
    ///   - value: Its value, not encoded.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension OpenIDParameter {
    /// The same name and value, byte for byte.
    public static func == (a: OpenIDParameter, b: OpenIDParameter) -> Bool {
        a.name.isExactly(b.name) && a.value.isExactly(b.value)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactString(name))
        hasher.combine(ExactString(value))
    }
}

/// Parameters in the order in which they are sent.
public struct OpenIDParameters: Sendable, Hashable, Codable {
    /// All of them.
    public private(set) var all: [OpenIDParameter]

    /// These parameters.
    public init(_ all: [OpenIDParameter] = []) { self.all = all }

    /// None yet, with room for some.
    init(capacity: Int) {
        all = []
        all.reserveCapacity(capacity)
    }

    /// The value of a parameter; nil where it is absent.
    public subscript(name: String) -> String? {
        let all = all.span
        for index in all.indices where all[index].name.isExactly(name) { return all[index].value }
        return nil
    }

    /// All values of a parameter, in order.
    public func values(_ name: String) -> [String] {
        all.indices.compactMap { all[$0].name.isExactly(name) ? all[$0].value : nil }
    }

    /// The words of a parameter whose value is a list with spaces: a space is the byte 0x20, whatever stands behind it.
    public func words(_ name: String) -> [String] { self[name]?.words ?? [] }

    mutating func append(_ name: String, _ value: String?) {
        if let value { all.append(OpenIDParameter(name, value)) }
    }

    mutating func append(_ name: String, words: [String]) {
        if !words.isEmpty { append(name, words.joined(separator: " ")) }
    }

    /// - Throws: `misuse` for a scope that is not one word.
    mutating func append(scopes: [String]) throws(JOSEError) {
        if !scopes.isEmpty { append("scope", try KnownParameter.scope(scopes)) }
    }

    /// The text for a query or an `application/x-www-form-urlencoded` body.
    ///
    /// Everything but unreserved characters is percent-encoded, a space too, so that readers of either kind agree.
    public var encoded: String {
        all.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }
            .joined(separator: "&")
    }
}

extension OpenIDParameter: RedactedDescription {
    package var shownAs: String { "parameter" }
}

extension OpenIDParameters: RedactedDescription {
    package var shownAs: String { "parameters" }
}

extension OpenIDParameters {
    /// Names that may stand several times in a request.
    static func isRepeatable(_ name: String) -> Bool {
        name.isExactly("login_hint") || name.isExactly("resource")
    }

    /// Reads a query or a form body.
    ///
    /// - Parameters:
    ///   - text: What stands behind the question mark, or the body.
    /// - Throws: `malformed` for anything but strict encoding, control characters in a value that the library knows and a
    ///   parameter that stands twice (RFC 6749, 3.1); `limitExceeded` beyond 64 KB, 64 parameters, or 256
    ///   words of one that is a list of words.
    ///
    /// Empty pairs (`&&`, `&` at the end) are skipped. Empty values count as absent, and so do
    /// values that are no text of parameters that the library does not know (RFC 6749, 3.1, 3.2 and
    /// 4.1.2). `error_description` and `error_uri` are for people: characters that they may not
    /// have are escaped (`\u{e9}`). A value that is JSON may hold tab, line feed and carriage
    /// return, its white space (RFC 8259, 2). More than 30 marks behind each other are in no text:
    /// a dictionary by such a text would spend seconds on putting them in order.
    public init(decoding text: String) throws(JOSEError) {
        guard text.utf8.count <= 65_536 else {
            throw .limitExceeded(.message, "the parameters are too large")
        }
        all = []
        let bytes = text.utf8.span
        guard !bytes.isEmpty else { return }
        var starts: [64 of Int] = .init(repeating: 0)
        var ends: [64 of Int] = .init(repeating: 0)
        var count = 0
        var start = 0
        while start < bytes.count {
            let end = bytes.place(of: UInt8(ascii: "&"), in: start..<bytes.count)
            // Empty pairs say nothing: `a=1&&b=2&` is read as browsers and servers write and read
            // it.
            if end > start {
                guard count < 64 else { throw .limitExceeded(.message, "too many parameters") }
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
            let equals = bytes.place(of: UInt8(ascii: "="), in: start..<end)
            let part = bytes.extracting(start..<equals)
            guard case .text(let name) = PercentEncoding.decode(part), !name.isEmpty else {
                throw .malformed(.message, "a parameter is not well encoded")
            }
            let known = KnownParameter.named(name)
            let rest = bytes.extracting(min(equals + 1, end)..<end)
            let value = try ValueRule.of(name, known).read(rest)
            if let value { try known?.checkWords(value) }
            guard OpenIDParameters.isRepeatable(name) || seen.insert(name) else {
                throw .malformed(.message, "a parameter stands twice")
            }
            if let value, !value.isEmpty { all.append(OpenIDParameter(name, value)) }
        }
    }
}

/// The names that stood in a text already. Short ones are looked through, as there are few; long ones, of which each look
/// could cost a stranger's length, are hashed.
private struct NamesSeen {
    private var short: [String] = []
    private var long: Set<ExactString> = []
    private let capacity: Int
    private static let maxShort = 32

    /// - Parameter capacity: The most names that come.
    init(capacity: Int) {
        self.capacity = capacity
        short.reserveCapacity(capacity)
    }

    /// Whether the name is the first of its kind.
    mutating func insert(_ name: String) -> Bool {
        guard name.utf8.count <= NamesSeen.maxShort else {
            // A set that grows hashes all of them anew each time.
            if long.isEmpty { long.reserveCapacity(capacity) }
            return long.insert(ExactString(name)).inserted
        }
        for index in short.indices where short[index].isExactly(name) { return false }
        short.append(name)
        return true
    }
}
