// How many documents are being fetched at a time, in all and from each host: others choose how many
// are asked for.

import JOSE
import JOSEBytes
import Synchronization

/// The fetches of a transport that are under way.
final class FetchSlots: Sendable {
    /// Which bound a fetch would pass.
    enum Bound { case all, host }

    private struct State {
        var count = 0
        /// A host comes with its first fetch and goes with its last.
        var hosts: [ExactString: Int] = [:]
    }

    private let state = Lock(State())

    /// Counts a fetch; nil where it may begin, else the bound that it would pass. Each that began
    /// is to be given back.
    func take(_ host: String, atMost most: Int, fromHost maxOfHost: Int) -> Bound? {
        state.withLock { state in
            let theirs = state.hosts[ExactString(host)] ?? 0
            guard state.count < most else { return .all }
            guard theirs < maxOfHost else { return .host }
            state.count += 1
            state.hosts[ExactString(host)] = theirs + 1
            return nil
        }
    }

    /// Counts the end of a fetch.
    func giveBack(_ host: String) {
        state.withLock { state in
            let left = (state.hosts[ExactString(host)] ?? 1) - 1
            state.count -= 1
            state.hosts[ExactString(host)] = left > 0 ? left : nil
        }
    }
}
