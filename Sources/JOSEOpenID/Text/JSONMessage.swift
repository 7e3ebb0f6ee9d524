// A JSON answer of the other side, read strictly.

import JOSE
import JOSEBytes

/// A JSON object that came as a message, and the ways to its members.
struct JSONMessage: Sendable {
    let document: JSONDocument

    /// - Throws: `malformed` or `limitExceeded`.
    init(_ text: [UInt8], limits: JOSELimits) throws(JOSEError) {
        guard text.count <= limits.tokenBytes else {
            throw .limitExceeded(.message, "the answer is too large (JOSELimits.tokenBytes)")
        }
        do {
            document = try JSONDocument(text, maximumDepth: limits.jsonDepth)
        } catch {
            throw JOSEError(error, at: .message)
        }
        guard document.kind(at: 0) == .object else {
            throw .malformed(.message, "the answer is not a JSON object")
        }
    }

    /// A text; nil where the member is absent. Another type, and null, is `malformed`.
    func string(_ name: StaticString) throws(JOSEError) -> String? {
        guard let index = document.member(name) else { return nil }
        guard let value = document.string(at: index) else {
            throw .malformed(.message, "a member of the answer has the wrong type")
        }
        return value
    }

    /// A length of time in whole seconds, 0 to 253402300799; nil where the member is absent.
    func seconds(_ name: StaticString) throws(JOSEError) -> Int64? {
        guard let index = document.member(name) else { return nil }
        guard document.kind(at: index) == .number, let value = document.integer(at: index),
            NumericDate.ages ~= value
        else { throw .malformed(.message, "a member of the answer has the wrong type") }
        return value
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
            let document = try JSONDocument(Array(text.utf8), maximumDepth: 16)
            guard document.nodes.count <= most else {
                throw JOSEError.limitExceeded(.message, "a JSON parameter has too many values")
            }
            self = try ClaimsDecoder.decode(JSONValue.self, from: document)
        } catch let error as JSONFault {
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
