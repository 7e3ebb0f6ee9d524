// One request of `josectl batch`: a JSON object with typed access to its members.

import JOSE
import JOSEBytes

/// Reading a member of the wrong type throws `misuse` with the member's name.
struct BatchRequest {
    let document: JSONDocument

    /// The maximum nesting depth: a member, such as a key set, may have the library's maximum.
    static let depth = JOSELimits.standard.jsonDepth + 8

    init(_ line: [UInt8]) throws {
        do {
            document = try JSONDocument(line, maxDepth: BatchRequest.depth)
        } catch {
            // Excessive nesting is `malformed` too, not `limitExceeded`.
            throw Rejection(.malformed, step: "call", message: "the line is not strict JSON")
        }
        guard document.kind(at: 0) == .object else {
            throw Rejection(.malformed, step: "call", message: "the line is not a JSON object")
        }
    }

    var id: [UInt8]? { document.member("id").map { document.json(at: $0) } }

    /// Throws `misuse` for an unknown member and for a missing required one.
    func check(required: [String], optional: [String]) throws {
        try document.forEachMember { (name, _) throws(Rejection) in
            let name = document.string(at: name) ?? ""
            guard
                name.isExactly("id") || name.isExactly("op")
                    || required.contains(where: name.isExactly)
                    || optional.contains(where: name.isExactly)
            else { throw Rejection.misuse("unknown member '\(printable(name, atMost: 60))'") }
        }
        for name in required where node(name) == nil { throw Rejection.missing(name) }
    }

    func node(_ name: String) -> Int? { document.member(named: name) }

    func has(_ name: String) -> Bool { node(name) != nil }

    func json(_ name: String) throws -> [UInt8] {
        guard let node = node(name) else { throw Rejection.missing(name) }
        return document.json(at: node)
    }

    private func value<Value>(
        _ name: String, is form: @autoclosure () -> String, _ read: (Int) -> Value?
    ) throws -> Value? {
        guard let node = node(name) else { return nil }
        guard let value = read(node) else { throw Rejection.misuse("'\(name)' must be \(form())") }
        return value
    }

    func string(_ name: String) throws -> String? {
        try value(name, is: "a string") { document.string(at: $0) }
    }

    func requiredString(_ name: String) throws -> String {
        guard let value = try string(name) else { throw Rejection.missing(name) }
        return value
    }

    func strings(_ name: String) throws -> [String]? {
        guard let node = node(name) else { return nil }
        guard document.kind(at: node) == .array else {
            throw Rejection.misuse("'\(name)' must be an array of strings")
        }
        var values: [String] = []
        try document.forEachElement(of: node) { (element) throws(Rejection) in
            guard let value = document.string(at: element) else {
                throw Rejection.misuse("'\(name)' must be an array of strings")
            }
            values.append(value)
        }
        return values
    }

    func bool(_ name: String) throws -> Bool? {
        try value(name, is: "true or false") { document.bool(at: $0) }
    }

    func integer(_ name: String, _ range: ClosedRange<Int64>) throws -> Int? {
        try value(name, is: "an integer from \(range.lowerBound) to \(range.upperBound)") { node in
            document.integer(at: node).flatMap { range ~= $0 ? Int($0) : nil }
        }
    }

    /// Returns a time, given in seconds since 1970 or in RFC 3339.
    func date(_ name: String) throws -> NumericDate? {
        try value(name, is: "a time from 1970 to 9999") { node in
            switch document.kind(at: node) {
            case .number:
                JSON.fixedPoint(document.nodes[node], in: document.bytes.span).flatMap {
                    NumericDate(exactly: $0.whole, attoseconds: $0.attos)
                }
            case .string: document.string(at: node).flatMap(Timestamp.read)
            default: nil
            }
        }
    }

    /// Decodes the base64url in `name`, or returns the UTF-8 of the text in `name_text`.
    func bytes(_ name: String) throws -> [UInt8] {
        let (encoded, text) = (try string(name), try string(name + "_text"))
        if let text, encoded == nil { return Array(text.utf8) }
        guard let encoded, text == nil else {
            throw Rejection.misuse("either '\(name)' or '\(name)_text' is required")
        }
        guard let bytes = Base64URL.decode(encoded.utf8.span) else {
            throw Rejection(.malformed, step: "call", message: "'\(name)' is not strict base64url")
        }
        return bytes
    }

    func compactToken() throws -> String {
        guard try !isJSONToken() else {
            throw Rejection(.malformed, step: "token", message: "the token is not compact")
        }
        return try requiredString("token")
    }

    func isJSONToken() throws -> Bool {
        guard let node = node("token") else { throw Rejection.missing("token") }
        switch document.kind(at: node) {
        case .string: return false
        case .object: return true
        default: throw Rejection.misuse("'token' must be a string or an object")
        }
    }

    func jsonToken() throws -> String { String(decoding: try json("token"), as: UTF8.self) }

    func allowList(_ name: String) throws -> AllowList { try AllowList(strings(name)) }

    func header() throws -> HeaderParameters {
        guard let node = node("header") else { return HeaderParameters() }
        return try HeaderParameters(document, at: node)
    }

    func members(_ name: String) throws -> [String: JSONValue] {
        try document.members(name, of: 0)
    }

    func form(default form: TokenForm) throws -> TokenForm {
        guard let word = try string("form") else { return form }
        guard let form = TokenForm.allCases.first(where: { word.isExactly($0.rawValue) }) else {
            throw Rejection.misuse("'form' must be compact, flattened or general")
        }
        return form
    }
}

extension JSONDocument {
    /// Returns the members of `name` in `object`; empty if `object` has no `name`.
    func members(_ name: String, of object: Int) throws -> [String: JSONValue] {
        guard let node = member(named: name, of: object) else { return [:] }
        guard kind(at: node) == .object else {
            throw Rejection.misuse("'\(name)' must be an object")
        }
        // The names become keys of a dictionary, which hashes them.
        try forEachMember(of: node) { (member, _) throws(Rejection) in
            guard string(at: member)?.isStreamSafe == true else {
                throw Rejection.tooManyMarks(name)
            }
        }
        return try ClaimsDecoder.decode([String: JSONValue].self, from: self, at: node)
    }
}

extension Rejection {
    static func missing(_ name: String) -> Rejection { .misuse("'\(name)' is missing") }

    /// A name with so many combining marks that `String` would take long to normalise and hash it.
    fileprivate static func tooManyMarks(_ name: String) -> Rejection {
        .misuse("'\(name)' has a name with more than 30 combining marks in a row")
    }
}

extension HeaderParameters {
    init(_ document: JSONDocument, at node: Int) throws {
        guard document.kind(at: node) == .object else {
            throw Rejection.misuse("'header' must be an object")
        }
        self.init()
        try document.forEachMember(of: node) { name, value in
            let name = document.string(at: name) ?? ""
            let isType = name.isExactly("typ")
            if isType || name.isExactly("cty") {
                guard let text = document.string(at: value) else {
                    throw Rejection.misuse("'\(name)' must be a string")
                }
                if isType { type = text } else { contentType = text }
            } else {
                guard name.isStreamSafe else { throw Rejection.tooManyMarks("header") }
                additional[name] = try ClaimsDecoder.decode(
                    JSONValue.self, from: document, at: value)
            }
        }
    }
}
