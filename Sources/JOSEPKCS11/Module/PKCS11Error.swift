// The errors of tokens and PKCS#11 modules, and the errors that callers get for them.

internal import CJOSEPKCS11
import JOSE

/// An error of a module, a token or this library. It never contains text of the module.
enum PKCS11Error: Error {
    /// The session was lost.
    case session
    /// The session has an open operation and must be closed.
    case busySession
    /// The session is not logged in.
    case login
    /// The object handle is invalid.
    case object
    /// The token or device is missing, or failed to start.
    case gone
    case wrongPIN
    case lockedPIN
    /// The login failed, and the token may have tried the PIN.
    case unsureLogin
    /// There is no such attribute, mechanism or parameter.
    case absent
    case tooLong
    /// Any other error, and invalid responses.
    case failed
    case forked
    case noModule
    /// The operation was not done, or its caller stopped waiting for it.
    case unavailable(StaticString)
    /// The key, the login or the call is rejected. A retry would give the same error.
    case rejected(StaticString)
    case notFound(StaticString)

    var error: JOSEError {
        switch self {
        case .unavailable(let reason): .unavailable(.key, reason)
        case .rejected(let reason): .keyUnusable(reason)
        case .notFound(let reason): .keyNotFound(reason)
        case .forked: .unavailable(.key, PKCS11Error.afterFork)
        case .session, .busySession, .login, .object, .gone, .unsureLogin:
            .unavailable(.key, "the PKCS#11 token is missing or does not respond")
        case .wrongPIN, .lockedPIN: .keyUnusable("the PKCS#11 token rejects the PIN")
        case .absent, .tooLong, .failed, .noModule:
            .keyUnusable("the PKCS#11 token rejected the call or sent an invalid response")
        }
    }

    var externalKey: ExternalKeyError {
        switch self {
        case .absent, .tooLong, .failed, .noModule: .failed
        default: .unavailable
        }
    }

    static let afterFork: StaticString =
        "the PKCS#11 module was loaded before a fork: the child must exec first"
}

func check(_ status: jose_p11_status) throws(PKCS11Error) {
    switch status {
    case .JOSE_P11_OK: return
    case .JOSE_P11_SESSION: throw .session
    case .JOSE_P11_BUSY: throw .busySession
    case .JOSE_P11_LOGIN: throw .login
    case .JOSE_P11_OBJECT: throw .object
    case .JOSE_P11_GONE: throw .gone
    case .JOSE_P11_PIN: throw .wrongPIN
    case .JOSE_P11_LOCKED: throw .lockedPIN
    case .JOSE_P11_UNSURE: throw .unsureLogin
    case .JOSE_P11_ABSENT: throw .absent
    case .JOSE_P11_TOO_LONG: throw .tooLong
    case .JOSE_P11_FAILED: throw .failed
    case .JOSE_P11_FORKED: throw .forked
    case .JOSE_P11_NO_MODULE: throw .noModule
    }
}

extension ExternalKeyWaitError {
    var failure: PKCS11Error {
        switch self {
        case .cancelled: .unavailable("the task was cancelled")
        case .timedOut: .unavailable("the PKCS#11 token did not respond in time")
        case .queueFull: .unavailable("too many operations wait for the PKCS#11 token")
        }
    }
}
