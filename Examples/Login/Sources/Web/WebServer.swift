// The web server, which your service already has: requests and responses are values.

import CWeb
package import JOSE
package import JOSEOpenID

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A received request.
package struct WebRequest: Sendable {
    package let method: String
    /// The path, without the query.
    package let path: String
    /// The query, not decoded: the library must check the original text.
    package let query: String
    /// Every header line in order, names in lower case.
    package let headers: [(name: String, value: String)]
    /// The body; empty if it is not UTF-8.
    package let body: String

    /// Returns the value of a header; nil if it is absent or repeated.
    package func header(_ name: String) -> String? {
        let values = values(name)
        return values.count == 1 ? values[0] : nil
    }

    /// Returns all values of a header, in order.
    package func values(_ name: String) -> [String] {
        headers.filter { $0.name == name }.map(\.value)
    }

    /// The path with the query, not decoded.
    package var target: String { query.isEmpty ? path : path + "?" + query }

    /// Returns the cookie of this name; nil if it is repeated, or if the line is not printable
    /// ASCII.
    ///
    /// Compares bytes as browsers do. Swift treats U+037E as a semicolon, so a script that may set
    /// one cookie could otherwise set all.
    package func cookie(_ name: String) -> String? {
        guard let line = header("cookie")?.utf8, line.allSatisfy({ 0x20...0x7e ~= $0 }) else {
            return nil
        }
        let start = Array((name + "=").utf8)
        let values = line.split(separator: UInt8(ascii: ";"))
            .map { $0.drop { $0 == UInt8(ascii: " ") } }
            .filter { $0.starts(with: start) }
        return values.count == 1 ? String(values[0].dropFirst(start.count)) : nil
    }
}

/// An HTTPS server on the loopback address.
package enum WebServer {
    /// Starts the server. It runs until the process ends.
    ///
    /// - Parameters:
    ///   - port: The port.
    ///   - certificates: The server's certificates, PEM.
    ///   - key: Their key, PEM.
    ///   - response: Makes the response; called concurrently. Errors are logged, and become a page
    ///     with status 500.
    /// - Throws: `WebError` if the port cannot be opened or the PEM is invalid.
    package static func start(
        port: UInt16, certificates: String, key: String,
        response: @escaping @Sendable (WebRequest) async throws -> OpenIDHTTPResponse
    ) throws {
        let handler = Unmanaged.passRetained(Handler(response))
        let failure = web_serve(
            port, certificates, key,
            { context, exchange in
                guard let context, let exchange else { return }
                Unmanaged<Handler>.fromOpaque(context).takeUnretainedValue().start(exchange)
            }, handler.toOpaque())
        guard failure != WEB_NO_TLS else {
            throw WebError("the TLS certificate and its key are not PEM, or do not match")
        }
        guard failure == 0 else {
            throw WebError("port \(port): \(String(cString: strerror(failure)))")
        }
    }

    /// Waits until the process ends.
    package static func wait() async throws {
        while true { try await Task.sleep(for: .seconds(3_600)) }
    }
}

/// Writes one line of the log. Errors of the library contain no tokens; untrusted text is escaped.
package func note(_ line: String) {
    let line = Array(logLine(line).utf8) + [0x0a]
    _ = write(STDOUT_FILENO, line, line.count)
}

/// Writes several trusted lines, such as the usage.
package func note(lines: String) {
    for line in lines.split(separator: "\n") { note(String(line)) }
}

/// Writes an event of the remote side's keys.
package func note(_ event: any JOSEEvent, of side: String) {
    note("\(side) keys: \(event)")
}

/// An error for the log.
package struct WebError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// The pointer of an exchange. Unchecked: C allows the response from any one thread.
private struct Exchange: @unchecked Sendable { let pointer: OpaquePointer }

private final class Handler: Sendable {
    private let response: @Sendable (WebRequest) async throws -> OpenIDHTTPResponse

    init(_ response: @escaping @Sendable (WebRequest) async throws -> OpenIDHTTPResponse) {
        self.response = response
    }

    /// Copies the request, which is valid during this call, and responds in a task.
    func start(_ pointer: OpaquePointer) {
        let (exchange, request) = (Exchange(pointer: pointer), WebRequest(pointer))
        Task {
            do {
                send(try await response(request), exchange)
            } catch {
                note("\(request.path) failed: \(error)")
                let page = try? OpenIDHTTPResponse.page(
                    "This does not work now", "<p>The log of the server says why.</p>", status: 500)
                guard let page else { return web_respond(exchange.pointer, 500, [nil], "", 0) }
                send(page, exchange)
            }
        }
    }

    private func send(_ response: OpenIDHTTPResponse, _ exchange: Exchange) {
        var lines = response.headers.flatMap { [strdup($0.name), strdup($0.value)] }
        defer { lines.forEach { free($0) } }
        var constant = lines.map { UnsafePointer($0) } + [nil]
        lines.append(nil)
        var body = response.body
        body.withUTF8 { bytes in
            web_respond(
                exchange.pointer, UInt32(response.status), &constant, bytes.baseAddress, bytes.count
            )
        }
    }
}

extension WebRequest {
    fileprivate init(_ exchange: OpaquePointer) {
        method = String(cString: web_method(exchange))
        let target = String(cString: web_target(exchange)).utf8
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        self.path = String(path) ?? ""
        query = String(target.dropFirst(path.count + 1)) ?? ""
        var count = 0
        let bytes = UnsafeRawBufferPointer(start: web_body(exchange, &count), count: count)
        body = String(validating: bytes, as: UTF8.self) ?? ""
        var headers: [(name: String, value: String)] = []
        withUnsafeMutablePointer(to: &headers) { headers in
            web_each_header(
                exchange,
                { context, name, value in
                    guard let name, let value else { return }
                    let isASCII = String(cString: name).utf8.allSatisfy { $0 < 0x80 }
                    guard isASCII else { return }
                    context?.assumingMemoryBound(to: [(name: String, value: String)].self).pointee
                        .append((String(cString: name).lowercased(), String(cString: value)))
                }, headers)
        }
        self.headers = headers
    }
}
