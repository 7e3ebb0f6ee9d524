// Reads the PIN of a token from a file, never from the command line, which other users can see.

import JOSE
import JOSEBytes
import JOSEPKCS11
import Synchronization

/// A PIN file. The PIN is read when a token needs it and wiped afterwards. If a login with it
/// fails, the file is not used again.
final class PINFile: Sendable {
    fileprivate let path: String
    fileprivate let failure = Lock<JOSEError.Code?>(nil)

    init(_ path: String) { self.path = path }
}

final class PINAttempt: Sendable {
    private struct State {
        var isGiven = false
        /// Why the file could not be used.
        var rejection: Rejection?
    }
    private let file: PINFile
    private let state = Lock(State())

    init(_ file: PINFile) { self.file = file }

    var pin: PKCS11PIN { .prompt { [self] _ in try read() } }

    private func read() throws -> ExternalKeySecret {
        do {
            if let code = file.failure.withLock({ $0 }) {
                let reason = code == .keyUnusable ? "a token rejected" : "a login failed with"
                throw Rejection(
                    code, step: "key",
                    message: "\(reason) the PIN in \(printable(file.path)); it is not tried again")
            }
            var bytes = try Files.pin(file.path)
            defer { wipe(&bytes) }
            state.withLock { $0.isGiven = true }
            return ExternalKeySecret(count: bytes.count) { out in
                for byte in bytes { out.append(byte) }
            }
        } catch {
            let failure = (error as? SystemError).map {
                Rejection(.unavailable, step: "key", message: $0.message)
            }
            state.withLock { $0.rejection = failure ?? Rejection(any: error) }
            throw error
        }
    }

    /// Records a failed login. Returns the error of the file, if it could not be used. If the PIN
    /// was given, no URI uses the file again: the token may have counted a failed attempt.
    func recordFailure(_ error: JOSEError) -> Rejection? {
        let (isGiven, rejection) = state.withLock { ($0.isGiven, $0.rejection) }
        if isGiven { file.failure.withLock { $0 = error.code } }
        return rejection
    }
}
