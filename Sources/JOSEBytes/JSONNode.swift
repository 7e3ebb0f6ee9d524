// What the scanner leaves behind: one node for every name and value, in pre-order.

internal import CJOSEBytes

/// Why a text is no JSON that we accept.
package enum JSONError: Error {
    /// The grammar of RFC 8259, a byte order mark, a NUL or trailing data.
    case syntax
    /// Not UTF-8, or an escaped surrogate without its other half.
    case utf8
    /// A member twice in one object, after unescaping.
    case duplicate
    /// Nested deeper than allowed.
    case depth
    /// A number that is not in RFC 8259's grammar.
    case number
    /// More nodes than the caller has room for.
    case capacity
    /// A text of 256 MB or more, or one with too many names in escapes.
    case tooLarge
}

/// A name or a value: where its text is, and where the next one starts.
///
/// An object at index `k` is followed, member by member, by the name's node and the value's nodes:
/// `i = k + 1; while i < nodes[k].next { name = nodes[i]; value = nodes[i + 1]; i = value.next }`.
@frozen
public struct JSONNode: BitwiseCopyable, Sendable {
    /// The kinds of values; a member's name is a string.
    @frozen
    public enum Kind: UInt8, Sendable {
        case object, array, string, number, `true`, `false`, null
    }

    @usableFromInline var startBits: UInt32
    @usableFromInline var endBits: UInt32
    /// While a container is open: the index of the one around it, plus 1.
    @usableFromInline var nextBits: UInt32
    /// Kind in bits 0-2, escapes (of an object or array: duplicate members in it) in bit 3, count
    /// (of a name: its signature) in bits 4-31.
    @usableFromInline var traits: UInt32

    @inlinable
    init(kind: Kind, hasEscapes: Bool = false, start: Int, end: Int, next: Int) {
        startBits = UInt32(truncatingIfNeeded: start)
        endBits = UInt32(truncatingIfNeeded: end)
        nextBits = UInt32(truncatingIfNeeded: next)
        traits = UInt32(kind.rawValue) | (hasEscapes ? 8 : 0)
    }

    /// What kind of value it is.
    @inlinable
    @inline(__always)
    public var kind: Kind {
        switch traits & 7 {
        case 0: .object
        case 1: .array
        case 2: .string
        case 3: .number
        case 4: .true
        case 5: .false
        default: .null
        }
    }

    /// Whether the text of a string holds a reverse solidus.
    @inlinable public var hasEscapes: Bool { traits & 8 != 0 }

    /// Whether an object that was scanned with tolerance has a member twice, or something in it
    /// has.
    @inlinable
    @inline(__always)
    package var hasDuplicates: Bool { hasMark && (kind == .object || kind == .array) }

    @usableFromInline var hasMark: Bool { traits & 8 != 0 }

    mutating func markDuplicates() { traits |= 8 }

    /// A node that is kept by its place alone, such as a string; it has no members and nothing
    /// after it.
    @inlinable
    @inline(__always)
    package init(_ kind: Kind, at range: Range<Int>, hasEscapes: Bool = false) {
        self.init(
            kind: kind, hasEscapes: hasEscapes, start: range.lowerBound, end: range.upperBound,
            next: 0)
    }

    /// The members of an object, the elements of an array; without meaning for others.
    @inlinable
    public var count: Int {
        get { Int(traits >> 4) }
        set { traits = traits & 15 | UInt32(truncatingIfNeeded: newValue) << 4 }
    }

    /// Where its text begins: inside the quotation marks, at the bracket.
    @inlinable public var start: Int { Int(startBits) }

    /// Behind its text: inside the quotation marks, behind the bracket.
    @inlinable
    public var end: Int {
        get { Int(endBits) }
        set { endBits = UInt32(truncatingIfNeeded: newValue) }
    }

    /// The index of the node behind this whole value.
    @inlinable
    public var next: Int {
        get { Int(nextBits) }
        set { nextBits = UInt32(truncatingIfNeeded: newValue) }
    }
}

/// The strict JSON reader (RFC 8259, RFC 7493 for what JOSE adds).
package enum JSON {
    /// Texts of this many bytes and more are rejected; positions and counts fit their bits below it.
    static let sizeLimit = 1 << 28

    /// The table that finds duplicates has 26 bits for the index of a node.
    package static let maxIndexedNodes = 1 << 26

    /// Names in escapes are written anew before they are compared, so a text may have this many.
    static let maxEscapedNames = 1_024

    /// The most nodes that a text of `byteCount` bytes can have.
    @inlinable
    package static func nodeCapacityBound(_ byteCount: Int) -> Int {
        // `[1,1,1]` has a node for every two bytes and one for itself.
        byteCount / 2 + 1
    }

    /// The nodes that a text of `byteCount` bytes may have: one for every eight bytes, and more in short texts.
    ///
    /// With the table that finds duplicates they take 24 bytes each: three times a long text. What is denser, such as
    /// 20 KB of `[1,1,1]`, is rejected.
    @inlinable
    package static func nodeCapacity(_ byteCount: Int) -> Int {
        min(nodeCapacityBound(byteCount), byteCount / 8 + 2_688)
    }

    /// The same, but no more than the signs of this text announce: before each node but the first stands one.
    package static func nodeCapacity(for text: Span<UInt8>) -> Int {
        let signs = unsafe text.withUnsafeBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe josebytes_count_signs($0, buffer.count) } ?? 0
        }
        return min(nodeCapacity(text.count), signs + 1)
    }
}
