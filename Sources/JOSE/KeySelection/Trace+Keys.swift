// The keys in an explanation.

import JOSEBytes

extension Trace {
    /// Records each key with its error, which is nil for an eligible key.
    ///
    /// - Parameter skipped: The number of skipped entries, which were reported before.
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
