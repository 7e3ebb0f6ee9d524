// What key sets and a relying party need of an HTTP client. Copy this file with that of a client.

import JOSEOpenID
import JOSERemote

/// An HTTP client for key sets and the requests of a relying party. It needs one function, and
/// checks no addresses.
protocol HTTPExchange: JWKSetTransport {
    /// Sends a POST if there is a body, otherwise a GET. Follows no redirect, stops reading after
    /// `limit` bytes, and ends when its task is cancelled, also while a body arrives.
    func exchange(
        _ url: String, _ headers: [OpenIDParameter], _ body: String?, limit: Int
    ) async throws -> OpenIDHTTPResponse
}

extension HTTPExchange {
    func fetch(_ request: JWKSetRequest) async throws(JWKSetTransportError) -> JWKSetResponse {
        guard request.addressPolicy == .anyAddress else { throw .forbiddenAddress }
        var headers = [OpenIDParameter("Accept", request.mediaTypes)]
        if let tag = request.entityTag { headers.append(OpenIDParameter("If-None-Match", tag)) }
        do {
            let response = try await withTimeLimit(request.timeLimit) { [headers] in
                try await exchange(request.url, headers, nil, limit: request.bodyLimitBytes)
            }
            return JWKSetResponse(
                status: response.status, body: Array(response.body.utf8),
                entityTag: response.header("ETag"), cacheControl: response.header("Cache-Control"),
                age: response.header("Age"))
        } catch {
            throw error as? JWKSetTransportError ?? .unreachable
        }
    }

    /// Sends a request of a relying party, a POST if there is a body. Throws only if there is no
    /// response.
    func send(
        _ url: String, _ headers: [OpenIDParameter], _ body: String?
    ) async throws -> OpenIDHTTPResponse {
        try await withTimeLimit(.seconds(10)) {
            try await exchange(url, headers, body, limit: 262_144)
        }
    }
}

extension OpenIDHTTPResponse {
    /// Creates a response with the headers that key sets and a relying party read.
    init(
        _ status: Int, _ body: some Collection<UInt8>, header: (_ name: String) -> String?
    ) throws {
        guard let text = String(validating: body, as: UTF8.self) else {
            throw JWKSetTransportError.broken
        }
        let names = [
            "Age", "Cache-Control", "Content-Type", "DPoP-Nonce", "ETag", "WWW-Authenticate",
        ]
        let headers = names.compactMap { name in
            header(name).map { OpenIDParameter(name, $0) }
        }
        try self.init(status: status, headers: headers, body: text)
    }
}

/// Runs `work` in a task that is cancelled when the time has passed.
private func withTimeLimit<Result: Sendable>(
    _ time: Duration, _ work: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask(operation: work)
        group.addTask {
            try await Task.sleep(for: time)
            throw JWKSetTransportError.timeLimit
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw JWKSetTransportError.timeLimit }
        return result
    }
}
