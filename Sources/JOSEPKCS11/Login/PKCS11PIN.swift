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
        case closure(@Sendable (Reason) throws -> CustodianSecret)
        case device
    }
    private let source: Source

    /// The first and only line of a file, read each time: 1 to 256 bytes before a line end.
    public static func file(_ path: String) -> PKCS11PIN { PKCS11PIN(source: .file(path)) }

    /// What a closure gives; what it throws makes the token `unavailable`.
    ///
    /// - Parameter ask: Called on a thread of the token's own, which it may block.
    public static func asking(
        _ ask: @escaping @Sendable (Reason) throws -> CustodianSecret
    ) -> PKCS11PIN {
        PKCS11PIN(source: .closure(ask))
    }

    /// The device asks for it by its own keys or reader (`CKF_PROTECTED_AUTHENTICATION_PATH`).
    public static let onDevice = PKCS11PIN(source: .device)

    /// The PIN for one use.
    func ask(_ reason: Reason) throws(TokenFault) -> UsePIN {
        switch source {
        case .device: return .onDevice
        case .file(let path):
            guard let line = secretLine(ofFile: path) else {
                throw .unavailable("the file of the PIN has no line of 1 to 256 bytes")
            }
            return .given(line)
        case .closure(let ask):
            do {
                return .given(try ask(reason).bytes)
            } catch {
                throw .unavailable("there is no PIN")
            }
        }
    }
}

extension PKCS11PIN: RedactedDescription {
    package var shownAs: String { "PKCS11PIN" }
}
