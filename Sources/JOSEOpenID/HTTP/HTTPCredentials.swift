// The two parts of an Authorization header.

/// A scheme and what stands behind it (RFC 9110, 11.4).
enum HTTPCredentials {
    /// What stands behind the spaces that follow the scheme; nil for another scheme.
    ///
    /// - Parameter scheme: Its name in lower case; the header may have it in any.
    ///
    /// Byte by byte: a header is not ours, and Swift's characters cost twenty times as much.
    static func behind(scheme: StaticString, of header: String) -> [UInt8]? {
        let wanted = scheme.description.utf8
        let named = header.utf8.prefix(wanted.count)
        let rest = header.utf8.dropFirst(wanted.count)
        // The names are letters, and no other byte becomes one by this.
        guard named.lazy.map({ $0 | 0x20 }).elementsEqual(wanted),
            rest.first == nil || rest.first == 0x20
        else { return nil }
        return Array(rest.drop { $0 == 0x20 })
    }
}
