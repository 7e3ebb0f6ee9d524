// PackedName: a short name as a number.

/// A name of one to eight bytes as one big-endian number: one instruction compares two names. The
/// number of a literal is a compile-time constant.
///
/// Public and inlinable: in other modules a `package` type would give no constant, but a call
/// through type metadata.
@frozen
public struct PackedName: Equatable, Sendable, ExpressibleByStringLiteral {
    @usableFromInline let number: UInt64

    @inlinable
    init(number: UInt64) { self.number = number }

    /// Creates the name from a literal of at most eight bytes.
    @inlinable
    @inline(__always)
    public init(stringLiteral name: StaticString) {
        precondition(name.utf8CodeUnitCount <= 8, "a packed name has at most eight bytes")
        var number: UInt64 = 0
        for index in 0..<name.utf8CodeUnitCount {
            // Safe: the index is within the literal, which lives as long as the program.
            number = number << 8 | UInt64(unsafe name.utf8Start[index])
        }
        self.number = number
    }

    /// Creates the name of a node after unescaping; nil if it is empty, has more than eight bytes,
    /// or begins with NUL. With NUL it would equal a shorter name.
    @inlinable
    @inline(__always)
    public init?(_ name: JSONNode, in text: Span<UInt8>) {
        if name.hasEscapes {
            guard let packed = PackedName.unescaped(name, in: text) else { return nil }
            self = packed
            return
        }
        // Without escapes, a name cannot contain NUL.
        let count = name.end - name.start
        guard count > 0, count <= 8 else { return nil }
        // The first byte is the highest. The zeros after the name are shifted out.
        number = text.lastWord(name.start, name.end).byteSwapped >> UInt64(64 - 8 * count)
    }

    @usableFromInline
    static func unescaped(_ name: JSONNode, in text: Span<UInt8>) -> PackedName? {
        JSON.packedName(name, in: text)
    }

    /// Creates the name; nil if it is empty, has more than eight bytes, or begins with NUL.
    @inlinable
    @inline(__always)
    public init?(_ name: Span<UInt8>) {
        guard name.count > 0, name.count <= 8, name[0] != 0 else { return nil }
        var number: UInt64 = 0
        for index in name.indices { number = number << 8 | UInt64(name[index]) }
        self.number = number
    }

    /// Whether `a` and `b` are the same name.
    @inlinable
    @inline(__always)
    public static func == (a: PackedName, b: PackedName) -> Bool { a.number == b.number }
}

extension PackedName: CustomStringConvertible {
    /// The name.
    public var description: String {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
        return String(decoding: bytes.drop { $0 == 0 }, as: UTF8.self)
    }
}
