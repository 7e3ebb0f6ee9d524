// Any JSON value, for claims of unknown structure.

import JOSEBytes

/// A JSON value without loss. A number is kept as text if neither `Int64` nor `Double` would write
/// the text that was read.
///
/// Two values are equal if their cases and contents are, strings and names byte for byte: `1` and
/// `1.0` differ. This library's coder is exact; other coders convert numbers.
public enum JSONValue: Sendable, Hashable {
    /// The JSON literal `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number that is written as an integer and fits `Int64`; not `-0`.
    case integer(Int64)
    /// A finite number for which `Double` prints the JSON text that was read.
    case double(Double)
    /// Any other number, as its JSON text, such as `18446744073709551616`, `1.50` or `-0`.
    case number(String)
    /// Text, with escapes decoded.
    case string(String)
    /// The elements, in order.
    case array([JSONValue])
    /// The members, with unique names.
    case object(JSONObject)

    /// Creates an object from a dictionary.
    public static func object(_ members: [String: JSONValue]) -> JSONValue {
        .object(JSONObject(members))
    }
}

extension JSONValue {
    /// Creates the number with this JSON text; nil if it is not a JSON number.
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

    /// The JSON text of a number; nil for other values and for a `Double` that is not finite.
    public var numberText: String? {
        switch self {
        case .integer(let value): String(value)
        case .double(let value): value.isFinite ? value.description : nil
        case .number(let text): JSONValue.isNumber(text) ? text : nil
        default: nil
        }
    }

    /// Follows RFC 8259 section 6: `-? int frac? exp?`.
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
    /// The text of a JSON string; nil for other values.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The value of an `.integer`; nil for other values, also for `.double` and `.number`.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The boolean; nil for other values.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The elements of an array; nil for other values.
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members of an object; nil for other values.
    public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }

    /// Returns the member of an object with exactly this name; nil if absent or not an object.
    public subscript(_ name: String) -> JSONValue? { object?[name] }
}

extension JSONValue {
    /// Whether both values are equal; strings and names are compared byte for byte.
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
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates a boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }
    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object; the last of several members with the same name is used.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var members = JSONObject()
        for (name, value) in elements { members[name] = value }
        self = .object(members)
    }
}
