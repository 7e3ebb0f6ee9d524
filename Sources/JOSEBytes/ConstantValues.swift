// ConstantName and ConstantValues: literals and numbers in few bytes, to keep errors small.

/// The address of a string literal: a third of the size of a `StaticString`.
///
/// Public and inlinable for the same reason as `PackedName`.
@frozen
public struct ConstantName: Sendable, BitwiseCopyable, CustomStringConvertible {
    @usableFromInline let address: UInt

    /// Creates the name from a literal without a NUL byte.
    @inlinable
    @inline(__always)
    public init(_ name: StaticString) {
        // Safe: only the address is taken.
        address = unsafe UInt(bitPattern: name.utf8Start)
    }

    @inlinable
    @inline(__always)
    init(address: UInt) { self.address = address }

    /// The name.
    public var description: String {
        // Safe: a literal lives as long as the program, and NUL follows its last byte.
        unsafe UnsafePointer<UInt8>(bitPattern: address).map { unsafe String(cString: $0) } ?? ""
    }
}

/// A number, a constant name, or nothing.
@frozen
public struct ConstantValue: Sendable, BitwiseCopyable {
    @usableFromInline enum Kind: UInt8, Sendable, BitwiseCopyable { case none, number, name }
    @usableFromInline let bits: UInt
    @usableFromInline let kind: Kind

    @inlinable
    @inline(__always)
    init(_ kind: Kind, _ bits: UInt) {
        self.kind = kind
        self.bits = bits
    }

    /// No value.
    @inlinable
    @inline(__always)
    public static var none: ConstantValue { ConstantValue(.none, 0) }

    /// Creates a size, count, position or limit.
    @inlinable
    @inline(__always)
    public static func number(_ number: Int) -> ConstantValue {
        ConstantValue(.number, UInt(bitPattern: number))
    }

    /// Creates the name of an algorithm, member, parameter or option.
    @inlinable
    @inline(__always)
    public static func name(_ name: StaticString) -> ConstantValue {
        ConstantValue(.name, ConstantName(name).address)
    }

    /// The number; nil for another kind of value.
    public var number: Int? { kind == .number ? Int(bitPattern: bits) : nil }
    /// The name; nil for another kind of value.
    public var name: ConstantName? { kind == .name ? ConstantName(address: bits) : nil }
}

/// Up to three values.
@frozen
public struct ConstantValues: Sendable, BitwiseCopyable {
    @usableFromInline let first: UInt
    @usableFromInline let second: UInt
    @usableFromInline let third: UInt
    // Two bits for each kind.
    @usableFromInline let kinds: UInt8

    /// Creates the values in order. Missing values are `none`.
    @inlinable
    @inline(__always)
    public init(_ first: ConstantValue, _ second: ConstantValue, _ third: ConstantValue) {
        self.first = first.bits
        self.second = second.bits
        self.third = third.bits
        kinds = first.kind.rawValue | second.kind.rawValue << 2 | third.kind.rawValue << 4
    }

    /// Whether there is no value.
    public var isEmpty: Bool { kinds == 0 }

    /// The value at an index from 0 to 2; `none` for higher indexes.
    public subscript(index: Int) -> ConstantValue {
        let values = [first, second, third]
        guard values.indices.contains(index) else { return .none }
        return ConstantValue(
            ConstantValue.Kind(rawValue: kinds >> UInt8(2 * index) & 3) ?? .none, values[index])
    }
}
