// One request of a URLSession: stops at redirects, and at its limits of time and size.

import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

final class URLSessionExchange: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var body = Data()
        var failure: URLError?
        var waiting: CheckedContinuation<(Data, HTTPURLResponse), any Error>?
    }
    private let limit: Int
    private let state = Mutex(State())

    private init(limit: Int) { self.limit = limit }

    /// Sends a request, and returns the response with any status.
    static func send(_ request: URLRequest, limit: Int) async throws -> (Data, HTTPURLResponse) {
        let settings = URLSessionConfiguration.ephemeral
        settings.httpCookieStorage = nil
        settings.urlCache = nil
        settings.timeoutIntervalForResource = request.timeoutInterval
        let exchange = URLSessionExchange(limit: limit)
        let session = URLSession(configuration: settings, delegate: exchange, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: request)
        // The timeout of a request starts again with each byte; this one does not.
        let timer = Task {
            try await Task.sleep(for: .seconds(request.timeoutInterval))
            exchange.stop(task, .timedOut)
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                exchange.state.withLock { $0.waiting = continuation }
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }

    private func stop(_ task: URLSessionTask, _ code: URLError.Code) {
        state.withLock { $0.failure = $0.failure ?? URLError(code) }
        task.cancel()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = state.withLock { state in
            guard state.body.count + data.count <= limit else { return true }
            state.body += data
            return false
        }
        if isTooLong { stop(dataTask, .dataLengthExceedsMaximum) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let response = task.response as? HTTPURLResponse
        state.withLock { state in
            if let failure = state.failure ?? error {
                state.waiting?.resume(throwing: failure)
            } else if let response {
                state.waiting?.resume(returning: (state.body, response))
            } else {
                state.waiting?.resume(throwing: URLError(.badServerResponse))
            }
            state.waiting = nil
        }
    }
}
