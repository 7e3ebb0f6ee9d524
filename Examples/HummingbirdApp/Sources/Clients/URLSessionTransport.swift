// URLSession for key sets and for the requests of a relying party. Copy this file and
// URLSessionExchange.swift.

import Foundation
import JOSEOpenID
import JOSERemote

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends each request by a session of its own. It checks no addresses.
struct URLSessionTransport: JWKSetTransport, OpenIDClient {
    func fetch(_ request: JWKSetRequest) async throws(JWKSetTransportError) -> JWKSetResponse {
        guard request.addressPolicy == .anyAddress, let url = URL(string: request.url) else {
            throw .forbiddenAddress
        }
        var message = URLRequest(url: url, timeoutInterval: request.timeLimit / .seconds(1))
        message.setValue(request.mediaTypes, forHTTPHeaderField: "Accept")
        message.setValue(request.entityTag, forHTTPHeaderField: "If-None-Match")
        do {
            let (body, response) = try await URLSessionExchange.send(
                message, limit: request.bodyLimitBytes)
            return JWKSetResponse(
                status: response.statusCode, body: Array(body),
                entityTag: response.value(forHTTPHeaderField: "ETag"),
                cacheControl: response.value(forHTTPHeaderField: "Cache-Control"),
                age: response.value(forHTTPHeaderField: "Age"))
        } catch {
            switch (error as? URLError)?.code {
            case .timedOut: throw .timeLimit
            case .dataLengthExceedsMaximum: throw .sizeLimit
            default: throw .unreachable
            }
        }
    }

    func send(
        _ url: String, _ headers: [OpenIDParameter], _ body: String?
    ) async throws -> OpenIDHTTPResponse {
        guard let url = URL(string: url) else { throw URLError(.badURL) }
        var message = URLRequest(url: url, timeoutInterval: 10)
        for header in headers { message.addValue(header.value, forHTTPHeaderField: header.name) }
        if let body { (message.httpMethod, message.httpBody) = ("POST", Data(body.utf8)) }
        let (text, response) = try await URLSessionExchange.send(message, limit: 262_144)
        return try OpenIDHTTPResponse(
            status: response.statusCode,
            headers: openIDHeaders.compactMap { name in
                response.value(forHTTPHeaderField: name).map { OpenIDParameter(name, $0) }
            }, body: String(decoding: text, as: UTF8.self))
    }
}
