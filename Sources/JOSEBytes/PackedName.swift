// Short names as numbers, which the compiler packs where they are literals.

/// A name of one to eight bytes as one big-endian number: one comparison finds it. That of a literal is a constant.
///
/// Public and inlinable: what is `package` is no constant in another module, but a call through the table of types.
@frozen
public struct PackedName: Equatable, Sendable, ExpressibleByStringLiteral {
    @usableFromInline let number: UInt64

    @inlinable
    init(number: UInt64) { self.number = number }

    /// The name of a literal, which has no more than eight bytes.
    @inlinable
    @inline(__always)
    public init(stringLiteral name: StaticString) {
        precondition(name.utf8CodeUnitCount <= 8, "a packed name has eight bytes at the most")
        var number: UInt64 = 0
        for index in 0..<name.utf8CodeUnitCount {
            // Safe: within the literal, which lives for as long as the program.
            number = number << 8 | UInt64(unsafe name.utf8Start[index])
        }
        self.number = number
    }

    /// The name that a node spells, after unescaping; nil where it has no bytes or more than eight.
    ///
    /// A name that begins with NUL has the number of a shorter one, so it is nil too.
    @inlinable
    @inline(__always)
    public init?(_ name: JSONNode, in text: Span<UInt8>) {
        if name.hasEscapes {
            guard let packed = PackedName.unescaped(name, in: text) else { return nil }
            self = packed
            return
        }
        // Only an escape could spell NUL.
        let count = name.end - name.start
        guard count > 0, count <= 8 else { return nil }
        // The first byte comes highest; those behind the name are no part of the word.
        number = text.lastWord(name.start, name.end).byteSwapped >> UInt64(64 - 8 * count)
    }

    /// A name with escapes, as it reads without them.
    @usableFromInline
    static func unescaped(_ name: JSONNode, in text: Span<UInt8>) -> PackedName? {
        JSON.packedName(name, in: text)
    }

    /// The name of these bytes; nil as for a node.
    @inlinable
    @inline(__always)
    public init?(_ name: Span<UInt8>) {
        guard name.count > 0, name.count <= 8, name[0] != 0 else { return nil }
        var number: UInt64 = 0
        for index in name.indices { number = number << 8 | UInt64(name[index]) }
        self.number = number
    }

    /// The same name.
    @inlinable
    @inline(__always)
    public static func == (a: PackedName, b: PackedName) -> Bool { a.number == b.number }
}

extension PackedName: CustomStringConvertible {
    /// The name itself.
    public var description: String {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
        return String(decoding: bytes.drop { $0 == 0 }, as: UTF8.self)
    }
}
