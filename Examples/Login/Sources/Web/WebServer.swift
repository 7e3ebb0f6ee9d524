// The web server that your service has already: requests as values in, answers as values out.

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

/// A request that came in.
package struct WebRequest: Sendable {
    package let method: String
    /// The path, without the query.
    package let path: String
    /// What stands behind the question mark, as it came: who checks it must see it as it came.
    package let query: String
    /// Every header line in order, names in lower case.
    package let headers: [(name: String, value: String)]
    /// The body where it is UTF-8, else empty.
    package let body: String

    /// The one value of a header; nil where it is absent or stands twice.
    package func header(_ name: String) -> String? {
        let values = values(name)
        return values.count == 1 ? values[0] : nil
    }

    /// Every value of a header, in order.
    package func values(_ name: String) -> [String] {
        headers.filter { $0.name == name }.map(\.value)
    }

    /// The path with the query, as it came.
    package var target: String { query.isEmpty ? path : path + "?" + query }

    /// The cookie of this name; nil where it stands twice, or where the line has other bytes than printable ASCII.
    ///
    /// By bytes, as browsers see it: to Swift's characters U+037E is a semicolon, so whoever may set any cookie could set all.
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

/// HTTPS on a port of this machine.
package enum WebServer {
    /// Answers requests from now on, until the process ends.
    ///
    /// - Parameters:
    ///   - port: The port.
    ///   - certificates: The server's certificates, PEM.
    ///   - key: Their key, PEM.
    ///   - answer: Makes the answer; called for many requests at once. What it throws is logged, and answered by a page with
    ///     status 500.
    /// - Throws: `WebError` where the port cannot be had or the PEM is no good.
    package static func start(
        port: UInt16, certificates: String, key: String,
        response: @escaping @Sendable (WebRequest) async throws -> OpenIDHTTPResponse
    ) throws {
        let handler = Unmanaged.passRetained(Handler(response))
        let failure = web_serve(
            port, certificates, key,
            { acr, exchange in
                guard let acr, let exchange else { return }
                Unmanaged<Handler>.fromOpaque(acr).takeUnretainedValue().start(exchange)
            }, handler.toOpaque())
        guard failure != WEB_NO_TLS else {
            throw WebError("the TLS certificate and its key are no PEM, or no pair")
        }
        guard failure == 0 else {
            throw WebError("port \(port): \(String(cString: strerror(failure)))")
        }
    }

    /// Waits for the end of the process.
    package static func wait() async throws {
        while true { try await Task.sleep(for: .seconds(3_600)) }
    }
}

/// Writes one line of the log. Errors of the library never hold token text; what the other side
/// said is shown escaped.
package func note(_ line: String) {
    let line = Array(logLine(line).utf8) + [0x0a]
    _ = write(STDOUT_FILENO, line, line.count)
}

/// Writes what is of this program alone, such as its usage, line by line.
package func note(lines: String) {
    for line in lines.split(separator: "\n") { note(String(line)) }
}

/// Writes what happened to the keys of the other side.
package func note(_ event: any JOSEEvent, of side: String) {
    note("\(side) keys: \(event)")
}

/// What went wrong, for the log.
package struct WebError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// The pointer of an exchange; unchecked, as C lets any one thread answer it.
private struct Exchange: @unchecked Sendable { let pointer: OpaquePointer }

private final class Handler: Sendable {
    private let response: @Sendable (WebRequest) async throws -> OpenIDHTTPResponse

    init(_ response: @escaping @Sendable (WebRequest) async throws -> OpenIDHTTPResponse) {
        self.response = response
    }

    /// Copies the request, which C lends for this call, and answers it elsewhere.
    func start(_ pointer: OpaquePointer) {
        let (exchange, request) = (Exchange(pointer: pointer), WebRequest(pointer))
        Task {
            do {
                send(try await response(request), exchange)
            } catch {
                note("\(request.path) failed: \(error)")
                let page = try? OpenIDHTTPResponse.page(
                    "This does not work now", "<p>The log of the server says why.</p>", status: 500)
                guard let page else { return web_response(exchange.pointer, 500, [nil], "", 0) }
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
            web_response(
                exchange.pointer, UInt32(response.status), &constant, bytes.baseAddress, bytes.count)
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
                { acr, name, value in
                    guard let name, let value else { return }
                    let isASCII = String(cString: name).utf8.allSatisfy { $0 < 0x80 }
                    guard isASCII else { return }
                    acr?.assumingMemoryBound(to: [(name: String, value: String)].self).pointee
                        .append((String(cString: name).lowercased(), String(cString: value)))
                }, headers)
        }
        self.headers = headers
    }
}
