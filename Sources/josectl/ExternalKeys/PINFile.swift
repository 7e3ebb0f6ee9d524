// Reads the PIN of a token: from a file, never from the command line, which others can read.

import JOSE
import JOSEBytes
import JOSEPKCS11
import Synchronization

/// A PIN file. It is read when a token needs the PIN, which is wiped afterwards. After a failed
/// login the file is not used again.
final class PINFile: Sendable {
    fileprivate let path: String
    /// The error of the failed login.
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

    /// Records that a login failed. Returns the error of the file if it could not be read;
    /// otherwise nil.
    ///
    /// If the PIN was given, the file is not used again, for any URI: the PIN was rejected, or the
    /// device may have counted a failed attempt.
    func recordFailure(_ error: JOSEError) -> Rejection? {
        let (isGiven, rejection) = state.withLock { ($0.isGiven, $0.rejection) }
        if isGiven { file.failure.withLock { $0 = error.code } }
        return rejection
    }
}
