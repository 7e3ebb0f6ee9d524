// The web client that your service has already: one request, one answer.

import CWeb
import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An answer that came back.
package struct WebReply: Sendable {
    package let status: Int
    /// Every header line in order, names in lower case.
    package let headers: [(name: String, value: String)]
    package let body: String

    /// The first value of a header.
    package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// Sends requests over HTTPS: no redirect is followed, and named CAs alone are trusted.
package struct WebClient: Sendable {
    private let authorities: String?

    /// - Parameter authorities: The path of a PEM file; nil for the CAs of the system.
    package init(authorities: String?) { self.authorities = authorities }

    /// Sends a GET, or a POST where there is a form.
    ///
    /// - Throws: `WebError` where no answer comes.
    package func send(
        _ url: String, headers: [(name: String, value: String)] = [], form: String? = nil
    ) async throws -> WebReply {
        let lines = headers.map { "\($0.name): \($0.value)" }
        // The call blocks, so it has a thread of its own.
        let reply = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: perform(url, lines, form))
            }
        }
        guard reply.status > 0 else { throw WebError("no answer from \(url)") }
        return reply
    }

    private func perform(_ url: String, _ lines: [String], _ form: String?) -> WebReply {
        let copies = lines.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        var constant = copies.map { UnsafePointer($0) } + [nil]
        var received = Received()
        let status = withUnsafeMutablePointer(to: &received) { received in
            web_send(
                url, form, &constant, authorities,
                { acr, bytes, count in Received.from(acr)?.pointee.take(bytes, count) },
                { acr, bytes, count in
                    Received.from(acr)?.pointee.body
                        .append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
                }, received)
        }
        return WebReply(
            status: status, headers: received.headers,
            body: String(validating: received.body, as: UTF8.self) ?? "")
    }
}

private struct Received {
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []

    static func from(_ acr: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<Received>? {
        acr?.assumingMemoryBound(to: Received.self)
    }

    mutating func take(_ bytes: UnsafeRawPointer?, _ count: Int) {
        let line = UnsafeRawBufferPointer(start: bytes, count: count)
        // A name that is no ASCII is no name: in lower case some would be another's.
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            line[..<colon].allSatisfy({ $0 < 0x80 })
        else { return }
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let value = line[(colon + 1)...].drop(while: isSpace).prefix { $0 != 0x0d && $0 != 0x0a }
        headers.append(
            (
                String(decoding: line[..<colon], as: UTF8.self).lowercased(),
                String(decoding: value, as: UTF8.self)
            ))
    }
}
