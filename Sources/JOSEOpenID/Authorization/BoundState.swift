// A state that proves itself: bound by HMAC to a session, for parties that keep no requests by state.

public import JOSE
import JOSEBytes
import JOSECrypto

/// Makes and checks `state` texts that are bound to a browser session by HMAC SHA-256.
///
/// A text has 128 random bits and a code of 256 bits over them and the session.
public struct StateBinding: Sendable {
    private let key: SecretBytes

    /// A binding with a secret key.
    ///
    /// - Throws: `misuse` for a key under 32 bytes.
    public init(key: [UInt8]) throws(JOSEError) {
        guard key.count >= 32 else {
            throw .misuse("the key of a state binding has 32 bytes or more")
        }
        self.key = SecretBytes(copying: key.span)
    }

    /// A fresh state for a session.
    ///
    /// - Parameter session: What names the browser's session, such as the value of its cookie.
    /// - Throws: `internal` without random numbers.
    public func makeState(session: String) throws(JOSEError) -> String {
        let random = try FreshText.make(bits: 128)
        return try random + "." + code(random, session)
    }

    /// Verifies a state that came back, in constant time.
    ///
    /// - Parameters:
    ///   - state: The `state` that came back.
    ///   - session: The session that brought it.
    /// - Throws: `claimRejected` with `state` where it was not made for this session.
    public func verify(_ state: String, session: String) throws(JOSEError) {
        let text = state.pieces(at: UInt8(ascii: ":")).last ?? ""
        let parts = text.pieces(at: UInt8(ascii: "."))
        // No other text may stand in front of the session: it could hold a part of one.
        guard parts.count == 2, Base64URL.decode(parts[0].utf8.span)?.count == 16 else {
            throw .claimRejected("state", "it is not well-formed")
        }
        guard try code(parts[0], session).isSecretly(parts[1]) else {
            throw .claimRejected("state", "it is not bound to this session")
        }
    }

    private func code(_ random: String, _ session: String) throws(JOSEError) -> String {
        // The random text has a fixed length and no line feed, so the two cannot run into each other.
        let message = Array((random + "\n" + session).utf8)
        do throws(CryptoError) {
            let code = try key.withSpan { (key) throws(CryptoError) in
                try HMAC.code(.sha256, key: key, message.span)
            }
            return Base64URL.encodeToString(code.span)
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
    }
}

extension StateBinding: RedactedDescription {
    package var shownAs: String { "state binding" }
}

/// How the `state` of a request is made.
public enum StateSource: Sendable {
    /// 256 random bits.
    case random
    /// Bound to a session, so that it can be checked without what was remembered.
    case bound(StateBinding, session: String)

    func make() throws(JOSEError) -> String {
        switch self {
        case .random: try FreshText.make(bits: 256)
        case .bound(let binding, let session): try binding.makeState(session: session)
        }
    }
}

extension StateSource: RedactedDescription {
    package var shownAs: String { "state source" }
}
