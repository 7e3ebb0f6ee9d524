// A table of short names, each kept as one number: found by one multiplication and, as a rule, one comparison.

/// Names of one to eight ASCII characters, made from literals; at most 32 of them.
package struct PackedNames: Sendable {
    private static let bits = 7
    /// Each name where its number leads to, or behind that; 0 where there is none.
    private var numbers: [128 of UInt64] = .init(repeating: 0)
    private var places: [128 of UInt8] = .init(repeating: 0)

    /// The names in the order of their places.
    package init(_ names: [StaticString]) {
        for (place, name) in names.enumerated() {
            let packed = PackedName(stringLiteral: name).number
            var slot = PackedNames.slot(packed)
            while numbers[slot] != 0 { slot = (slot + 1) & 127 }
            numbers[slot] = packed
            places[slot] = UInt8(truncatingIfNeeded: place)
        }
    }

    @inline(__always)
    private static func slot(_ packed: UInt64) -> Int {
        Int(truncatingIfNeeded: (packed &* 0x9e37_79b9_7f4a_7c15) >> UInt64(64 - bits))
    }

    /// The place of a name; nil for another.
    package func place(_ name: PackedName) -> Int? {
        var slot = PackedNames.slot(name.number)
        while numbers[slot] != name.number {
            guard numbers[slot] != 0 else { return nil }
            slot = (slot + 1) & 127
        }
        return name.number == 0 ? nil : Int(places[slot])
    }
}
