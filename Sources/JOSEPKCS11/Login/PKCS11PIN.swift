// The source of a PIN.

public import JOSE
import JOSEBytes
internal import JOSECrypto

/// The source of a token's PIN. Each PIN is requested when needed, used once, and wiped.
public struct PKCS11PIN: Sendable {
    /// The reason why a PIN is requested.
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

    /// Reads the PIN from the only line of a file, each time. The line has 1 to 256 bytes.
    public static func file(_ path: String) -> PKCS11PIN { PKCS11PIN(source: .file(path)) }

    /// Gets the PIN from a closure, each time. If it throws or the PIN does not have 1 to 256
    /// bytes, the token is `unavailable`.
    ///
    /// - Parameter ask: Called on a thread of the token. It may block that thread.
    public static func prompt(
        _ ask: @escaping @Sendable (Reason) throws -> ExternalKeySecret
    ) -> PKCS11PIN {
        PKCS11PIN(source: .closure(ask))
    }

    /// Has the device request the PIN with its own keypad or reader. A device without
    /// `CKF_PROTECTED_AUTHENTICATION_PATH` is `keyUnusable`.
    public static let onDevice = PKCS11PIN(source: .device)

    var isOnDevice: Bool {
        if case .device = source { return true }
        return false
    }

    /// Requests the PIN for one use.
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
            // The same sizes as in a file. Others are not tried: a device may count each try.
            guard 1...256 ~= pin.count else { throw .unavailable("a PIN needs 1 to 256 bytes") }
            return .given(pin)
        }
    }
}

extension PKCS11PIN: RedactedDescription {}
