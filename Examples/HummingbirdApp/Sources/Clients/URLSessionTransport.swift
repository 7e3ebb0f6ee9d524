// URLSession for key sets and for the requests of a relying party. Copy this file and
// HTTPExchange.swift.

import Foundation
import JOSEOpenID
import JOSERemote
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends each request by a session of its own.
struct URLSessionTransport: HTTPExchange {
    func exchange(
        _ url: String, _ headers: [OpenIDParameter], _ body: String?, limit: Int
    ) async throws -> OpenIDHTTPResponse {
        guard let url = URL(string: url) else { throw JWKSetTransportError.unreachable }
        var request = URLRequest(url: url)
        for header in headers { request.addValue(header.value, forHTTPHeaderField: header.name) }
        if let body { (request.httpMethod, request.httpBody) = ("POST", Data(body.utf8)) }
        let settings = URLSessionConfiguration.ephemeral
        (settings.httpCookieStorage, settings.urlCache) = (nil, nil)
        let reader = Reader(limit)
        let session = URLSession(configuration: settings, delegate: reader, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        let task = session.dataTask(with: request)
        task.resume()
        let bytes = try await reader.parts.reduce(into: Data()) { $0 += $1 }  // or cancelled
        try Task.checkCancellation()
        guard let response = task.response as? HTTPURLResponse else {
            throw JWKSetTransportError.broken
        }
        return try .init(response.statusCode, bytes, header: response.value(forHTTPHeaderField:))
    }
}

/// Follows no redirect, and stops at the limit.
private final class Reader: NSObject, URLSessionDataDelegate {
    let (parts, output) = AsyncThrowingStream<Data, any Error>.makeStream()
    private let remaining: Atomic<Int>

    init(_ limit: Int) { remaining = Atomic(limit) }

    func urlSession(
        _: URLSession, task: URLSessionTask, willPerformHTTPRedirection _: HTTPURLResponse,
        newRequest _: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if remaining.subtract(data.count, ordering: .relaxed).newValue < 0 {
            output.finish(throwing: JWKSetTransportError.sizeLimit)
        }
        output.yield(data)
    }

    func urlSession(
        _: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) { output.finish(throwing: error) }
}
