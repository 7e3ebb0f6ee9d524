// What an explanation says of the keys that were looked at.

import JOSEBytes

extension Trace {
    /// What each key says against the algorithm; nil where it is eligible.
    func keys(_ refusals: [(keyID: String?, error: JOSEError?)]) {
        if refusals.isEmpty { note(.key, "there is no key to look at") }
        for (keyID, error) in refusals {
            let name =
                keyID.map { "key '\(printable($0, atMost: 80))'" }
                ?? "a key without kid"
            note(.key, error.map { "\(name) skipped: \($0.message)" } ?? "\(name) is eligible")
        }
    }
}
