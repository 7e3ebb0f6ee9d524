// A state with an HMAC of the browser session, for services that do not look up logins by state.

public import JOSE
import JOSEBytes
import JOSECrypto

/// Makes and verifies `state` values that are bound to a browser session. A value has 128 random
/// bits and an HMAC-SHA-256 of these bits and the session.
public struct StateBinding: Sendable {
    private let key: SecretBytes

    /// Creates a binding with a secret key of at least 32 bytes.
    ///
    /// - Throws: `misuse` for a shorter key.
    public init(key: [UInt8]) throws(JOSEError) {
        guard key.count >= 32 else {
            throw .misuse(
                "the key has {} bytes; a state binding needs at least 32", .number(key.count))
        }
        self.key = SecretBytes(copying: key.span)
    }

    /// Makes a new `state` for a session.
    ///
    /// - Parameter session: An identifier of the browser session, such as the value of its cookie.
    /// - Throws: `internal` if the random generator fails.
    public func makeState(session: String) throws(JOSEError) -> String {
        let random = try RandomString.make(bits: 128)
        return try random + "." + mac(random, session)
    }

    /// Verifies the `state` of a response in constant time.
    ///
    /// - Parameters:
    ///   - state: The `state` of the response.
    ///   - session: The session of the browser that brought the response.
    /// - Throws: `claimRejected` with `state` if it is malformed or of another session. `internal`.
    public func verify(_ state: String, session: String) throws(JOSEError) {
        // A state may begin with a method and a colon (`stateBeginsWithMethod`).
        let text = state.pieces(at: UInt8(ascii: ":")).last ?? ""
        let parts = text.pieces(at: UInt8(ascii: "."))
        // With a variable length, bytes of the session could be moved into the random part without
        // changing the HMAC.
        guard parts.count == 2, Base64URL.decode(parts[0].utf8.span)?.count == 16 else {
            throw .claimRejected("state", "it is not well-formed")
        }
        guard try mac(parts[0], session).equalsConstantTime(parts[1]) else {
            throw .claimRejected("state", "it is not bound to this session")
        }
    }

    private func mac(_ random: String, _ session: String) throws(JOSEError) -> String {
        // The random part has a fixed length, so the message is unambiguous.
        let message = Array((random + "\n" + session).utf8)
        do throws(CryptoError) {
            let tag = try key.withSpan { (key) throws(CryptoError) in
                try HMAC.code(.sha256, key: key, message.span)
            }
            return Base64URL.encodeToString(tag.span)
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
    }
}

/// How to make the `state` of a request.
public enum StateSource: Sendable {
    /// 256 random bits.
    case random
    /// Bound to a browser session; `StateBinding.verify(_:session:)` checks it.
    case bound(StateBinding, session: String)

    func make() throws(JOSEError) -> String {
        switch self {
        case .random: try RandomString.make(bits: 256)
        case .bound(let binding, let session): try binding.makeState(session: session)
        }
    }
}

extension StateBinding: RedactedDescription {}
extension StateSource: RedactedDescription {}
