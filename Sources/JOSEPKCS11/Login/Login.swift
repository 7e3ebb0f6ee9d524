// The login to a token, which all its sessions share. A rejected PIN is never tried again.

import JOSEBytes
import Synchronization

final class Login: Sendable {
    private let pin: PKCS11PIN?
    private let allowsFinalTry: Bool

    private struct State {
        /// Why no PIN is tried any more.
        var rejection: StaticString?
        /// When the next PIN may be tried, after a failure that the token may have counted.
        var next: ContinuousClock.Instant?
        var pause = Duration.seconds(1)
    }
    /// Locked while a PIN is tried, but not while an operation's PIN is requested.
    private let state = Lock(State())
    /// Locked by an operation that needs a PIN, while that PIN is requested and used.
    private let operation = Lock(())
    private static let maxPause = Duration.seconds(60)

    init(pin: PKCS11PIN?, allowsFinalTry: Bool) {
        self.pin = pin
        self.allowsFinalTry = allowsFinalTry
    }

    /// Whether objects may be hidden because the session is not logged in.
    func isMissing(
        _ module: PKCS11Module, slot: UInt64, session: UInt64
    ) throws(PKCS11Error) -> Bool {
        guard pin != nil, try !module.isLoggedIn(session) else { return false }
        return try module.describe(slot).needsLogin
    }

    /// Logs in, unless a session of the token is logged in. Blocks while another thread logs in.
    func ensure(
        _ module: PKCS11Module, slot: UInt64, session: UInt64
    ) throws(PKCS11Error) {
        guard let pin else { return }
        if try module.isLoggedIn(session) { return }
        try state.withLock { state throws(PKCS11Error) in
            if try module.isLoggedIn(session) { return }
            try Login.checkAllowed(state)
            let info = try module.describe(slot)
            guard info.needsLogin else { return }
            try checkAllowed(info)
            let secret = try pin.ask(.login)
            do throws(PKCS11Error) {
                switch secret {
                case .given(let bytes): try module.login(session, pin: bytes)
                case .onDevice, .notRequested: try module.login(session, pin: nil)
                }
            } catch {
                throw Login.apply(error, to: &state, module, slot)
            }
            state = State()
        }
    }

    /// Runs an operation that needs its own PIN, one at a time, so that a wrong PIN is tried once.
    /// Other threads can restore a lost login while the PIN is requested.
    func operate<Value: Sendable>(
        _ module: PKCS11Module, slot: UInt64, until deadline: ContinuousClock.Instant,
        _ body: (OperationPIN) throws(PKCS11Error) -> Value
    ) throws(PKCS11Error) -> Value {
        guard let pin else {
            throw .rejected(
                "the key needs a PIN for each operation: open the token with a PKCS11PIN")
        }
        return try operation.withLock { _ throws(PKCS11Error) in
            try state.withLock { state throws(PKCS11Error) in try Login.checkAllowed(state) }
            guard ContinuousClock.now < deadline else {
                throw .unavailable("the PKCS#11 token did not respond in time")
            }
            try checkAllowed(module.describe(slot))
            let secret = try pin.ask(.operation)
            // Under the lock, so that a login does not try the same wrong PIN. The state and the
            // deadline may have changed while the PIN was requested.
            return try state.withLock { state throws(PKCS11Error) in
                try Login.checkAllowed(state)
                guard ContinuousClock.now < deadline else {
                    throw .unavailable("the PKCS#11 token did not respond in time")
                }
                try checkAllowed(module.describe(slot))
                do throws(PKCS11Error) {
                    return try body(secret)
                } catch {
                    _ = Login.apply(error, to: &state, module, slot)
                    throw error
                }
            }
        }
    }

    /// Returns the error that already prevents logins, if any; otherwise applies the failure.
    func record(_ failure: PKCS11Error, _ module: PKCS11Module, slot: UInt64) -> PKCS11Error {
        state.withLock { state in
            do throws(PKCS11Error) {
                try Login.checkAllowed(state)
            } catch {
                return error
            }
            return Login.apply(failure, to: &state, module, slot)
        }
    }

    private func checkAllowed(_ info: TokenInfo) throws(PKCS11Error) {
        guard !info.isLocked else { throw .rejected(Login.locked) }
        // Devices without a keypad treat a missing PIN as a wrong one.
        guard info.hasKeypad || pin?.isOnDevice != true else {
            throw .rejected(
                "the PKCS#11 token has no CKF_PROTECTED_AUTHENTICATION_PATH: pass a PIN"
            )
        }
        guard !info.isFinalTry || allowsFinalTry else {
            throw .rejected(
                "one more wrong PIN locks the PKCS#11 token: pass allowsFinalTry, or unlock it"
            )
        }
    }

    private static func checkAllowed(_ state: State) throws(PKCS11Error) {
        if let rejection = state.rejection { throw .rejected(rejection) }
        if let next = state.next, ContinuousClock.now < next { throw .unavailable(failing) }
    }

    /// Records a failed login in the state, and returns the error to report. After a rejected PIN,
    /// or if the token's flags show a counted try, no PIN is tried again. If it is unknown whether
    /// the PIN was tried, the next try waits for a pause, which doubles up to a minute.
    private static func apply(
        _ failure: PKCS11Error, to state: inout State, _ module: PKCS11Module, _ slot: UInt64
    ) -> PKCS11Error {
        switch failure {
        case .wrongPIN: state.rejection = wrong
        case .lockedPIN: state.rejection = locked
        case .unsureLogin:
            if let info = try? module.describe(slot),
                info.isCountLow || info.isFinalTry || info.isLocked
            {
                state.rejection = counted
            } else {
                state.next = .now + state.pause
                state.pause = min(state.pause * 2, maxPause)
                return .unavailable(failing)
            }
        default: return failure
        }
        return .rejected(state.rejection ?? wrong)
    }

    private static let wrong: StaticString =
        "the PKCS#11 token rejected the PIN: open the token again with another PIN"
    private static let locked: StaticString = "the PIN of the PKCS#11 token is locked or expired"
    private static let counted: StaticString =
        "the login failed and the PKCS#11 token counted a try: open the token again"
    private static let failing: StaticString =
        "the login to the PKCS#11 token failed: it is not retried for up to a minute"
}
