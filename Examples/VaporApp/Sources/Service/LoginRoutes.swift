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
            Response(
                try await flow.callback(
                    form: request.form(), cookies: request.headers.first(name: .cookie)))
        }
        post("logout") { request in
            Response(try await flow.logout(cookies: request.headers.first(name: .cookie)))
        }
        on(.POST, "backchannel-logout", body: .collect(maxSize: "64kb")) { request in
            Response(try await flow.backchannelLogout(form: request.form()))
        }
        get("jwks") { _ in Response(try await flow.keySet()) }
    }
}

extension Request {
    /// Reads a form.
    ///
    /// - Throws: Status 415 for another content type, 400 for other bytes than UTF-8.
    fileprivate func form() throws -> String {
        guard headers.contentType == .urlEncodedForm else { throw Abort(.unsupportedMediaType) }
        guard let bytes = body.data?.readableBytesView else { return "" }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Abort(.badRequest) }
        return text
    }
}
