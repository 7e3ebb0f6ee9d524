// The web server that your service has already: requests as values in, answers as values out.

import CWeb
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
        let values = headers.filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }

    /// The cookie of this name.
    package func cookie(_ name: String) -> String? {
        for pair in (header("cookie") ?? "").split(separator: ";") {
            let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0] == name { return String(parts[1]) }
        }
        return nil
    }
}

/// HTTPS on a port of this machine.
package enum WebServer {
    /// Answers requests until the process ends.
    ///
    /// - Parameters:
    ///   - port: The port.
    ///   - certificates: The server's certificates, PEM.
    ///   - key: Their key, PEM.
    ///   - answer: Makes the answer; called for many requests at once. What it throws is logged, and answered by 500.
    /// - Throws: `WebFault` where the port cannot be had or the PEM is no good.
    package static func run(
        port: UInt16, certificates: String, key: String,
        answer: @escaping @Sendable (WebRequest) async throws -> HTTPAnswer
    ) async throws {
        let handler = Unmanaged.passRetained(Handler(answer))
        let isServing = web_serve(
            port, certificates, key,
            { context, exchange in
                guard let context, let exchange else { return }
                Unmanaged<Handler>.fromOpaque(context).takeUnretainedValue().start(exchange)
            }, handler.toOpaque())
        guard isServing == 1 else { throw WebFault("no HTTPS server on port \(port)") }
        while true { try await Task.sleep(for: .seconds(3_600)) }
    }
}

/// Writes one line of the log. Errors of the library never hold token text.
package func note(_ line: String) {
    let line = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, line, line.count)
}

/// What went wrong, for the log.
package struct WebFault: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// The pointer of an exchange; unchecked, as C lets any one thread answer it.
private struct Exchange: @unchecked Sendable { let pointer: OpaquePointer }

private final class Handler: Sendable {
    private let answer: @Sendable (WebRequest) async throws -> HTTPAnswer

    init(_ answer: @escaping @Sendable (WebRequest) async throws -> HTTPAnswer) {
        self.answer = answer
    }

    /// Copies the request, which C lends for this call, and answers it elsewhere.
    func start(_ pointer: OpaquePointer) {
        let (exchange, request) = (Exchange(pointer: pointer), WebRequest(pointer))
        Task {
            do {
                send(try await answer(request), exchange)
            } catch {
                note("\(request.path) failed: \(error)")
                web_answer(exchange.pointer, 500, [nil], "", 0)
            }
        }
    }

    private func send(_ answer: HTTPAnswer, _ exchange: Exchange) {
        var lines = answer.headers.flatMap { [strdup($0.name), strdup($0.value)] }
        defer { lines.forEach { free($0) } }
        var constant = lines.map { UnsafePointer($0) } + [nil]
        lines.append(nil)
        var body = answer.body
        body.withUTF8 { bytes in
            web_answer(
                exchange.pointer, UInt32(answer.status), &constant, bytes.baseAddress, bytes.count)
        }
    }
}

extension WebRequest {
    fileprivate init(_ exchange: OpaquePointer) {
        method = String(cString: web_method(exchange))
        let target = String(cString: web_target(exchange))
        path = String(target.prefix { $0 != "?" })
        query = String(target.drop { $0 != "?" }.dropFirst())
        var count = 0
        let bytes = UnsafeRawBufferPointer(start: web_body(exchange, &count), count: count)
        body = String(validating: bytes, as: UTF8.self) ?? ""
        var headers: [(name: String, value: String)] = []
        withUnsafeMutablePointer(to: &headers) { headers in
            web_each_header(
                exchange,
                { context, name, value in
                    guard let name, let value else { return }
                    context?.assumingMemoryBound(to: [(name: String, value: String)].self).pointee
                        .append((String(cString: name).lowercased(), String(cString: value)))
                }, headers)
        }
        self.headers = headers
    }
}
