// A replay store in memory, with a maximum size and quotas.

public import JOSE
import JOSEBytes
import Synchronization

/// A replay store in memory, for a service that runs in one process.
///
/// Entries are stored until they expire. A full store rejects new entries. Each
/// `ReplayEntry.issuer`, such as the client that sent an assertion, has a quota, so that one client
/// cannot lock out the others. A restart loses the entries: keep assertions short-lived.
public final class MemoryReplayStore: ReplayStore {
    private let shards: [Shard]
    private let issuers: IssuerCounts
    private let entryCount = Atomic<Int>(0)
    private let capacity: Int
    private let quota: Int

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of entries. An entry takes about 150 bytes.
    ///   - quota: The maximum number of entries with the same `ReplayEntry.issuer`.
    public init(capacity: Int = 1_000_000, quota: Int = 100_000) {
        self.capacity = max(capacity, 1)
        self.quota = max(quota, 1)
        shards = (0..<16).map { _ in Shard() }
        issuers = IssuerCounts()
    }

    /// The number of entries, including expired ones that are not removed yet.
    public var count: Int { entryCount.load(ordering: .relaxed) }

    package var issuerCount: Int { issuers.count }

    /// Records the use of a token; see `ReplayStore.markUsed(_:at:)`.
    ///
    /// Costs one digest, two short locks and the removal of expired entries. Each removal costs the
    /// logarithm of the number of entries. A call removes the expired entries of one of the 16
    /// shards. If the store is full or the quota is used up, the call removes those of all shards.
    /// Expired entries therefore never cause `full` or `quotaExceeded`.
    public func markUsed(_ use: ReplayEntry, at now: NumericDate) async throws(ReplayStoreError) {
        try markUsedNow(use, at: now)
    }

    /// Records the use of a token without suspending.
    ///
    /// - Parameters:
    ///   - use: The token's entry.
    ///   - now: The current time; the system clock by default.
    /// - Throws: The errors of `markUsed(_:at:)`.
    public func markUsedNow(_ use: ReplayEntry, at now: NumericDate? = nil) throws(ReplayStoreError)
    {
        let now = now ?? .now
        let digest: ReplayDigest
        do {
            digest = ReplayDigest(try use.digest())
        } catch {
            throw .unavailable
        }
        if entryCount.load(ordering: .relaxed) >= capacity { sweep(now, except: digest.shard) }
        var outcome = markUsed(digest, use, now)
        // Expired entries in other shards count towards the quota until they are removed.
        if outcome == .quotaExceeded, sweep(now, except: digest.shard) {
            outcome = markUsed(digest, use, now)
        }
        if let outcome { throw outcome }
    }

    /// Returns nil for the first use.
    private func markUsed(
        _ digest: ReplayDigest, _ use: ReplayEntry, _ now: NumericDate
    ) -> ReplayStoreError? {
        shards[digest.shard].markUsed(digest, use.expires, now) { dropped in
            drop(dropped)
        } reserve: { () throws(ReplayStoreError) in
            try reserve(use.issuer)
        }
    }

    /// Reserves one entry of the capacity and of the issuer's quota; reserves neither if it throws.
    private func reserve(_ issuer: String) throws(ReplayStoreError) -> IssuerCount {
        let counter = try issuers.add(ExactString(issuer), atMost: quota)
        guard entryCount.add(1, ordering: .relaxed).newValue <= capacity else {
            entryCount.subtract(1, ordering: .relaxed)
            issuers.subtract(CollectionOfOne(counter))
            throw .full
        }
        return counter
    }

    private func drop(_ entries: [Shard.Entry]) {
        guard !entries.isEmpty else { return }
        entryCount.subtract(entries.count, ordering: .relaxed)
        issuers.subtract(entries.lazy.map(\.issuer))
    }

    /// Removes the expired entries of all shards but `skipped`. Returns whether there were any.
    @discardableResult
    private func sweep(_ now: NumericDate, except skipped: Int) -> Bool {
        var isAny = false
        for (index, shard) in shards.enumerated() where index != skipped {
            let dropped = shard.sweep(now)
            drop(dropped)
            if !dropped.isEmpty { isAny = true }
        }
        return isAny
    }
}

/// The digest of a `ReplayEntry` as four integers, which need no allocation.
private struct ReplayDigest: Hashable {
    let a: UInt64
    let b: UInt64
    let c: UInt64
    let d: UInt64

    init(_ bytes: [UInt8]) {
        func integer(_ at: Int) -> UInt64 {
            var value: UInt64 = 0
            for index in at..<(at + 8) { value = value << 8 | UInt64(bytes[index]) }
            return value
        }
        (a, b, c, d) = (integer(0), integer(8), integer(16), integer(24))
    }

    var shard: Int { Int(a & 15) }

    /// Hashes only the 64 bits of `b`. A pair of digests with the same `b` costs an attacker about
    /// 2^32 digests and slows a lookup by one comparison. Many such digests are infeasible to find.
    func hash(into hasher: inout Hasher) { hasher.combine(b) }
}

/// An issuer and the number of its entries, which changes only under the lock of `IssuerCounts`.
private final class IssuerCount: Sendable {
    let name: ExactString
    let count = Atomic<Int>(0)

    init(_ name: ExactString) { self.name = name }
}

/// The issuers that have entries. Removing an issuer's last entry removes the issuer.
private final class IssuerCounts: Sendable {
    private let table = Lock<[ExactString: IssuerCount]>([:])

    var count: Int { table.withLock { $0.count } }

    func add(_ issuer: ExactString, atMost quota: Int) throws(ReplayStoreError) -> IssuerCount {
        let added: IssuerCount? = table.withLock { table in
            let known = table[issuer]
            let counter = known ?? IssuerCount(issuer)
            let count = counter.count.load(ordering: .relaxed)
            guard count < quota else { return nil }
            counter.count.store(count + 1, ordering: .relaxed)
            if known == nil { table[issuer] = counter }
            return counter
        }
        guard let added else { throw .quotaExceeded }
        return added
    }

    func subtract(_ counters: some Sequence<IssuerCount>) {
        table.withLock { table in
            for counter in counters
            where counter.count.subtract(1, ordering: .relaxed).newValue == 0 {
                table[counter.name] = nil
            }
        }
    }
}

/// One of 16 parts of the store: its digests, and a heap of entries ordered by expiry.
private final class Shard: Sendable {
    struct Entry: Sendable {
        let expires: NumericDate
        let digest: ReplayDigest
        let issuer: IssuerCount
    }

    private struct State: Sendable {
        var digests: Set<ReplayDigest> = []
        var heap: [Entry] = []
        /// The latest `now` of any call. Entries that expired by then may be removed. A use that
        /// expires by then is therefore rejected: it may be a replay.
        var latest = NumericDate.earliest
    }
    private let state = Lock(State())

    func markUsed(
        _ digest: ReplayDigest, _ expires: NumericDate, _ now: NumericDate,
        dropping: ([Entry]) -> Void, reserve: () throws(ReplayStoreError) -> IssuerCount
    ) -> ReplayStoreError? {
        state.withLock { state in
            dropping(Shard.sweep(&state, now))
            guard expires > state.latest, state.digests.insert(digest).inserted else {
                return .used
            }
            let issuer: IssuerCount
            do throws(ReplayStoreError) {
                issuer = try reserve()
            } catch {
                state.digests.remove(digest)
                return error
            }
            Shard.push(&state.heap, Entry(expires: expires, digest: digest, issuer: issuer))
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
            state.digests.remove(first.digest)
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
