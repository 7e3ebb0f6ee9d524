// What an explanation says of the keys that were looked at.

import JOSEBytes

extension Trace {
    /// What each key says to the algorithm.
    func keys(_ fits: [(keyID: String?, fit: KeyFit)]) {
        for (keyID, fit) in fits {
            let name =
                keyID.map { "key '\(printable($0, atMost: 80))'" }
                ?? "a key without kid"
            note(
                .key, fit == .fits ? "\(name) is eligible" : "\(name) skipped: \(fit.error.message)"
            )
        }
    }
}
