// Numbers and constant names in few bytes, so that an error that holds them stays small.

/// The text of a literal by its address: a third of a `StaticString`.
///
/// Public and inlinable for the same reason as `PackedName`.
@frozen
public struct ConstantName: Sendable, BitwiseCopyable, CustomStringConvertible {
    @usableFromInline let address: UInt

    /// The name of a literal without NUL.
    @inlinable
    @inline(__always)
    public init(_ name: StaticString) {
        // Safe: only the address is taken.
        address = unsafe UInt(bitPattern: name.utf8Start)
    }

    @inlinable
    @inline(__always)
    init(address: UInt) { self.address = address }

    /// The name itself.
    public var description: String {
        // Safe: a literal lives for as long as the program, and NUL is behind its last byte.
        unsafe UnsafePointer<UInt8>(bitPattern: address).map { unsafe String(cString: $0) } ?? ""
    }
}

/// A number, the name of a constant, or nothing.
@frozen
public struct ConstantValue: Sendable, BitwiseCopyable {
    @usableFromInline enum Kind: UInt8, Sendable, BitwiseCopyable { case none, number, name }
    @usableFromInline let word: UInt
    @usableFromInline let kind: Kind

    @inlinable
    @inline(__always)
    init(_ kind: Kind, _ word: UInt) {
        self.kind = kind
        self.word = word
    }

    /// Nothing.
    @inlinable
    @inline(__always)
    public static var none: ConstantValue { ConstantValue(.none, 0) }

    /// A size, count, position or limit.
    @inlinable
    @inline(__always)
    public static func number(_ number: Int) -> ConstantValue {
        ConstantValue(.number, UInt(bitPattern: number))
    }

    /// The name of an algorithm, member, parameter or option.
    @inlinable
    @inline(__always)
    public static func name(_ name: StaticString) -> ConstantValue {
        ConstantValue(.name, ConstantName(name).address)
    }

    /// The number; nil where it is none.
    public var number: Int? { kind == .number ? Int(bitPattern: word) : nil }
    /// The name; nil where it is none.
    public var name: ConstantName? { kind == .name ? ConstantName(address: word) : nil }
}

/// Up to three values.
@frozen
public struct ConstantValues: Sendable, BitwiseCopyable {
    @usableFromInline let first: UInt
    @usableFromInline let second: UInt
    @usableFromInline let third: UInt
    // Two bits each.
    @usableFromInline let kinds: UInt8

    /// The values in order; `none` for those that are left out.
    @inlinable
    @inline(__always)
    public init(_ first: ConstantValue, _ second: ConstantValue, _ third: ConstantValue) {
        self.first = first.word
        self.second = second.word
        self.third = third.word
        kinds = first.kind.rawValue | second.kind.rawValue << 2 | third.kind.rawValue << 4
    }

    /// Whether there is none.
    public var isEmpty: Bool { kinds == 0 }

    /// The value in a place from 0 to 2; `none` behind them.
    public subscript(place: Int) -> ConstantValue {
        let words = [first, second, third]
        guard words.indices.contains(place) else { return .none }
        return ConstantValue(
            ConstantValue.Kind(rawValue: kinds >> UInt8(2 * place) & 3) ?? .none, words[place])
    }
}
