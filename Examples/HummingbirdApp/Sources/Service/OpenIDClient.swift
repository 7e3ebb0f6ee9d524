// What a relying party needs of an HTTP client, and libcurl as one. Copy this file.

import JOSEOpenID
import JOSERemote

/// Sends the requests of a relying party. It follows no redirects, and throws only if there is no
/// response.
protocol OpenIDClient: Sendable {
    /// Sends a POST if there is a body, otherwise a GET.
    ///
    /// - Returns: The response with the headers `openIDHeaders`.
    func send(
        _ url: String, _ headers: [OpenIDParameter], _ body: String?
    ) async throws -> OpenIDHTTPResponse
}

/// The response headers that a relying party reads.
let openIDHeaders = ["Content-Type", "DPoP-Nonce", "WWW-Authenticate"]

extension OpenIDClient {
    func post(_ request: TokenRequest) async throws -> OpenIDHTTPResponse {
        try await send(request.url, request.headers, request.body)
    }

    func get(_ request: OpenIDHTTPRequest) async throws -> OpenIDHTTPResponse {
        try await send(
            request.url, request.headers, request.method == "POST" ? request.body : nil)
    }
}

/// libcurl connects only to addresses that the policy allows.
struct CurlClient: OpenIDClient {
    let transport: CurlTransport
    let addressPolicy: AddressPolicy

    func send(
        _ url: String, _ headers: [OpenIDParameter], _ body: String?
    ) async throws -> OpenIDHTTPResponse {
        var request = HTTPSRequest(
            url: url, headers: headers.map { ($0.name, $0.value) }, body: body)
        request.addressPolicy = addressPolicy
        let response = try await transport.send(request)
        return try OpenIDHTTPResponse(
            status: response.status,
            headers: openIDHeaders.compactMap { name in
                response.header(name).map { OpenIDParameter(name, $0) }
            }, body: String(decoding: response.body, as: UTF8.self))
    }
}

struct TimeLimitPassed: Error {}

/// Runs `work` in a task that is cancelled when the time has passed.
func withTimeLimit<Result: Sendable>(
    _ time: Duration, _ work: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask(operation: work)
        group.addTask {
            try await Task.sleep(for: time)
            throw TimeLimitPassed()
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw TimeLimitPassed() }
        return result
    }
}
