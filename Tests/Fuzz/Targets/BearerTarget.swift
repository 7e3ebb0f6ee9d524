// Untrusted requests to the UserInfo endpoint, and a provider's responses to them and to an app.

import Foundation
import JOSE
import JOSEOpenID

extension FuzzTarget {
    /// Lines: method, query, `Authorization`, `Content-Type`; the rest is the body.
    static let bearer = FuzzTarget("bearer") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(separator: "\n", maxSplits: 4, omittingEmptySubsequences: false)
            .map(String.init)
        let call = lines + Array(repeating: "", count: 5 - lines.count)
        let header = call[2].isEmpty ? nil : call[2]
        let type = call[3].isEmpty ? nil : call[3]
        let token = try bounded(bytes) {
            try BearerToken(
                method: call[0], query: call[1], authorization: header, contentType: type,
                body: call[4])
        }
        if let token {
            try hold(
                token.text.range(
                    of: "^[A-Za-z0-9._~+/-]+=*$", options: .regularExpression) != nil,
                "a token that is none")
            // The same request with a simple independent parser.
            let isInHeader = call[2].lowercased().hasPrefix("bearer ")
            let wanted = isInHeader ? [token.text] : []
            let sent = String(call[2].dropFirst(7)).drop { $0 == " " }
            try hold(!isInHeader || sent.utf8.elementsEqual(token.text.utf8), "another token")
            try hold(BearerTarget.tokens(call[1]).isEmpty, "a token in the address")
            let type = call[3].utf8.split(separator: 0x3b, omittingEmptySubsequences: false)
                .first.map { String(decoding: $0, as: UTF8.self).lowercased() }?
                .trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
            let isForm = call[0] == "POST" && type == "application/x-www-form-urlencoded"
            try hold(
                wanted + (isForm ? BearerTarget.tokens(call[4]) : []) == [token.text],
                "none or two tokens")
        }
        if let error = try bounded(bytes, { try BearerError(header: text) }) {
            let again = try BearerError(header: error.response().header("WWW-Authenticate") ?? "")
            try hold(again.code == error.code, "the error changed on its way")
            if error.code != nil { try hold(again == error, "the error changed on its way") }
        }
        if let response = try bounded(bytes, { try ActivationResponse(json: text) }) {
            let again = try ActivationResponse(json: response.response().body)
            guard case .failed(let code, let message?, let url) = response else {
                return try hold(again == response, "the answer changed on its way")
            }
            // A reader escapes again what an earlier one escaped.
            try hold(isReadable(message), "a message that is not escaped")
            guard case .failed(let code2, _?, let url2) = again else {
                return try hold(false, "the answer changed on its way")
            }
            try hold(
                .failed(code: code2, message: nil, completeURL: url2)
                    == ActivationResponse.failed(code: code, message: nil, completeURL: url),
                "the answer changed on its way")
        }
    }
}

private enum BearerTarget {
    /// The values of `access_token` in a form.
    static func tokens(_ form: String) -> [String] {
        plainForm(form).filter { $0.name == "access_token" && !$0.value.isEmpty }.map(\.value)
    }
}
