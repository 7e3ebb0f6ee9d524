// The login of a token: once for all its sessions, and a PIN that was rejected is never tried again.

import JOSEBytes
import Synchronization

/// Logs in where nobody is; shared by the threads of one token.
final class Login: Sendable {
    private let pin: PKCS11PIN?
    private let allowsFinalTry: Bool

    private struct State {
        /// Why there will be no further try.
        var rejection: StaticString?
        /// When the next try may be, after one of which nobody knows whether it was counted.
        var next: ContinuousClock.Instant?
        var pause = Duration.seconds(1)
    }
    /// Held by the one thread that logs in, and while the PIN of an operation is tried, but not while that one is asked for.
    private let state = Lock(State())
    /// Held by the one thread whose operation wants a PIN, for as long as somebody takes to give it.
    private let operation = Lock(())
    private static let maxPause = Duration.seconds(60)

    init(pin: PKCS11PIN?, allowsFinalTry: Bool) {
        self.pin = pin
        self.allowsFinalTry = allowsFinalTry
    }

    /// Whether objects may be hidden because nobody is logged in; a token that wants no login hides none.
    func isMissing(
        _ module: PKCS11Module, slot: UInt64, session: UInt64
    ) throws(PKCS11Error) -> Bool {
        guard pin != nil, try !module.isLoggedIn(session) else { return false }
        return try module.describe(slot).needsLogin
    }

    /// Logs in, unless another session has; blocks while another thread does.
    func ensure(
        _ module: PKCS11Module, slot: UInt64, session: UInt64
    ) throws(PKCS11Error) {
        guard let pin else { return }
        if try module.isLoggedIn(session) { return }
        try state.withLock { state throws(PKCS11Error) in
            if try module.isLoggedIn(session) { return }
            try Login.admit(state)
            let facts = try module.describe(slot)
            guard facts.needsLogin else { return }
            try admit(facts)
            let secret = try pin.ask(.login)
            do throws(PKCS11Error) {
                switch secret {
                case .given(let bytes): try module.login(session, pin: bytes)
                case .onDevice, .notRequested: try module.login(session, pin: nil)
                }
            } catch {
                throw Login.noted(error, in: &state, module, slot)
            }
            state = State()
        }
    }

    /// Runs one operation that wants a PIN of its own. They come one after the other: of many that wait a wrong PIN is
    /// tried by one. A login that was lost is made meanwhile.
    func operate<Value: Sendable>(
        _ module: PKCS11Module, slot: UInt64, until deadline: ContinuousClock.Instant,
        _ body: (UsePIN) throws(PKCS11Error) -> Value
    ) throws(PKCS11Error) -> Value {
        guard let pin else { throw .rejected("the key wants a PIN for each operation") }
        return try operation.withLock { _ throws(PKCS11Error) in
            try state.withLock { state throws(PKCS11Error) in try Login.admit(state) }
            // Nobody is asked for a PIN whose use nobody waits for.
            guard ContinuousClock.now < deadline else {
                throw .unavailable("the PKCS#11 token did not answer in time")
            }
            try admit(module.describe(slot))
            let secret = try pin.ask(.operation)
            // Beside it a login would try the same PIN: a wrong one is tried once, by whoever comes first.
            // Whoever was slow with it may have been given up meanwhile, and others may have tried wrong ones.
            return try state.withLock { state throws(PKCS11Error) in
                try Login.admit(state)
                guard ContinuousClock.now < deadline else {
                    throw .unavailable("the PKCS#11 token did not answer in time")
                }
                try admit(module.describe(slot))
                do throws(PKCS11Error) {
                    return try body(secret)
                } catch {
                    _ = Login.noted(error, in: &state, module, slot)
                    throw error
                }
            }
        }
    }

    /// What a rejection of a PIN means; it is remembered.
    func judge(_ failure: PKCS11Error, _ module: PKCS11Module, slot: UInt64) -> PKCS11Error {
        state.withLock { state in
            do throws(PKCS11Error) {
                try Login.admit(state)
            } catch {
                return error
            }
            return Login.noted(failure, in: &state, module, slot)
        }
    }

    /// Throws where the token says that no PIN is to be tried.
    private func admit(_ facts: TokenFacts) throws(PKCS11Error) {
        guard !facts.isLocked else { throw .rejected(Login.locked) }
        // No PIN is a wrong one to devices that cannot ask for it.
        guard facts.hasKeypad || pin?.isOnDevice != true else {
            throw .rejected("the PKCS#11 token cannot ask for its PIN by itself")
        }
        guard !facts.isFinalTry || allowsFinalTry else {
            throw .rejected(
                "one more wrong PIN locks the PKCS#11 token: allow the final try, or ask its keeper"
            )
        }
    }

    /// Throws where no PIN may be tried, or not yet.
    private static func admit(_ state: State) throws(PKCS11Error) {
        if let rejection = state.rejection { throw .rejected(rejection) }
        if let next = state.next, ContinuousClock.now < next { throw .unavailable(failing) }
    }

    /// What a failed login means for the next one. A device that failed may have counted the try: where the token says
    /// so there is no other, elsewhere not before a pause, which grows.
    private static func noted(
        _ failure: PKCS11Error, in state: inout State, _ module: PKCS11Module, _ slot: UInt64
    ) -> PKCS11Error {
        switch failure {
        case .wrongPIN: state.rejection = wrong
        case .lockedPIN: state.rejection = locked
        case .unsureLogin:
            if let facts = try? module.describe(slot),
                facts.isCountLow || facts.isFinalTry || facts.isLocked
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
        "the PKCS#11 token rejected the PIN; it is not tried again until the token is opened anew"
    private static let locked: StaticString = "the PIN of the PKCS#11 token is locked or expired"
    private static let counted: StaticString =
        "the PKCS#11 token failed at the login and counted a try; none is made until it is opened anew"
    private static let failing: StaticString =
        "the PKCS#11 token fails at the login; it is not tried again for some time"
}
