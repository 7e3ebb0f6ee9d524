// One-time tokens in the memory of one process: sharded, bounded, forgetting what expired.

public import JOSE
import JOSEBytes
import Synchronization

/// A replay store in memory, for a provider that runs on one machine.
///
/// Entries live until they expire. Two bounds reject further ones: the store's, and each issuer's, so that one client
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

    /// The number of issuers that are counted: those that have entries, and no others.
    package var issuerCount: Int { issuers.count }

    /// Claims a use; see `ReplayStore.claim(_:at:)`.
    ///
    /// Costs one digest and two short locks, however many issuers there are; an entry that expired is dropped by a later
    /// claim, at the latest by one that it would reject.
    public func claim(_ use: ReplayEntry, at now: NumericDate) async throws(ReplayStoreError) {
        try claimNow(use, at: now)
    }

    /// The same without waiting.
    ///
    /// - Parameters:
    ///   - use: What is used.
    ///   - now: The time to judge by; the system's clock where none is given.
    public func claimNow(_ use: ReplayEntry, at now: NumericDate? = nil) throws(ReplayStoreError) {
        let now = now ?? .now
        let name: ReplayName
        do {
            name = ReplayName(try use.name())
        } catch {
            throw .unavailable
        }
        if entryCount.load(ordering: .relaxed) >= capacity { sweep(now, besides: name.shard) }
        var outcome = claim(name, use, now)
        // What ended counts until it is swept, and shards that are not used are not.
        if outcome == .quotaExceeded, sweep(now, besides: name.shard) {
            outcome = claim(name, use, now)
        }
        if let outcome { throw outcome }
    }

    /// Nil for the one caller that wins.
    private func claim(_ name: ReplayName, _ use: ReplayEntry, _ now: NumericDate)
        -> ReplayStoreError?
    {
        shards[name.shard].claim(name, use.expires, now) { dropped in
            drop(dropped)
        } reserve: { () throws(ReplayStoreError) in
            try reserve(use.issuer)
        }
    }

    /// Room in the store and in an issuer's quota, taken together or not at all.
    private func reserve(_ issuer: String) throws(ReplayStoreError) -> IssuerCount {
        let issuer = try issuers.take(ExactString(issuer), atMost: quota)
        guard entryCount.add(1, ordering: .relaxed).newValue <= capacity else {
            entryCount.subtract(1, ordering: .relaxed)
            issuers.give(CollectionOfOne(issuer))
            throw .full
        }
        return issuer
    }

    private func drop(_ entries: [Shard.Entry]) {
        guard !entries.isEmpty else { return }
        entryCount.subtract(entries.count, ordering: .relaxed)
        issuers.give(entries.lazy.map(\.issuer))
    }

    /// Sweeps every other shard, as one that is not used keeps what expired. Whether there was anything.
    @discardableResult
    private func sweep(_ now: NumericDate, besides: Int) -> Bool {
        var isAny = false
        for (index, shard) in shards.enumerated() where index != besides {
            let dropped = shard.sweep(now)
            drop(dropped)
            if !dropped.isEmpty { isAny = true }
        }
        return isAny
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

    /// Of one word: they are of a digest, so that names which share it are not to be had by the dozen.
    func hash(into hasher: inout Hasher) { hasher.combine(b) }
}

/// An issuer with entries, and how many; changed under the lock of the table that it is in.
private final class IssuerCount: Sendable {
    /// Bytes: two spellings of one text are two issuers, as they are to whoever compares `iss`.
    let name: ExactString
    let count = Atomic<Int>(0)

    init(_ name: ExactString) { self.name = name }
}

/// The issuers that have entries. One comes with its first and goes with its last, so that nothing is ever looked through.
private final class IssuerCounts: Sendable {
    private let table = Lock<[ExactString: IssuerCount]>([:])

    var count: Int { table.withLock { $0.count } }

    /// Counts an entry more.
    func take(_ issuer: ExactString, atMost quota: Int) throws(ReplayStoreError) -> IssuerCount {
        let taken: IssuerCount? = table.withLock { table in
            let known = table[issuer]
            let counter = known ?? IssuerCount(issuer)
            let count = counter.count.load(ordering: .relaxed)
            guard count < quota else { return nil }
            counter.count.store(count + 1, ordering: .relaxed)
            if known == nil { table[issuer] = counter }
            return counter
        }
        guard let taken else { throw .quotaExceeded }
        return taken
    }

    /// Counts an entry less for each.
    func give(_ counters: some Sequence<IssuerCount>) {
        table.withLock { table in
            for counter in counters
            where counter.count.subtract(1, ordering: .relaxed).newValue == 0 {
                table[counter.name] = nil
            }
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
        /// The latest time that was seen: what expired before it may be forgotten, so it is rejected.
        var latest = NumericDate.earliest
    }
    private let state = Lock(State())

    /// Nil for the one caller that wins.
    func claim(
        _ name: ReplayName, _ expires: NumericDate, _ now: NumericDate,
        dropping: ([Entry]) -> Void, reserve: () throws(ReplayStoreError) -> IssuerCount
    ) -> ReplayStoreError? {
        state.withLock { state in
            dropping(Shard.sweep(&state, now))
            guard expires > state.latest, state.names.insert(name).inserted else { return .used }
            let issuer: IssuerCount
            do throws(ReplayStoreError) {
                issuer = try reserve()
            } catch {
                state.names.remove(name)
                return error
            }
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
