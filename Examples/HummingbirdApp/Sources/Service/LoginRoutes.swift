// The routes of a login. Copy this file together with LoginFlow.swift and AccessTokens.swift.

import Hummingbird
import JOSEOpenID

extension Router {
    /// Adds the routes of a login.
    func addLogin(_ flow: LoginFlow) {
        get("login") { _, _ in Response(try await flow.start()) }
        get("callback") { request, _ in
            Response(
                try await flow.callback(
                    query: request.uri.query ?? "", cookies: request.headers[.cookie]))
        }
        post("callback") { request, _ in
            Response(
                try await flow.callback(
                    form: try await request.form(), cookies: request.headers[.cookie]))
        }
        post("logout") { request, _ in
            Response(
                try await flow.logout(
                    cookies: request.headers[.cookie], origin: request.headers[.origin]))
        }
        post("backchannel-logout") { request, _ in
            Response(try await flow.backchannelLogout(form: try await request.form()))
        }
        get("jwks") { _, _ in Response(try await flow.keySet()) }
    }
}
