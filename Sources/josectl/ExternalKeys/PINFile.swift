// The PIN of tokens: from a file, never from the command line, where others could read it.

import JOSE
import JOSEBytes
import JOSEPKCS11
import Synchronization

/// A file with a PIN: read when a token asks for it, wiped after that, and never given again once a login with it failed.
final class PINFile: Sendable {
    fileprivate let path: String
    /// What the login ended in that failed with it.
    fileprivate let failure = Lock<JOSEError.Code?>(nil)

    init(_ path: String) { self.path = path }
}

/// One opening of the token that the PIN of a file is for.
final class PINUse: Sendable {
    private struct State {
        var isGiven = false
        /// Why there was no PIN.
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
            var bytes = try Files.secretLine(file.path, atMost: 256)
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

    /// Why the token could not be opened, where it is the file's fault.
    ///
    /// Where the token was given the PIN and did not open, it does not get it again, by whatever name: it was rejected, or
    /// nobody knows whether the device counted a try.
    func rejection(of error: JOSEError) -> Rejection? {
        let (isGiven, rejection) = state.withLock { ($0.isGiven, $0.rejection) }
        if isGiven { file.failure.withLock { $0 = error.code } }
        return rejection
    }
}
