// The kids that the server was asked about in vain: a bounded memory, so that each costs few requests.

/// Remembers absent kids; each further miss of the same kid is remembered twice as long.
struct AbsentKeyIDs: Sendable {
    private struct Entry {
        var until: Duration
        var span: Duration
    }
    private var entries: [String: Entry] = [:]
    /// The kids in the order of their arrival, as a ring.
    private var ring: [String] = []
    private var oldest = 0
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { entries.count }

    /// Whether asking for this kid again would be too soon.
    func contains(_ keyID: String, at now: Duration) -> Bool {
        guard let entry = entries[keyID] else { return false }
        return now < entry.until
    }

    /// Notes that a set just fetched lacks this kid.
    mutating func note(_ keyID: String, at now: Duration, first span: Duration, most: Duration) {
        if let entry = entries[keyID] {
            guard now >= entry.until else { return }
            let longer = min(entry.span * 2, max(most, span))
            entries[keyID] = Entry(until: now + longer, span: longer)
            return
        }
        if ring.count < capacity {
            ring.append(keyID)
        } else {
            entries[ring[oldest]] = nil
            ring[oldest] = keyID
            oldest = (oldest + 1) % capacity
        }
        entries[keyID] = Entry(until: now + span, span: span)
    }
}
