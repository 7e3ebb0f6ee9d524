// One-time tokens in the memory of one process: sharded, bounded, forgetting what expired.

public import JOSE
import JOSEBytes
import Synchronization

/// A replay store in memory, for a provider that runs on one machine.
///
/// Entries live until they expire. Two bounds refuse further ones: the store's, and each issuer's, so that one client
/// cannot lock out the others. Restarting forgets: keep assertions short-lived.
public final class MemoryReplayStore: ReplayStore {
    private let shards: [Shard]
    private let issuers: IssuerCounts
    private let entryCount = Atomic<Int>(0)
    private let capacity: Int
    private let quota: Int

    /// An empty store.
    ///
    /// - Parameters:
    ///   - capacity: The most entries, about 150 bytes each.
    ///   - quota: The most entries of one issuer.
    public init(capacity: Int = 1_000_000, quota: Int = 100_000) {
        self.capacity = max(capacity, 1)
        self.quota = max(quota, 1)
        shards = (0..<16).map { _ in Shard() }
        issuers = IssuerCounts()
    }

    /// The number of entries, those that expired but were not swept yet among them.
    public var count: Int { entryCount.load(ordering: .relaxed) }

    /// Claims a use; see `ReplayStore.claim(_:at:)`.
    ///
    /// Costs one digest and two short locks; an entry that expired is dropped by a later claim.
    public func claim(_ use: OneTimeUse, at now: NumericDate) async throws(ReplayFault) {
        try claimNow(use, at: now)
    }

    /// The same without waiting.
    public func claimNow(_ use: OneTimeUse, at now: NumericDate) throws(ReplayFault) {
        let name: ReplayName
        do {
            name = ReplayName(try use.name())
        } catch {
            throw .unavailable
        }
        sweepOne(now, besides: name.shard)
        let issuer = issuers.counter(use.issuer)
        let reservation = Reservation(total: capacity, quota: quota)
        let outcome = shards[name.shard].claim(name, use.expires, issuer, now) { dropped in
            drop(dropped)
        } reserve: {
            reservation.take(entryCount, issuer)
        }
        if let outcome { throw outcome }
    }

    private func drop(_ entries: [Shard.Entry]) {
        entryCount.subtract(entries.count, ordering: .relaxed)
        for entry in entries { entry.issuer.count.subtract(1, ordering: .relaxed) }
    }

    /// Sweeps every shard in turn when the store is nearly full, as a shard that is not used keeps what expired.
    private func sweepOne(_ now: NumericDate, besides: Int) {
        guard entryCount.load(ordering: .relaxed) >= capacity else { return }
        for (index, shard) in shards.enumerated() where index != besides { drop(shard.sweep(now)) }
    }
}

/// A name of 32 bytes as four words: no allocation, hashed by Swift's seeded hasher.
private struct ReplayName: Hashable {
    let a: UInt64
    let b: UInt64
    let c: UInt64
    let d: UInt64

    init(_ bytes: [UInt8]) {
        func word(_ at: Int) -> UInt64 {
            var value: UInt64 = 0
            for index in at..<(at + 8) { value = value << 8 | UInt64(bytes[index]) }
            return value
        }
        (a, b, c, d) = (word(0), word(8), word(16), word(24))
    }

    var shard: Int { Int(a & 15) }
}

/// Room in the store and in an issuer's quota, taken together or not at all.
private struct Reservation {
    let total: Int
    let quota: Int

    func take(_ all: borrowing Atomic<Int>, _ issuer: IssuerCount) -> ReplayFault? {
        guard issuer.count.add(1, ordering: .relaxed).newValue <= quota else {
            issuer.count.subtract(1, ordering: .relaxed)
            return .quotaExceeded
        }
        guard all.add(1, ordering: .relaxed).newValue <= total else {
            all.subtract(1, ordering: .relaxed)
            issuer.count.subtract(1, ordering: .relaxed)
            return .full
        }
        return nil
    }
}

/// How many entries an issuer has.
private final class IssuerCount: Sendable {
    let count = Atomic<Int>(0)
}

private final class IssuerCounts: Sendable {
    private let table = Lock<[String: IssuerCount]>([:])

    func counter(_ issuer: String) -> IssuerCount {
        table.withLock { table in
            if let known = table[issuer] { return known }
            // Issuers come and go; those without entries make room.
            if table.count >= 4_096 {
                table = table.filter { $0.value.count.load(ordering: .relaxed) > 0 }
            }
            let made = IssuerCount()
            table[issuer] = made
            return made
        }
    }
}

/// A part of the names, with a heap of what expires first.
private final class Shard: Sendable {
    struct Entry: Sendable {
        let expires: NumericDate
        let name: ReplayName
        let issuer: IssuerCount
    }

    private struct State: Sendable {
        var names: Set<ReplayName> = []
        var heap: [Entry] = []
        /// The latest time that was seen: what expired before it may be forgotten, so it is refused.
        var latest = NumericDate.earliest
    }
    private let state = Lock(State())

    /// Nil for the one caller that wins.
    func claim(
        _ name: ReplayName, _ expires: NumericDate, _ issuer: IssuerCount, _ now: NumericDate,
        dropping: ([Entry]) -> Void, reserve: () -> ReplayFault?
    ) -> ReplayFault? {
        state.withLock { state in
            dropping(Shard.sweep(&state, now))
            guard expires > state.latest, !state.names.contains(name) else { return .used }
            if let fault = reserve() { return fault }
            state.names.insert(name)
            Shard.push(&state.heap, Entry(expires: expires, name: name, issuer: issuer))
            return nil
        }
    }

    func sweep(_ now: NumericDate) -> [Entry] {
        state.withLock { Shard.sweep(&$0, now) }
    }

    private static func sweep(_ state: inout State, _ now: NumericDate) -> [Entry] {
        state.latest = max(state.latest, now)
        var dropped: [Entry] = []
        while let first = state.heap.first, first.expires <= state.latest {
            state.names.remove(first.name)
            dropped.append(first)
            pop(&state.heap)
        }
        return dropped
    }

    private static func push(_ heap: inout [Entry], _ entry: Entry) {
        heap.append(entry)
        var at = heap.count - 1
        while at > 0, heap[at].expires < heap[(at - 1) / 2].expires {
            heap.swapAt(at, (at - 1) / 2)
            at = (at - 1) / 2
        }
    }

    private static func pop(_ heap: inout [Entry]) {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var at = 0
        while true {
            var least = at
            for child in [2 * at + 1, 2 * at + 2]
            where child < heap.count && heap[child].expires < heap[least].expires {
                least = child
            }
            if least == at { return }
            heap.swapAt(at, least)
            at = least
        }
    }
}
