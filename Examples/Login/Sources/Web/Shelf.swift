// A bounded store with expiry. A real service uses its database.

package import JOSE

/// Values by name with expiry and limits on their number and size.
///
/// A full shelf drops its oldest entries, so a flood shortens lifetimes but rejects nobody.
package struct Shelf<Value: Sendable>: Sendable {
    private struct Entry {
        let value: Value
        let end: NumericDate
        let size: Int
        let sequence: Int
    }

    private var entries: [String: Entry] = [:]
    private var size = 0
    private var nextSequence = 0
    private let limit: Int
    private let limitBytes: Int

    package init(limit: Int = 10_000, limitBytes: Int = 32 * 1024 * 1024) {
        self.limit = limit
        self.limitBytes = limitBytes
    }

    /// Returns the unexpired value of this name.
    package subscript(_ name: String, at now: NumericDate) -> Value? {
        entries[name].flatMap { now < $0.end ? $0.value : nil }
    }

    /// Stores a value. Replaces one of the same name.
    ///
    /// - Parameter size: The size in bytes, if a client controls it.
    package mutating func put(
        _ value: Value, _ name: String, until end: NumericDate, size: Int = 0
    ) {
        remove(name)
        while !entries.isEmpty, entries.count >= limit || self.size + size > limitBytes {
            // Drop a tenth at once, so that sorting is rare.
            for (name, _) in entries.sorted(by: { $0.value.sequence < $1.value.sequence })
                .prefix(entries.count / 10 + 1)
            { remove(name) }
        }
        entries[name] = Entry(value: value, end: end, size: size, sequence: nextSequence)
        self.size += size
        nextSequence += 1
    }

    /// Removes and returns the unexpired value of this name.
    package mutating func take(_ name: String, at now: NumericDate = .now) -> Value? {
        remove(name).flatMap { now < $0.end ? $0.value : nil }
    }

    @discardableResult
    private mutating func remove(_ name: String) -> Entry? {
        let entry = entries.removeValue(forKey: name)
        size -= entry?.size ?? 0
        return entry
    }
}

/// Returns an unguessable name of 256 random bits.
package func freshName() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<4).map { _ in
        let digits = String(random.next(), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
}
