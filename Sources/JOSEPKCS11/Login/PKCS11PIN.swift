// Where the PIN of a token comes from.

public import JOSE
import JOSEBytes
internal import JOSECrypto

/// The source of a token's PIN. Each PIN is requested when needed, used once, and wiped.
public struct PKCS11PIN: Sendable {
    /// Why a PIN is requested.
    public enum Reason: Sendable, Hashable {
        /// To log in: once for a token, and again after it lost the login.
        case login
        /// For one operation with a key that needs the PIN each time (`CKA_ALWAYS_AUTHENTICATE`).
        case operation
    }

    private enum Source: Sendable {
        case file(String)
        case closure(@Sendable (Reason) throws -> ExternalKeySecret)
        case device
    }
    private let source: Source

    /// Reads the PIN from the only line of a file, each time. If the line does not have 1 to 256
    /// bytes, the token is `unavailable`.
    public static func file(_ path: String) -> PKCS11PIN { PKCS11PIN(source: .file(path)) }

    /// Calls a closure for the PIN, each time. If it throws or the PIN does not have 1 to 256
    /// bytes, the token is `unavailable`.
    ///
    /// - Parameter ask: Called on a thread of the token. It may block that thread.
    public static func prompt(
        _ ask: @escaping @Sendable (Reason) throws -> ExternalKeySecret
    ) -> PKCS11PIN {
        PKCS11PIN(source: .closure(ask))
    }

    /// Lets the device request the PIN with its own keypad or reader. A device without
    /// `CKF_PROTECTED_AUTHENTICATION_PATH` is `keyUnusable`.
    public static let onDevice = PKCS11PIN(source: .device)

    var isOnDevice: Bool {
        if case .device = source { return true }
        return false
    }

    func ask(_ reason: Reason) throws(PKCS11Error) -> OperationPIN {
        switch source {
        case .device: return .onDevice
        case .file(let path):
            guard let line = secretLine(ofFile: path) else {
                throw .unavailable("the PIN file needs one line of 1 to 256 bytes")
            }
            return .given(line)
        case .closure(let ask):
            guard let pin = try? ask(reason).bytes else {
                throw .unavailable("the closure for the PIN failed")
            }
            // Other sizes are not tried: a device may count each try.
            guard 1...256 ~= pin.count else { throw .unavailable("a PIN needs 1 to 256 bytes") }
            return .given(pin)
        }
    }
}

extension PKCS11PIN: RedactedDescription {}
