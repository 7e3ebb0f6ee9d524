// Why a token gave nothing.

internal import CJOSEPKCS11
import JOSE

/// What a rejection means here; no text of a module is ever kept.
enum PKCS11Error: Error {
    /// The session is gone.
    case session
    /// The session still has an operation open, and is to be closed.
    case busySession
    /// Nobody is logged in.
    case login
    /// A handle names nothing any more.
    case object
    /// Token or device is not there.
    case gone
    /// The PIN is wrong.
    case wrongPIN
    /// The PIN is locked or expired.
    case lockedPIN
    /// The login failed; whether the PIN was looked at is not known.
    case unsureLogin
    /// No such attribute, mechanism or parameter.
    case absent
    /// More than there is room for.
    case tooLong
    /// Anything else, and answers that cannot be.
    case failed
    /// The module belongs to another process, from which this one was forked.
    case forked
    /// No module.
    case noModule
    /// What the loop around an operation made of it: nothing was done.
    case unavailable(StaticString)
    /// The key or the login is rejected, and will be again.
    case rejected(StaticString)
    /// There is no such object.
    case notFound(StaticString)

    /// What it means to who opens a token or makes a key.
    var error: JOSEError {
        switch self {
        case .unavailable(let reason): .unavailable(.key, reason)
        case .rejected(let reason): .keyUnusable(reason)
        case .notFound(let reason): .keyNotFound(reason)
        case .forked: .unavailable(.key, PKCS11Error.afterFork)
        case .session, .busySession, .login, .object, .gone, .unsureLogin:
            .unavailable(.key, "the PKCS#11 token is not there, or does not answer")
        case .wrongPIN, .lockedPIN: .keyUnusable("the PKCS#11 token rejects the PIN")
        case .absent, .tooLong, .failed, .noModule:
            .keyUnusable("the PKCS#11 token rejects, or gives an answer that cannot be")
        }
    }

    /// What it means to who asks an external key.
    var externalKey: ExternalKeyError {
        switch self {
        case .absent, .tooLong, .failed, .noModule: .failed
        default: .unavailable
        }
    }

    static let afterFork: StaticString =
        "after a fork the child loads the PKCS#11 module itself"
}

/// Throws what a status means.
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
        case .timedOut: .unavailable("the PKCS#11 token did not answer in time")
        case .queueFull: .unavailable("too many operations wait for the PKCS#11 token")
        }
    }
}
