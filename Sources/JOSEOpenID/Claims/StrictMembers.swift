// Members of an object by type: absent, null and empty are nil, and what is there has the right
// type or is rejected by name.

import JOSE
import JOSEBytes

/// The strict reader of claims, and of the members of an object among them; it keeps the text and copies what is asked for.
struct StrictMembers: Sendable {
    private let document: JSONDocument
    private let object: Int
    private let path: String
    /// The members that belong to the object; nil for all.
    private var own: [String]?

    /// The claims of a token or an answer.
    init(_ document: JSONDocument) { self.init(document, object: 0, path: "") }

    private init(_ document: JSONDocument, object: Int, path: String) {
        self.document = document
        self.object = object
        self.path = path
    }

    /// Every member, in one pass over the object.
    var all: JSONObject {
        let all = document.json(at: object).object ?? [:]
        guard let own else { return all }
        var members: JSONObject = [:]
        for name in own { members[name] = all[name] }
        return members
    }

    /// Any member.
    subscript(name: String) -> JSONValue? {
        guard own?.contains(where: name.isExactly) ?? true else { return nil }
        return document.member(named: name, of: object).map(document.json(at:))
    }

    /// A text.
    func text(_ name: ClaimName?) throws(JOSEError) -> String? {
        guard let found = try find(name) else { return nil }
        guard let text = document.string(at: found.node) else { throw notString(found) }
        return text
    }

    /// A text that says something in a form of its own.
    ///
    /// - Parameters:
    ///   - reason: What is wrong where `form` gives nil.
    ///   - form: Reads the text.
    func text<Value>(
        _ name: ClaimName?, or reason: StaticString, _ form: (String) -> Value?
    ) throws(JOSEError) -> Value? {
        guard let found = try find(name) else { return nil }
        guard let text = document.string(at: found.node) else { throw notString(found) }
        guard let value = form(text) else { throw rejection(found.name, reason) }
        return value
    }

    /// `true` or `false`, or a string that is exactly one of them, as some providers write it.
    ///
    /// - Parameter isCapitalised: Whether the strings `True` and `False` are read too.
    func truthOrText(
        _ name: ClaimName, orCapitalised isCapitalised: Bool = false
    ) throws(JOSEError) -> Bool? {
        guard let found = try find(name) else { return nil }
        if let value = document.bool(at: found.node) { return value }
        guard let text = document.string(at: found.node) else {
            throw .claimRejected(
                path + found.name, "it is {}, neither true nor false",
                .name(document.kindName(at: found.node)))
        }
        if text.isExactly("true") || isCapitalised && text.isExactly("True") { return true }
        if text.isExactly("false") || isCapitalised && text.isExactly("False") { return false }
        throw rejection(found.name, "it is a string other than \"true\" and \"false\"")
    }

    /// A time in seconds since 1970.
    func date(_ name: ClaimName) throws(JOSEError) -> NumericDate? {
        try read(name, "it is not a time from 1970 to 9999 in seconds", document.date(at:))
    }

    /// A time in seconds since 1970, or a string with a date and time of ISO 8601, as some
    /// providers write it.
    func dateOrISO(_ name: ClaimName) throws(JOSEError) -> NumericDate? {
        guard let found = try find(name) else { return nil }
        if let text = document.string(at: found.node) {
            guard let date = ISOTimestamp.read(text) else {
                throw rejection(
                    found.name, "it is a string, but no ISO 8601 time like 2026-01-01T00:00:00Z")
            }
            return date
        }
        guard let date = document.date(at: found.node) else {
            throw rejection(found.name, "it is not a time from 1970 to 9999 in seconds")
        }
        return date
    }

    /// A whole number within a range.
    func integer(
        _ name: ClaimName, in range: ClosedRange<Int64>, or reason: StaticString
    ) throws(JOSEError) -> Int64? {
        try read(name, reason) { node in
            guard document.kind(at: node) == .number, let value = document.integer(at: node),
                range ~= value
            else { return nil }
            return value
        }
    }

    /// A text or an object.
    func textOrObject(_ name: ClaimName?) throws(JOSEError) -> JSONValue? {
        try read(name, "it is neither a text nor an object") { node in
            switch document.kind(at: node) {
            case .string, .object: document.json(at: node)
            default: nil
            }
        }
    }

    /// A text, or the reader of an object; nil for neither.
    func textOrMembers(_ name: ClaimName) throws(JOSEError) -> TextOrMembers? {
        guard let found = try find(name) else { return nil }
        if let text = document.string(at: found.node) { return .text(text) }
        return try object(name).map(TextOrMembers.members)
    }

    /// The reader of an object; it calls members `claim.member`.
    func object(_ name: ClaimName?) throws(JOSEError) -> StrictMembers? {
        guard let found = try find(name) else { return nil }
        guard document.kind(at: found.node) == .object else {
            throw .claimRejected(
                path + found.name, "it is {}, not an object",
                .name(document.kindName(at: found.node)))
        }
        return StrictMembers(document, object: found.node, path: path + found.name + ".")
    }

    /// As `object(_:)`; where that is absent, the reader of those members that are here without it. Nil where none of them is.
    ///
    /// - Parameter members: The names of the object's members.
    func object(_ name: ClaimName?, orBare members: [String]) throws(JOSEError) -> StrictMembers? {
        if let strict = try object(name) { return strict }
        guard document.members(named: members, of: object).contains(where: { $0 != nil }) else {
            return nil
        }
        var bare = self
        bare.own = members
        return bare
    }

    private func read<Value>(
        _ name: ClaimName?, _ reason: StaticString, _ value: (Int) -> Value?
    ) throws(JOSEError) -> Value? {
        guard let found = try find(name) else { return nil }
        guard let value = value(found.node) else { throw rejection(found.name, reason) }
        return value
    }

    private func notString(_ found: (name: String, node: Int)) -> JOSEError {
        .claimRejected(
            path + found.name, "it is {}, not a string", .name(document.kindName(at: found.node)))
    }

    /// Whether a value says nothing: null or an empty string, which several providers write for
    /// what they do not have.
    private func isEmpty(_ node: Int) -> Bool {
        switch document.kind(at: node) {
        case .null: true
        case .string: document.string(at: node)?.isEmpty ?? false
        default: false
        }
    }

    /// What stands under any spelling of a name, with that spelling; nil where nothing does, or
    /// nothing but null or an empty string.
    ///
    /// - Throws: `claimRejected` where it stands under two of them in two texts: nobody could say which counts.
    private func find(_ name: ClaimName?) throws(JOSEError) -> (name: String, node: Int)? {
        guard let name else { return nil }
        guard !name.others.isEmpty else {
            guard let node = document.member(named: name.preferred, of: object), !isEmpty(node)
            else { return nil }
            return (name.preferred, node)
        }
        var found: (name: String, node: Int)?
        let spellings = name.all
        for (spelling, node) in zip(spellings, document.members(named: spellings, of: object)) {
            guard let node, !isEmpty(node) else { continue }
            if let found {
                guard document.text(at: found.node) == document.text(at: node) else {
                    throw rejection(
                        spelling, "it is there under another of its names, with another value")
                }
            } else {
                found = (spelling, node)
            }
        }
        return found
    }

    private func rejection(_ name: String, _ reason: StaticString) -> JOSEError {
        .claimRejected(path + name, reason)
    }
}

/// A claim that is a text or an object.
enum TextOrMembers {
    case text(String)
    case members(StrictMembers)
}

extension StrictMembers: RedactedDescription {
    package var shownAs: String { "claims" }
}
