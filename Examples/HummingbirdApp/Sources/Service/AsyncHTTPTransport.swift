// AsyncHTTPClient for key sets and for the requests of a relying party. Copy this file,
// HTTPExchange.swift and HTTPClient+Configuration.swift.

import AsyncHTTPClient
import JOSEOpenID
import JOSERemote
import NIOCore
import NIOSSL

/// Sends requests by a client with the configuration `.jose()`. Key sets need a client of their
/// own: logins at a slow provider use up a client's eight connections to its host.
struct AsyncHTTPTransport: HTTPExchange {
    let client: HTTPClient

    func exchange(
        _ url: String, _ headers: [OpenIDParameter], _ body: String?, limit: Int
    ) async throws -> OpenIDHTTPResponse {
        var request = HTTPClientRequest(url: url)
        request.headers = .init(headers.map { ($0.name, $0.value) })
        request.method = body == nil ? .GET : .POST
        request.body = body.map { .bytes(ByteBuffer(string: $0)) }
        do {
            // The time limit is that of the task: the client's own ends with the headers.
            let response = try await client.execute(request, deadline: .distantFuture)
            let bytes = try await response.body.collect(upTo: limit)
            return try OpenIDHTTPResponse(
                Int(response.status.code), bytes.readableBytesView
            ) { name in
                let values = response.headers[name]
                return values.isEmpty ? nil : values.joined(separator: ", ")
            }
        } catch is NIOTooManyBytesError {
            throw JWKSetTransportError.sizeLimit
        } catch is NIOSSLError {
            throw JWKSetTransportError.untrusted
        }
    }
}
