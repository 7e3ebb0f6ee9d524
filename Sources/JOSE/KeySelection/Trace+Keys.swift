// What an explanation says of the keys that were looked at.

import JOSEBytes

extension Trace {
    /// What each key says against the algorithm; nil where it is eligible.
    ///
    /// - Parameter skipped: How many entries of the set were reported as skipped, and are not here.
    func keys(_ rejections: [(keyID: String?, error: JOSEError?)], skipped: Int = 0) {
        if rejections.isEmpty, skipped == 0 { note(.key, "there is no key") }
        for (keyID, error) in rejections {
            let name =
                keyID.map { "key '\(printable($0, atMost: 80))'" }
                ?? "a key without kid"
            note(.key, error.map { "\(name) skipped: \($0.message)" } ?? "\(name) is eligible")
        }
    }
}
