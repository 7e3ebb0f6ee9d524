// A JSON answer of the other side, read strictly.

import JOSE
import JOSEBytes

/// A JSON object that came as a message, and the ways to its members.
struct JSONMessage: Sendable {
    let document: JSONDocument

    /// - Throws: `malformed` or `limitExceeded`.
    init(_ text: [UInt8], limits: JOSELimits) throws(JOSEError) {
        guard text.count <= limits.tokenBytes else {
            throw .limitExceeded(.message, "the response is too large (JOSELimits.tokenBytes)")
        }
        do {
            document = try JSONDocument(text, maxDepth: limits.jsonDepth)
        } catch {
            throw JOSEError(error, at: .message)
        }
        guard document.kind(at: 0) == .object else {
            throw .malformed(.message, "the response is not a JSON object")
        }
    }

    /// A text; nil where the member is absent or null. Another type is `malformed`.
    func string(_ name: StaticString) throws(JOSEError) -> String? {
        guard let index = member(name) else { return nil }
        guard let value = document.string(at: index) else {
            throw .malformed(
                .message, "{} of the response is {}, not a string", .name(name),
                .name(document.kindName(at: index)))
        }
        return value
    }

    /// A length of time in whole seconds, 0 to 253402300799; nil where the member is absent or
    /// null.
    ///
    /// A string of decimal digits is read too: several providers write `"expires_in": "300"`.
    func seconds(_ name: StaticString) throws(JOSEError) -> Int64? {
        guard let index = member(name) else { return nil }
        let value =
            document.kind(at: index) == .number
            ? document.integer(at: index) : document.string(at: index).flatMap(JSONMessage.seconds)
        guard let value, NumericDate.ages ~= value else {
            throw .malformed(
                .message, "{} is not a whole number of seconds from 0 to 253402300799",
                .name(name))
        }
        return value
    }

    /// One to twelve digits without a leading zero.
    private static func seconds(_ text: String) -> Int64? {
        let digits = text.utf8
        guard 1...12 ~= digits.count, digits.allSatisfy(WebHost.isDigit),
            digits.count == 1 || digits.first != UInt8(ascii: "0")
        else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    /// The node of a member; nil where it is absent or null, which is the same for an optional
    /// member.
    func member(_ name: StaticString) -> Int? {
        document.member(name).flatMap { document.kind(at: $0) == .null ? nil : $0 }
    }

    /// Every member.
    func members() throws(JOSEError) -> JSONObject {
        guard let all = try ClaimsDecoder.decode(JSONValue.self, from: document).object else {
            throw .malformed(.message, "the answer is not a JSON object")
        }
        return all
    }
}

extension JSONValue {
    /// The JSON text, members in the order of their names.
    func text() throws(JOSEError) -> String {
        String(decoding: try ClaimsEncoder.encode(self), as: UTF8.self)
    }

    /// The value of a JSON text that came from outside.
    ///
    /// - Parameter most: How many values and names it may have: each takes more room than its text.
    init(message text: String, most: Int = .max) throws(JOSEError) {
        do {
            let document = try JSONDocument(Array(text.utf8), maxDepth: 16)
            guard document.nodes.count <= most else {
                throw JOSEError.limitExceeded(.message, "a JSON parameter has too many values")
            }
            self = try ClaimsDecoder.decode(JSONValue.self, from: document)
        } catch let error as JSONError {
            throw JOSEError(error, at: .message)
        } catch let error as JOSEError where error.code == .limitExceeded {
            throw error
        } catch {
            throw .malformed(.message, "a JSON parameter cannot be read")
        }
    }
}

extension NumericDate {
    /// How old something may be, or how long it has to live, in seconds, as a message can tell it.
    static let ages: ClosedRange<Int64> = 0...latest.seconds
}

extension JSONDocument {
    /// Whether a claim is absent, which null is too: for claims that need not be there.
    func isAbsent(_ name: String) -> Bool {
        member(named: name).map { kind(at: $0) == .null } ?? true
    }

    /// What a value is, for messages.
    func kindName(at index: Int) -> StaticString {
        switch kind(at: index) {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .null: "null"
        default: "a boolean"
        }
    }
}
