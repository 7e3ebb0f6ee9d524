// Rejects an error message where a successful one is expected.

import JOSE
import JOSEBytes

extension JSONMessage {
    /// Throws `malformed` for an error message, which some servers send with status 200. The thrown
    /// error names the code if it is registered. `TokenError(response:)` reads the message. An
    /// empty `error` is accepted, as some servers always write the member.
    func checkIsNoError() throws(JOSEError) {
        guard let index = member("error") else { return }
        let text = document.string(at: index)
        guard text?.isEmpty != true else { return }
        let name = text.flatMap(OAuthErrorCode.registeredName)
        throw .malformed(
            .message, "the response holds an error: {}; TokenError(response:) reads it",
            .name(name ?? "an unregistered code"))
    }
}
