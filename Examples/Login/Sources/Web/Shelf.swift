// What a service keeps for a time: in a real one, rows of a database that its machines share.

package import JOSE

/// Values by name, each with its end, and bounds on how many there are and on their size.
///
/// The oldest makes place: who fills the shelf shortens the time that others have, and keeps nobody out.
package struct Shelf<Value: Sendable>: Sendable {
    private struct Entry {
        let value: Value
        let end: NumericDate
        let size: Int
        let place: Int
    }

    private var entries: [String: Entry] = [:]
    private var size = 0
    private var nextPlace = 0
    private let limit: Int
    private let limitBytes: Int

    package init(limit: Int = 10_000, limitBytes: Int = 32 * 1024 * 1024) {
        self.limit = limit
        self.limitBytes = limitBytes
    }

    /// The value of this name that has not ended.
    package subscript(_ name: String, at now: NumericDate) -> Value? {
        entries[name].flatMap { now < $0.end ? $0.value : nil }
    }

    /// Keeps a value; one of the same name is replaced.
    ///
    /// - Parameter size: Its bytes, where strangers say how many these are.
    package mutating func put(
        _ value: Value, _ name: String, until end: NumericDate, size: Int = 0
    ) {
        remove(name)
        while !entries.isEmpty, entries.count >= limit || self.size + size > limitBytes {
            // A tenth at once, so that the search is seldom.
            for (name, _) in entries.sorted(by: { $0.value.place < $1.value.place })
                .prefix(entries.count / 10 + 1)
            { remove(name) }
        }
        entries[name] = Entry(value: value, end: end, size: size, place: nextPlace)
        self.size += size
        nextPlace += 1
    }

    /// Gives the value away: nobody else gets it.
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

/// A name that nobody guesses: 256 bits of the system's random numbers.
package func freshName() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<4).map { _ in
        let digits = String(random.next(), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
}
