// The login of a token: once for all its sessions, and a PIN that was refused is never tried again.

import JOSEBytes
import Synchronization

/// Logs in where nobody is; shared by the threads of one token.
final class Login: Sendable {
    private let pin: PKCS11PIN?
    private let allowsFinalTry: Bool
    /// Why there will be no further try; held by the one thread that logs in.
    private let refusal = Lock<StaticString?>(nil)

    init(pin: PKCS11PIN?, allowsFinalTry: Bool) {
        self.pin = pin
        self.allowsFinalTry = allowsFinalTry
    }

    /// Whether there is anything to log in with.
    var isWanted: Bool { pin != nil }

    /// Logs in, unless another session has; blocks while another thread does.
    func ensure(
        _ module: PKCS11Module, slot: UInt64, session: UInt64
    ) throws(TokenFault) {
        guard let pin else { return }
        try refusal.withLock { refusal throws(TokenFault) in
            if try module.isLoggedIn(session) { return }
            if let refusal { throw .refused(refusal) }
            let facts = try module.describe(slot)
            guard facts.needsLogin else { return }
            guard !facts.isLocked else { throw .refused(Login.locked) }
            guard !facts.isFinalTry || allowsFinalTry else {
                throw .refused(
                    "one more wrong PIN locks the PKCS#11 token: allow the final try, or ask its keeper"
                )
            }
            let secret = try pin.ask(.login)
            do throws(TokenFault) {
                switch secret {
                case .given(let bytes): try module.login(session, pin: bytes)
                case .onDevice, .notAsked: try module.login(session, pin: nil)
                }
            } catch {
                throw Login.remembered(error, in: &refusal)
            }
        }
    }

    /// The PIN for one operation.
    func pinForOperation() throws(TokenFault) -> UsePIN {
        guard let pin else { throw .refused("the key wants a PIN for each operation") }
        if let refusal = refusal.withLock({ $0 }) { throw .refused(refusal) }
        return try pin.ask(.operation)
    }

    /// What a refusal of an operation means; a refused PIN is remembered.
    func judge(_ fault: TokenFault) -> TokenFault {
        refusal.withLock { Login.remembered(fault, in: &$0) }
    }

    private static func remembered(
        _ fault: TokenFault, in refusal: inout StaticString?
    ) -> TokenFault {
        switch fault {
        case .wrongPIN: refusal = wrong
        case .lockedPIN: refusal = locked
        default: return fault
        }
        return .refused(refusal ?? wrong)
    }

    private static let wrong: StaticString =
        "the PKCS#11 token refused the PIN; it is not tried again until the token is opened anew"
    private static let locked: StaticString = "the PIN of the PKCS#11 token is locked or expired"
}
