// The routes of a login. Copy this file together with LoginFlow.swift and AccessTokens.swift.

import JOSEOpenID
import Vapor

extension RoutesBuilder {
    /// Adds the routes of a login. Forms have at most 64 KB.
    func addLogin(_ flow: LoginFlow) {
        get("login") { _ in Response(try await flow.start()) }
        get("callback") { request in
            Response(
                try await flow.callback(
                    query: request.url.query ?? "", cookies: request.headers.first(name: .cookie)))
        }
        on(.POST, "callback", body: .collect(maxSize: "64kb")) { request in
            try await request.withForm { form in
                try await flow.callback(
                    form: form, cookies: request.headers.first(name: .cookie))
            }
        }
        post("logout") { request in
            Response(
                try await flow.logout(
                    cookies: request.headers.first(name: .cookie),
                    origin: request.headers.first(name: .origin)))
        }
        on(.POST, "backchannel-logout", body: .collect(maxSize: "64kb")) { request in
            try await request.withForm { try await flow.backchannelLogout(form: $0) }
        }
        get("jwks") { _ in Response(try await flow.keySet()) }
    }
}

extension Request {
    /// Reads a form. Responds with status 415 to another content type, and with 400 to other bytes
    /// than UTF-8. It throws no `Abort`, with which Vapor would log the query.
    fileprivate func withForm(
        _ work: (String) async throws -> OpenIDHTTPResponse
    ) async throws -> Response {
        // Not `headers.contentType`: Vapor's parser of long texts is slow. Long texts and others
        // than ASCII are costly to compare.
        let type = headers.first(name: .contentType) ?? ""
        guard type.utf8.count <= 256, type.utf8.allSatisfy({ $0 < 0x80 }),
            type.prefix(while: { $0 != ";" && $0 != " " }).lowercased()
                == "application/x-www-form-urlencoded"
        else { return Response(status: .unsupportedMediaType) }
        let bytes = body.data.map { Array($0.readableBytesView) } ?? []
        guard let form = String(validating: bytes, as: UTF8.self) else {
            return Response(status: .badRequest)
        }
        return Response(try await work(form))
    }
}
