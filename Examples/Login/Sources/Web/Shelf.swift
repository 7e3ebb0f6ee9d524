// What a service keeps for a time: in a real one, rows of a database that its machines share.

package import JOSE

/// Values by name, each with its end, and a bound on how many there are.
package struct Shelf<Value: Sendable>: Sendable {
    private var values: [String: (value: Value, end: NumericDate)] = [:]
    private let limit: Int

    package init(limit: Int = 10_000) { self.limit = limit }

    /// The value of this name that has not ended.
    package subscript(_ name: String, at now: NumericDate) -> Value? {
        values[name].flatMap { now < $0.end ? $0.value : nil }
    }

    /// Keeps a value; one of the same name is replaced.
    ///
    /// - Throws: `WebFault` where there are too many.
    package mutating func put(
        _ value: Value, _ name: String, until end: NumericDate, at now: NumericDate = .now
    ) throws {
        if values.count >= limit { values = values.filter { now < $0.value.end } }
        guard values.count < limit || values[name] != nil else { throw WebFault("too many") }
        values[name] = (value, end)
    }

    /// Gives the value away: nobody else gets it.
    package mutating func take(_ name: String, at now: NumericDate = .now) -> Value? {
        values.removeValue(forKey: name).flatMap { now < $0.end ? $0.value : nil }
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
