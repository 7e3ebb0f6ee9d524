// The web client, which your service already has.

import CWeb
import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A received response.
package struct WebReply: Sendable {
    package let status: Int
    /// Every header line in order, names in lower case.
    package let headers: [(name: String, value: String)]
    package let body: String

    /// Returns the first value of a header.
    package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// Sends requests over HTTPS without following redirects.
package struct WebClient: Sendable {
    private let authorities: String?

    /// - Parameter authorities: The path of a PEM file; nil for the CAs of the system.
    package init(authorities: String?) { self.authorities = authorities }

    /// Sends a GET, or a POST if there is a form.
    ///
    /// - Throws: `WebError` without a response.
    package func send(
        _ url: String, headers: [(name: String, value: String)] = [], form: String? = nil
    ) async throws -> WebReply {
        let lines = headers.map { "\($0.name): \($0.value)" }
        // The call blocks, so it runs on another thread.
        let reply = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: perform(url, lines, form))
            }
        }
        guard reply.status > 0 else { throw WebError("no response from \(url)") }
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
                { context, bytes, count in Received.from(context)?.pointee.take(bytes, count) },
                { context, bytes, count in
                    Received.from(context)?.pointee.body
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

    static func from(_ context: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<Received>? {
        context?.assumingMemoryBound(to: Received.self)
    }

    mutating func take(_ bytes: UnsafeRawPointer?, _ count: Int) {
        let line = UnsafeRawBufferPointer(start: bytes, count: count)
        // Header names are ASCII. Lowercasing others could produce another name.
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
