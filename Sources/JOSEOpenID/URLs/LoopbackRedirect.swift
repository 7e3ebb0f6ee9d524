// The redirect URI of a native app that listens on the loopback interface (RFC 8252, 7.3).

import JOSE
import JOSEBytes

struct LoopbackRedirect {
    /// `127.0.0.1` or `[::1]` in exactly this spelling; `localhost` is rejected (RFC 8252, 8.3).
    private let host: String
    private let rest: String

    init?(_ text: String) {
        for host in ["127.0.0.1", "[::1]"] {
            guard let tail = text.removingPrefix("http://" + host) else { continue }
            let bytes = tail.utf8.span
            guard text.utf8.count <= 2_048, URLRanges.isClean(bytes) else { return nil }
            var at = 0
            if !bytes.isEmpty, bytes[0] == UInt8(ascii: ":") {
                at = bytes.index(of: UInt8(ascii: "/"), in: 1..<bytes.count)
                guard URLRanges.port(bytes.extracting(1..<at)) != nil else { return nil }
            }
            // Reject `127.0.0.1.evil.example` and `127.0.0.1@evil.example`, which have other hosts.
            guard at < bytes.count, bytes[at] == UInt8(ascii: "/") else { return nil }
            self.host = host
            rest = String(copying: bytes.extracting(at..<bytes.count))
            return
        }
        return nil
    }

    /// Whether both are loopback URLs and equal apart from the port.
    static func areSame(_ registered: String, _ sent: String) -> Bool {
        guard let registered = LoopbackRedirect(registered), let sent = LoopbackRedirect(sent)
        else { return false }
        return registered.host.isExactly(sent.host) && registered.rest.isExactly(sent.rest)
    }
}
