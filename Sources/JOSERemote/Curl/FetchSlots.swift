// Bounds the concurrent requests of a transport, in total and for each host.

import JOSE
import JOSEBytes
import Synchronization

final class FetchSlots: Sendable {
    enum Bound { case all, host }

    private struct State {
        var count = 0
        var hosts: [ExactString: Int] = [:]
    }

    private let state = Lock(State())

    /// Counts a fetch and returns nil, or returns the bound that it would exceed. Call `giveBack`
    /// when a counted fetch ends.
    func take(_ host: String, max: Int, maxPerHost: Int) -> Bound? {
        state.withLock { state in
            let hostCount = state.hosts[ExactString(host)] ?? 0
            guard state.count < max else { return .all }
            guard hostCount < maxPerHost else { return .host }
            state.count += 1
            state.hosts[ExactString(host)] = hostCount + 1
            return nil
        }
    }

    func giveBack(_ host: String) {
        state.withLock { state in
            let left = (state.hosts[ExactString(host)] ?? 1) - 1
            state.count -= 1
            state.hosts[ExactString(host)] = left > 0 ? left : nil
        }
    }
}
