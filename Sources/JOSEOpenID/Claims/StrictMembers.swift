// Typed access to claims and members: absent, null and empty are nil, a wrong type is rejected.

import JOSE
import JOSEBytes

/// Reads claims, or the members of a claim. Keeps the JSON and copies only requested values.
struct StrictMembers: Sendable {
    private let document: JSONDocument
    private let object: Int
    private let path: String
    /// The readable members; nil for all.
    private var visibleNames: [String]?

    init(_ document: JSONDocument) { self.init(document, object: 0, path: "") }

    private init(_ document: JSONDocument, object: Int, path: String) {
        self.document = document
        self.object = object
        self.path = path
    }

    var all: JSONObject {
        let complete = document.json(at: object).object ?? [:]
        guard let visibleNames else { return complete }
        var members: JSONObject = [:]
        for name in visibleNames { members[name] = complete[name] }
        return members
    }

    subscript(name: String) -> JSONValue? {
        guard visibleNames?.contains(where: name.isExactly) ?? true else { return nil }
        return document.member(named: name, of: object).map(document.json(at:))
    }

    func text(_ name: ClaimName?) throws(JOSEError) -> String? {
        guard let found = try find(name) else { return nil }
        guard let text = document.string(at: found.node) else { throw notString(found) }
        return text
    }

    /// `reason` is the error if `parse` returns nil.
    func text<Value>(
        _ name: ClaimName?, or reason: StaticString, _ parse: (String) -> Value?
    ) throws(JOSEError) -> Value? {
        guard let found = try find(name) else { return nil }
        guard let text = document.string(at: found.node) else { throw notString(found) }
        guard let value = parse(text) else { throw rejection(found.name, reason) }
        return value
    }

    /// Some providers write booleans as strings. `acceptsCapitalized` allows `True` and `False`.
    func boolOrString(
        _ name: ClaimName, acceptsCapitalized: Bool = false
    ) throws(JOSEError) -> Bool? {
        guard let found = try find(name) else { return nil }
        if let value = document.bool(at: found.node) { return value }
        guard let text = document.string(at: found.node) else {
            throw .claimRejected(
                path + found.name, "it is {}, neither true nor false",
                .name(document.kindName(at: found.node)))
        }
        if text.isExactly("true") || acceptsCapitalized && text.isExactly("True") { return true }
        if text.isExactly("false") || acceptsCapitalized && text.isExactly("False") { return false }
        throw rejection(found.name, "it is a string other than \"true\" and \"false\"")
    }

    /// Returns a time in seconds since 1970.
    func date(_ name: ClaimName) throws(JOSEError) -> NumericDate? {
        try read(name, "it is not a time from 1970 to 9999 in seconds", document.date(at:))
    }

    /// Some providers write an ISO 8601 string instead of seconds since 1970.
    func dateOrISO(_ name: ClaimName) throws(JOSEError) -> NumericDate? {
        guard let found = try find(name) else { return nil }
        if let text = document.string(at: found.node) {
            guard let date = ISOTimestamp.read(text) else {
                throw rejection(
                    found.name,
                    "it is a string, but not an ISO 8601 time like 2026-01-01T00:00:00Z")
            }
            return date
        }
        guard let date = document.date(at: found.node) else {
            throw rejection(found.name, "it is not a time from 1970 to 9999 in seconds")
        }
        return date
    }

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

    func textOrObject(_ name: ClaimName?) throws(JOSEError) -> JSONValue? {
        try read(name, "it is neither a string nor an object") { node in
            switch document.kind(at: node) {
            case .string, .object: document.json(at: node)
            default: nil
            }
        }
    }

    func textOrMembers(_ name: ClaimName) throws(JOSEError) -> TextOrMembers? {
        guard let found = try find(name) else { return nil }
        if let text = document.string(at: found.node) { return .text(text) }
        return try object(name).map(TextOrMembers.members)
    }

    /// Returns the reader of an object. Its errors name `claim.member`.
    func object(_ name: ClaimName?) throws(JOSEError) -> StrictMembers? {
        guard let found = try find(name) else { return nil }
        guard document.kind(at: found.node) == .object else {
            throw .claimRejected(
                path + found.name, "it is {}, not an object",
                .name(document.kindName(at: found.node)))
        }
        return StrictMembers(document, object: found.node, path: path + found.name + ".")
    }

    /// If the object is absent, reads its `members` from `self`, where some providers write them.
    /// Nil if none of them exists.
    func object(_ name: ClaimName?, orMembersAlongside members: [String]) throws(JOSEError)
        -> StrictMembers?
    {
        if let strict = try object(name) { return strict }
        guard document.members(named: members, of: object).contains(where: { $0 != nil }) else {
            return nil
        }
        var alongside = self
        alongside.visibleNames = members
        return alongside
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

    /// Several providers write null or an empty string for unknown values.
    private func isEmpty(_ node: Int) -> Bool {
        switch document.kind(at: node) {
        case .null: true
        case .string: document.string(at: node)?.isEmpty ?? false
        default: false
        }
    }

    /// Returns the value under any spelling of a name; nil if it is absent, null or empty. Throws
    /// `claimRejected` for different values under two spellings.
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
                        spelling, "another spelling of this claim has a different value")
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

/// A claim that is a string or an object.
enum TextOrMembers {
    case text(String)
    case members(StrictMembers)
}

extension StrictMembers: RedactedDescription {}
