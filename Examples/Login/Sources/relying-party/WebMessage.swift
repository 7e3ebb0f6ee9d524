// A request to the provider or the resource server.

import JOSEOpenID
import Web

/// A request: a POST if there is a form, otherwise a GET.
struct WebMessage {
    let url: String
    let headers: [OpenIDParameter]
    let form: String?
}

extension WebMessage {
    init(_ request: TokenRequest) {
        self.init(url: request.url, headers: request.headers, form: request.body)
    }

    init(_ request: OpenIDHTTPRequest) {
        self.init(
            url: request.url, headers: request.headers,
            form: request.method == "POST" ? request.body : nil)
    }
}

extension OpenIDHTTPResponse {
    /// Creates a response with the only header that the library reads.
    init(_ reply: WebReply) throws {
        let challenge = reply.header("www-authenticate")
            .flatMap {
                try? OpenIDHTTPResponse(status: 401, headers: [.init("WWW-Authenticate", $0)])
            }
        try self.init(
            status: reply.status, headers: challenge?.headers ?? [], body: reply.body)
    }
}

extension WebReply {
    /// Whether the server requires its nonce in the proof (RFC 9449, 8 and 9).
    var asksForNonce: Bool {
        if status == 400 { return (try? TokenError(json: body).code) == .useDPoPNonce }
        let challenge = header("www-authenticate") ?? ""
        return status == 401 && challenge.contains("error=\"use_dpop_nonce\"")
    }
}
