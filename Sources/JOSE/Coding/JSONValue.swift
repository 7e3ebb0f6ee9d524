// Any JSON value, for claims whose shape is not known beforehand.

import JOSEBytes

/// A JSON value that loses nothing: numbers that neither `Int64` nor `Double` writes back are kept as text.
///
/// Members of objects have no order. Two values are equal where their texts and names are the same bytes. Reading it through this library's coder is exact; through
/// another coder numbers are what that coder makes of them.
public enum JSONValue: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number written as an integer that fits.
    case integer(Int64)
    /// A finite number whose shortest text is the one that was read.
    case double(Double)
    /// Every other number, as its JSON text, such as `18446744073709551616` or `1.50`.
    case number(String)
    /// A text.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)

    /// An object of a dictionary's members.
    public static func object(_ members: [String: JSONValue]) -> JSONValue {
        .object(JSONObject(members))
    }
}

extension JSONValue {
    /// The number with this JSON text, in the one case that fits it; nil if it is not a JSON number.
    public init?(number text: String) {
        guard JSONValue.isNumber(text) else { return nil }
        if let value = Int64(text), text != "-0" {
            self = .integer(value)
        } else if let value = Double(text), value.isFinite, value.description == text {
            self = .double(value)
        } else {
            self = .number(text)
        }
    }

    /// The JSON text of a number, nil for other values and for a `Double` that is not finite.
    public var numberText: String? {
        switch self {
        case .integer(let value): String(value)
        case .double(let value): value.isFinite ? value.description : nil
        case .number(let text): JSONValue.isNumber(text) ? text : nil
        default: nil
        }
    }

    /// RFC 8259, section 6: `-? int frac? exp?`.
    private static func isNumber(_ text: String) -> Bool {
        var rest = text.utf8[...]
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let whole = digits(&rest)
        guard let first = whole.first else { return false }
        if first == UInt8(ascii: "0"), whole.count > 1 { return false }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            if digits(&rest).isEmpty { return false }
        }
        if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
                rest.removeFirst()
            }
            if digits(&rest).isEmpty { return false }
        }
        return rest.isEmpty
    }

    private static func digits(_ rest: inout Substring.UTF8View) -> Substring.UTF8View {
        let run = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        rest = rest[run.endIndex...]
        return run
    }
}

extension JSONValue {
    /// The text, if this is one.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The integer, if this is a number written as one that fits.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The truth value, if this is one.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The elements, if this is an array.
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members, if this is an object.
    public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }

    /// The member of exactly this name of an object; nil where there is none.
    public subscript(_ name: String) -> JSONValue? { object?[name] }
}

extension JSONValue {
    /// The same value; texts and names byte for byte.
    public static func == (a: JSONValue, b: JSONValue) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.double(let a), .double(let b)): a == b
        case (.number(let a), .number(let b)), (.string(let a), .string(let b)): a.isExactly(b)
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)): a == b
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .number(let text), .string(let text): hasher.combine(ExactString(text))
        case .array(let elements): hasher.combine(elements)
        case .object(let members): hasher.combine(members)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByNilLiteral, ExpressibleByFloatLiteral
{
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// `null`.
    public init(nilLiteral: ()) { self = .null }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object; of two members with one name the later counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var members = JSONObject()
        for (name, value) in elements { members[name] = value }
        self = .object(members)
    }
}
