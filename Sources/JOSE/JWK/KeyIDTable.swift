// Finds the keys with a given kid: a linear search in small sets, else a seeded hash table.

import JOSEBytes

/// Finds the entries that may have a given kid. The caller compares the bytes of the kid.
package struct KeyIDTable: Sendable {
    /// For each slot, the index of its first record plus 1; 0 for none. Empty for small sets.
    private var slots: [UInt32] = []
    /// For each record, the index of the next record in the same slot plus 1; 0 for none.
    private var following: [UInt32] = []
    private let recordCount: Int

    private static let maxLinearCount = 16

    init(_ records: [PublicJWKSet.Record], _ text: Span<UInt8>) {
        recordCount = records.count
        guard records.count > KeyIDTable.maxLinearCount else { return }
        var size = 64
        while size < records.count * 2 { size *= 2 }
        slots = Array(repeating: 0, count: size)
        following = Array(repeating: 0, count: records.count)
        // Prepends from the last to the first, so that each slot's list has the order of the set.
        for index in records.indices.reversed() {
            guard let keyID = records[index].keyID else { continue }
            let hash: UInt64
            if keyID.hasEscapes {
                hash = KeyIDTable.hash(JSON.string(keyID, in: text).utf8.span)
            } else {
                hash = NameHash.of(text, keyID.start, keyID.end)
            }
            let slot = KeyIDTable.slot(hash, size)
            following[index] = slots[slot]
            slots[slot] = UInt32(truncatingIfNeeded: index + 1)
        }
    }

    /// Calls `body` with the index of each key that may have this kid, in the order of the set.
    func forEach(_ keyID: Span<UInt8>, _ body: (Int) -> Void) {
        guard !slots.isEmpty else {
            for index in 0..<recordCount { body(index) }
            return
        }
        var next = slots[KeyIDTable.slot(KeyIDTable.hash(keyID), slots.count)]
        while next != 0 {
            let index = Int(next) - 1
            body(index)
            next = following[index]
        }
    }

    /// The hash is seeded per process, so that an attacker cannot choose colliding kids.
    private static func hash(_ keyID: Span<UInt8>) -> UInt64 { NameHash.of(keyID, 0, keyID.count) }

    private static func slot(_ hash: UInt64, _ size: Int) -> Int {
        Int(truncatingIfNeeded: hash) & (size - 1)
    }
}
