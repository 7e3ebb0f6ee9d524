// AsyncHTTPClient for key sets and for the requests of a relying party. Copy this file.

import AsyncHTTPClient
import JOSEOpenID
import JOSERemote
import NIOCore
import NIOSSL

/// Sends requests by a client with the configuration `.jose()`. It checks no addresses. The
/// client's own deadline ends with the headers of a response, so `withTimeLimit` bounds the body.
struct AsyncHTTPTransport: JWKSetTransport, OpenIDClient {
    let client: HTTPClient

    func fetch(_ request: JWKSetRequest) async throws(JWKSetTransportError) -> JWKSetResponse {
        guard request.addressPolicy == .anyAddress else { throw .forbiddenAddress }
        var headers = [OpenIDParameter("Accept", request.mediaTypes)]
        if let tag = request.entityTag { headers.append(OpenIDParameter("If-None-Match", tag)) }
        do {
            let (head, body) = try await exchange(
                request.url, headers, nil, request.timeLimit, limit: request.bodyLimitBytes)
            return JWKSetResponse(
                status: Int(head.status.code), body: Array(body.readableBytesView),
                entityTag: head.headers.first(name: "ETag"),
                cacheControl: head.headers.first(name: "Cache-Control"),
                age: head.headers.first(name: "Age"))
        } catch {
            throw error is TimeLimitPassed
                ? .timeLimit
                : error is NIOTooManyBytesError
                    ? .sizeLimit : error is NIOSSLError ? .untrusted : .unreachable
        }
    }

    func send(
        _ url: String, _ headers: [OpenIDParameter], _ body: String?
    ) async throws -> OpenIDHTTPResponse {
        let (head, text) = try await exchange(url, headers, body, .seconds(10), limit: 262_144)
        let fields = openIDHeaders.flatMap { name in
            head.headers[name].map { OpenIDParameter(name, $0) }
        }
        return try OpenIDHTTPResponse(
            status: Int(head.status.code), headers: fields, body: String(buffer: text))
    }

    private func exchange(
        _ url: String, _ headers: [OpenIDParameter], _ body: String?, _ time: Duration, limit: Int
    ) async throws -> (HTTPClientResponse, ByteBuffer) {
        try await withTimeLimit(time) {
            var request = HTTPClientRequest(url: url)
            request.headers = .init(headers.map { ($0.name, $0.value) })
            request.method = body == nil ? .GET : .POST
            request.body = body.map { .bytes(ByteBuffer(string: $0)) }
            let response = try await client.execute(request, deadline: .distantFuture)
            return (response, try await response.body.collect(upTo: limit))
        }
    }
}
