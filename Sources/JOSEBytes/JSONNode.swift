// JSONNode: what the scanner returns, one node for each name and value, in pre-order.

internal import CJOSEBytes

package enum JSONError: Error {
    /// A violation of the grammar of RFC 8259, a byte order mark, a NUL or trailing data.
    case syntax
    /// Not UTF-8, or an escape of an unpaired surrogate.
    case utf8
    /// A member that occurs twice in one object, after unescaping.
    case duplicate
    case depth
    case number
    /// More nodes than the caller's buffer can hold.
    case capacity
    /// A text of 256 MiB or more, or more than 1,024 names with escapes.
    case tooLarge
}

/// A name or a value: the range of its text, and the index of the next node after it.
///
/// The nodes of an object's members follow the object's own node `k`: each name, then its value.
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
    /// `next`; while a container is open, the index of the enclosing container, plus 1.
    @usableFromInline var nextBits: UInt32
    /// Bits 0-2: the kind. Bit 3: escapes, or in objects and arrays duplicate members. Bits 4-31:
    /// the count, or in names their fingerprint.
    @usableFromInline var traits: UInt32

    @inlinable
    init(kind: Kind, hasEscapes: Bool = false, start: Int, end: Int, next: Int) {
        startBits = UInt32(truncatingIfNeeded: start)
        endBits = UInt32(truncatingIfNeeded: end)
        nextBits = UInt32(truncatingIfNeeded: next)
        traits = UInt32(kind.rawValue) | (hasEscapes ? 8 : 0)
    }

    /// The kind of value.
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

    /// Whether the text of a string has a backslash.
    @inlinable public var hasEscapes: Bool { traits & 8 != 0 }

    /// Whether an object or array holds, at any depth, a duplicate member that the scan tolerated.
    @inlinable
    @inline(__always)
    package var hasDuplicates: Bool {
        hasEscapesOrDuplicates && (kind == .object || kind == .array)
    }

    @usableFromInline var hasEscapesOrDuplicates: Bool { traits & 8 != 0 }

    mutating func setHasDuplicates() { traits |= 8 }

    /// Creates a node without members and without a following node, such as of a string.
    @inlinable
    @inline(__always)
    package init(_ kind: Kind, at range: Range<Int>, hasEscapes: Bool = false) {
        self.init(
            kind: kind, hasEscapes: hasEscapes, start: range.lowerBound, end: range.upperBound,
            next: 0)
    }

    /// The number of members or elements. It has no meaning for other values.
    @inlinable
    public var count: Int {
        get { Int(traits >> 4) }
        set { traits = traits & 15 | UInt32(truncatingIfNeeded: newValue) << 4 }
    }

    /// The start of the node's text; for a string, after its opening quotation mark.
    @inlinable public var start: Int { Int(startBits) }

    /// The end of the node's text, exclusive; for a string, before its closing quotation mark.
    @inlinable
    public var end: Int {
        get { Int(endBits) }
        set { endBits = UInt32(truncatingIfNeeded: newValue) }
    }

    /// The index of the node after this whole value.
    @inlinable
    public var next: Int {
        get { Int(nextBits) }
        set { nextBits = UInt32(truncatingIfNeeded: newValue) }
    }
}

/// The strict JSON parser (RFC 8259; RFC 7493 for the rules that JOSE adds).
package enum JSON {
    /// Texts of this many bytes or more are rejected, so that positions and counts fit their bits.
    static let sizeLimit = 1 << 28

    /// The hash table for duplicates has 26 bits for the index of a node.
    package static let maxIndexedNodes = 1 << 26

    /// The maximum number of names with escapes. They are unescaped before they are compared.
    static let maxEscapedNames = 1_024

    @inlinable
    package static func nodeCapacityBound(_ byteCount: Int) -> Int {
        // `[1,1,1]` has a node for every two bytes and one for itself.
        byteCount / 2 + 1
    }

    /// Returns how many nodes a text of `byteCount` bytes may have: one for eight bytes plus 2,688,
    /// which short texts need. Denser texts, such as 20 KB of `[1,1,1]`, are rejected. A node takes
    /// 24 bytes with the hash table for duplicates: a long text takes up to three times its size.
    @inlinable
    package static func nodeCapacity(_ byteCount: Int) -> Int {
        min(nodeCapacityBound(byteCount), byteCount / 8 + 2_688)
    }

    /// Returns the same number, or fewer if the text has fewer commas, colons and opening brackets.
    /// One of these precedes each node except the first.
    package static func nodeCapacity(for text: Span<UInt8>) -> Int {
        let signs = unsafe text.withUnsafeBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe josebytes_count_structural($0, buffer.count) }
                ?? 0
        }
        return min(nodeCapacity(text.count), signs + 1)
    }
}
