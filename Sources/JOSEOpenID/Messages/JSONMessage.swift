// Reads JSON messages strictly.

import JOSE
import JOSEBytes

/// An untrusted message that is a JSON object.
struct JSONMessage: Sendable {
    let document: JSONDocument

    init(_ text: [UInt8], limits: JOSELimits) throws(JOSEError) {
        guard text.count <= limits.tokenBytes else {
            throw .limitExceeded(
                .message, "the message has {} bytes; at most {} are read (JOSELimits.tokenBytes)",
                .number(text.count), .number(limits.tokenBytes))
        }
        do {
            document = try JSONDocument(text, maxDepth: limits.jsonDepth)
        } catch {
            throw JOSEError(error, at: .message)
        }
        guard document.kind(at: 0) == .object else {
            throw .malformed(.message, "the message is not a JSON object")
        }
    }

    /// Returns nil if the member is absent or null. Throws `malformed` for another type.
    func string(_ name: StaticString) throws(JOSEError) -> String? {
        guard let index = member(name) else { return nil }
        guard let value = document.string(at: index) else {
            throw .malformed(
                .message, "{} of the message is {}, not a string", .name(name),
                .name(document.kindName(at: index)))
        }
        return value
    }

    /// Returns a duration in seconds, 0 to 253402300799; nil if the member is absent or null.
    /// Several providers write it as a string: `"expires_in": "300"`.
    func seconds(_ name: StaticString) throws(JOSEError) -> Int64? {
        guard let index = member(name) else { return nil }
        let value =
            document.kind(at: index) == .number
            ? document.integer(at: index) : document.string(at: index).flatMap(JSONMessage.seconds)
        guard let value, NumericDate.durations ~= value else {
            throw .malformed(
                .message, "{} is not a whole number of seconds from 0 to 253402300799",
                .name(name))
        }
        return value
    }

    /// Throws `malformed` if the member is absent, null or 0.
    func positiveSeconds(_ name: StaticString) throws(JOSEError) -> Int64 {
        guard let seconds = try seconds(name), seconds > 0 else {
            throw .malformed(.message, "{} is not a positive number of seconds", .name(name))
        }
        return seconds
    }

    private static func seconds(_ text: String) -> Int64? {
        let digits = text.utf8
        guard 1...12 ~= digits.count, digits.allSatisfy(WebHost.isDigit),
            digits.count == 1 || digits.first != UInt8(ascii: "0")
        else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    /// Returns the node of a member; nil if it is absent or null.
    func member(_ name: StaticString) -> Int? {
        document.member(name).flatMap { document.kind(at: $0) == .null ? nil : $0 }
    }

    /// The strings of `aud`; empty if it is absent or has another type.
    var audience: [String] {
        guard let index = document.member("aud") else { return [] }
        guard document.kind(at: index) == .array else {
            return document.string(at: index).map { [$0] } ?? []
        }
        var audience: [String] = []
        document.forEachElement(of: index) { element in
            if let text = document.string(at: element) { audience.append(text) }
        }
        return audience
    }

    func members() throws(JOSEError) -> JSONObject {
        guard let all = try ClaimsDecoder.decode(JSONValue.self, from: document).object else {
            throw .malformed(.message, "the message is not a JSON object")
        }
        return all
    }
}

extension JSONValue {
    static func strings(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }

    /// Returns the JSON text with members sorted by name.
    func text() throws(JOSEError) -> String {
        String(decoding: try ClaimsEncoder.encode(self), as: UTF8.self)
    }

    /// `maxNodes` is the maximum number of names and values. Each takes more memory than its text.
    init(message text: String, maxNodes: Int = .max) throws(JOSEError) {
        do {
            let document = try JSONDocument(Array(text.utf8), maxDepth: 16)
            guard document.nodes.count <= maxNodes else {
                throw JOSEError.limitExceeded(
                    .message, "a JSON parameter has more than {} names and values",
                    .number(maxNodes))
            }
            self = try ClaimsDecoder.decode(JSONValue.self, from: document)
        } catch let error as JSONError {
            throw JOSEError(error, at: .message)
        } catch let error as JOSEError where error.code == .limitExceeded {
            throw error
        } catch {
            throw .malformed(.message, "a JSON parameter has a value that cannot be decoded")
        }
    }
}

extension NumericDate {
    /// The values that a duration in a message may have, such as `expires_in`, in seconds.
    static let durations: ClosedRange<Int64> = 0...latest.seconds
}

extension JSONDocument {
    /// Whether an optional claim is absent or null.
    func isAbsent(_ name: String) -> Bool {
        member(named: name).map { kind(at: $0) == .null } ?? true
    }

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
