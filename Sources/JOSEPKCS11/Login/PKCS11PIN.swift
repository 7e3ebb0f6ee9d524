// Where a PIN comes from, each time that one is needed.

public import JOSE
import JOSEBytes
internal import JOSECrypto

/// Where the PIN of a token comes from. It is asked for when it is needed, used once, and wiped.
public struct PKCS11PIN: Sendable {
    /// Why a PIN is asked for.
    public enum Reason: Sendable, Hashable {
        /// To log in: once for a token, and again after it lost the login.
        case login
        /// For one operation with a key that wants it each time (`CKA_ALWAYS_AUTHENTICATE`).
        case operation
    }

    private enum Source: Sendable {
        case file(String)
        case closure(@Sendable (Reason) throws -> ExternalKeySecret)
        case device
    }
    private let source: Source

    /// The first and only line of a file, read each time: 1 to 256 bytes before a line end.
    public static func file(_ path: String) -> PKCS11PIN { PKCS11PIN(source: .file(path)) }

    /// What a closure gives, 1 to 256 bytes; another size and what it throws make the token `unavailable`.
    ///
    /// - Parameter ask: Called on a thread of the token's own, which it may block.
    public static func asking(
        _ ask: @escaping @Sendable (Reason) throws -> ExternalKeySecret
    ) -> PKCS11PIN {
        PKCS11PIN(source: .closure(ask))
    }

    /// The device asks for it by its own keys or reader; one that does not say that it can
    /// (`CKF_PROTECTED_AUTHENTICATION_PATH`) is `keyUnusable`.
    public static let onDevice = PKCS11PIN(source: .device)

    var isOnDevice: Bool {
        if case .device = source { return true }
        return false
    }

    /// The PIN for one use.
    func ask(_ reason: Reason) throws(PKCS11Error) -> UsePIN {
        switch source {
        case .device: return .onDevice
        case .file(let path):
            guard let line = secretLine(ofFile: path) else {
                throw .unavailable("the file of the PIN has no line of 1 to 256 bytes")
            }
            return .given(line)
        case .closure(let ask):
            guard let pin = try? ask(reason).bytes else { throw .unavailable("there is no PIN") }
            // No bytes would be no PIN in C, which asks a device to ask for it itself.
            guard 1...256 ~= pin.count else { throw .unavailable("a PIN has 1 to 256 bytes") }
            return .given(pin)
        }
    }
}

extension PKCS11PIN: RedactedDescription {
    package var shownAs: String { "PKCS11PIN" }
}
