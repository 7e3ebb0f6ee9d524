// A store of pushed requests in the memory of one process.

public import JOSE
import JOSEBytes
import Synchronization

/// A store of pushed requests for a provider on one machine.
///
/// The store has a total capacity and a quota for each client, so that a client cannot block the
/// others. A restart loses all requests, and their users must start again.
public final class MemoryPushedRequestStore: PushedRequestStore {
    private struct Entry {
        let request: PushedRequest
        let weight: Int
    }

    private struct State {
        var entries: [ExactString: Entry] = [:]
        /// The total weight of each client's requests. A client without requests has no entry.
        var clients: [ExactString: Int] = [:]
        var weight = 0
        /// No stored request expires before this time.
        var earliestExpiry = NumericDate.latest
        /// The second of the last sweep.
        var sweptAt: Int64?
    }

    private let state = Lock(State())
    private let capacity: Int
    private let quota: Int

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of requests of up to 4 KiB. Larger requests count as
    ///     several.
    ///   - quota: The maximum number for one client, counted in the same way.
    public init(capacity: Int = 16_384, quota: Int = 2_048) {
        self.capacity = max(capacity, 1)
        self.quota = max(quota, 1)
    }

    /// The number of stored requests, including expired ones that are not yet removed.
    public var count: Int { state.withLock { $0.entries.count } }

    /// Stores a request; see `PushedRequestStore.store(_:at:)`. Removes expired requests, at most
    /// once a second.
    public func store(
        _ request: PushedRequest, at now: NumericDate
    ) async throws(PushedRequestStoreError) {
        let entry = Entry(request: request, weight: max(1, (request.byteCount + 4_095) / 4_096))
        let failure: PushedRequestStoreError? = state.withLock { state in
            MemoryPushedRequestStore.sweep(&state, now)
            let clientWeight = state.clients[ExactString(request.clientID)] ?? 0
            guard clientWeight + entry.weight <= quota else { return .quotaExceeded }
            guard state.weight + entry.weight <= capacity else { return .full }
            MemoryPushedRequestStore.drop(request.reference, &state)
            state.entries[ExactString(request.reference)] = entry
            state.clients[ExactString(request.clientID), default: 0] += entry.weight
            state.weight += entry.weight
            state.earliestExpiry = min(state.earliestExpiry, request.expires)
            return nil
        }
        if let failure { throw failure }
    }

    /// Finds a request; see `PushedRequestStore.find(_:at:)`.
    public func find(
        _ reference: String, at now: NumericDate
    ) async throws(PushedRequestStoreError) -> PushedRequest? {
        state.withLock { state in
            guard let entry = state.entries[ExactString(reference)], now < entry.request.expires
            else {
                return nil
            }
            return entry.request
        }
    }

    /// Removes a request; see `PushedRequestStore.remove(_:at:)`.
    public func remove(
        _ reference: String, at now: NumericDate
    ) async throws(PushedRequestStoreError) {
        state.withLock { MemoryPushedRequestStore.drop(reference, &$0) }
    }

    private static func drop(_ reference: String, _ state: inout State) {
        guard let entry = state.entries.removeValue(forKey: ExactString(reference)) else { return }
        state.weight -= entry.weight
        let client = ExactString(entry.request.clientID)
        let left = (state.clients[client] ?? 0) - entry.weight
        state.clients[client] = left > 0 ? left : nil
    }

    private static func sweep(_ state: inout State, _ now: NumericDate) {
        guard state.earliestExpiry <= now, state.sweptAt != now.seconds else { return }
        state.sweptAt = now.seconds
        var first = NumericDate.latest
        var ended: [String] = []
        for (reference, entry) in state.entries {
            if entry.request.expires <= now {
                ended.append(reference.text)
            } else {
                first = min(first, entry.request.expires)
            }
        }
        state.earliestExpiry = first
        for reference in ended { drop(reference, &state) }
    }
}
