// The outer form of a JSON serialisation: limits, one strict scan, and members by name and type.

import JOSEBytes

/// The text of a JWS or JWE of the JSON serialisations, checked as JSON.
///
/// Members that are not known are ignored (RFC 7515, 7.2), unless a reader of compact tokens could take one for a
/// token: a name with a dot is refused.
struct JSONTokenText {
    let document: JSONDocument

    init(_ token: Span<UInt8>, _ limits: Limits) throws(JOSEError) {
        guard token.count <= limits.tokenBytes else {
            throw .limitExceeded(.token, "the token is too large")
        }
        let text = [UInt8](byteCapacity: token.count) { $0.append(copying: token) }
        do throws(JSONFault) {
            document = try JSONDocument(text, maximumDepth: limits.jsonDepth)
        } catch {
            throw JOSEError(error, at: .token)
        }
        guard document.kind(at: 0) == .object else {
            throw .malformed(.token, "the token is not a JSON object")
        }
    }

    /// Refuses names with a dot, and names that belong to another form.
    func check(_ object: Int, refusing names: [StaticString]) throws(JOSEError) {
        guard document.kind(at: object) == .object else {
            throw .malformed(.token, "a part of the token is not an object")
        }
        let (text, nodes) = (document.bytes, document.nodes)
        var at = object + 1
        while at < nodes[object].next {
            let name = nodes[at]
            guard !JSON.has(0x2e, name, in: text.span) else {
                throw .malformed(.token, "a member's name could be a compact token")
            }
            guard !JSON.isOne(of: names, name, in: text.span) else {
                throw .malformed(.token, "a member does not belong to this form of the token")
            }
            at = nodes[at + 1].next
        }
    }

    /// The bytes of a member's string; nil where there is no such member.
    func string(_ name: StaticString, of object: Int = 0) throws(JOSEError) -> [UInt8]? {
        guard let node = document.member(name, of: object) else { return nil }
        guard document.kind(at: node) == .string else {
            throw .malformed(.token, "a member that must be a string is not one")
        }
        let value = document.nodes[node]
        let bytes = document.bytes
        let text = bytes.span.extracting(value.start..<value.end)
        return [UInt8](capacity: text.count) {
            if value.hasEscapes {
                JSON.unescape(text, into: &$0)
            } else {
                $0.append(copying: text)
            }
        }
    }

    /// The base64url text of a member, checked; nil where there is no such member.
    func encoded(
        _ name: StaticString, of object: Int = 0, at step: JOSEError.Step
    ) throws(JOSEError) -> [UInt8]? {
        guard let text = try string(name, of: object) else { return nil }
        guard Base64URL.isValid(text.span) else {
            throw .malformed(step, "a member of the token is not base64url")
        }
        return text
    }

    /// The entries of `name`, each an object: at least one and at most the limit; nil where there is no such member.
    func entries(_ name: StaticString, _ limits: Limits) throws(JOSEError) -> [Int]? {
        guard let array = document.member(name) else { return nil }
        guard document.kind(at: array) == .array, document.nodes[array].count > 0 else {
            throw .malformed(.token, "a list of the token is not an array with entries")
        }
        guard document.nodes[array].count <= limits.recipientCount else {
            throw .limitExceeded(.token, "the token has too many signatures or recipients")
        }
        var entries: [Int] = []
        document.forEachElement(of: array) { entries.append($0) }
        return entries
    }
}
