// An error where a successful response is read.

import JOSE
import JOSEBytes

extension JSONMessage {
    /// Throws `malformed` for an error response where a successful one is read, as some servers
    /// send it with status 200. The error is named if it is a registered one; `TokenError(response:)`
    /// reads it. An empty text is none: some servers write the member in any case.
    func checkIsNoError() throws(JOSEError) {
        guard let index = member("error") else { return }
        let text = document.string(at: index)
        guard text?.isEmpty != true else { return }
        let name = text.flatMap(OAuthErrorCode.registeredName)
        throw .malformed(
            .message, "the response holds an error: {}; TokenError(answer:) reads it",
            .name(name ?? "an unregistered code"))
    }
}
