// Makes and checks nonces for DPoP proofs without storing them.

public import JOSE
import JOSEBytes
import JOSECrypto
import Synchronization

/// Makes and checks the DPoP nonces of one server, or of several servers that share a key (RFC
/// 9449, 8 and 9).
///
/// A nonce is its creation time with an HMAC-SHA-256 of server name and time. Nonces are not stored
/// and may be used more than once; the replay store ensures that each proof is used once.
public final class DPoPNonces: Sendable {
    private struct Keys {
        var current: SignatureOperation
        var previous: SignatureOperation?
    }
    private let keys: Lock<Keys>
    /// How long a nonce is accepted.
    public let lifetime: Duration
    private let lifetimeSeconds: Int

    /// Creates nonces with a key.
    ///
    /// - Parameters:
    ///   - key: A symmetric key of at least 32 bytes, shared by all machines of the server; a
    ///     random key by default.
    ///   - lifetime: How long a nonce is accepted, 1 to 3600 whole seconds.
    /// - Throws: `keyUnusable` for a key of another kind or size, `misuse` for an invalid lifetime,
    ///   `internal` if no random numbers are available.
    public init(key: JWK? = nil, lifetime: Duration = .seconds(300)) throws(JOSEError) {
        lifetimeSeconds = lifetime.wholeSeconds
        guard 1...3_600 ~= lifetimeSeconds else {
            throw .misuse("lifetime must be 1 to 3600 whole seconds")
        }
        self.lifetime = lifetime
        keys = Lock(Keys(current: try DPoPNonces.operation(key), previous: nil))
    }

    /// Replaces the key. Nonces of the key that was in use until now stay valid for their lifetime;
    /// nonces of earlier keys are rejected.
    ///
    /// - Parameter key: The new key; a random key by default.
    /// - Throws: As `init(key:lifetime:)`.
    public func rotate(to key: JWK? = nil) throws(JOSEError) {
        let new = try DPoPNonces.operation(key)
        keys.withLock { $0 = Keys(current: new, previous: $0.current) }
    }

    private static func operation(_ key: JWK?) throws(JOSEError) -> SignatureOperation {
        guard let key else {
            return try operation(JWK.generate(.symmetric(bits: 256), algorithm: .hs256))
        }
        guard key.match(.signing(.hs256)) == .matches else {
            throw .keyUnusable("nonces are made by a symmetric key for HS256")
        }
        return try key.prepared.signature(.hs256, signing: true)
    }

    /// Makes a nonce for the header `DPoP-Nonce`.
    ///
    /// - Parameters:
    ///   - server: The name of the server that will check the nonce, `DPoPVerifier.server`.
    ///   - now: The creation time of the nonce; the system's clock by default.
    /// - Throws: `internal`.
    public func make(for server: String, at now: NumericDate? = nil) throws(JOSEError) -> String {
        let time = DPoPNonces.time((now ?? .now).seconds)
        let mac = try DPoPNonces.mac(keys.withLock { $0.current }, server, time)
        return Base64URL.encodeToString((time + mac).span)
    }

    enum Status {
        case fresh
        /// Valid, but older than half of the lifetime: the response should carry a newer nonce.
        case aging
        /// Malformed, expired, from the future, of another server, or of a key before the previous.
        case rejected
    }

    func status(
        of nonce: String, for server: String, leewaySeconds: Int, at now: NumericDate
    ) throws(JOSEError) -> Status {
        guard nonce.utf8.count <= 64, let bytes = Base64URL.decode(nonce.utf8.span),
            bytes.count == 40
        else { return .rejected }
        let time = Array(bytes[..<8])
        let known = keys.withLock { $0 }
        var isAuthentic = false
        for key in [known.current, known.previous] {
            guard let key else { continue }
            let mac = try DPoPNonces.mac(key, server, time)
            if equalConstantTime(mac.span, bytes.span.extracting(8..<40)) { isAuthentic = true }
        }
        let made = time.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard isAuthentic, let seconds = Int64(exactly: made) else { return .rejected }
        let age = now.seconds - seconds
        guard -Int64(leewaySeconds)...Int64(lifetimeSeconds) ~= age else { return .rejected }
        return age > lifetimeSeconds / 2 ? .aging : .fresh
    }

    private static func time(_ seconds: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: seconds >> (56 - 8 * $0)) }
    }

    /// The time has a fixed length and comes last: different pairs give different messages.
    private static func mac(
        _ key: SignatureOperation, _ server: String, _ time: [UInt8]
    ) throws(JOSEError) -> [UInt8] {
        let message = Array("dpop-nonce ".utf8) + Array(server.utf8) + time
        var mac = [UInt8](repeating: 0, count: key.signatureBytes)
        var out = mac.mutableSpan
        do throws(CryptoError) {
            try key.sign(message.span, into: &out)
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
        return mac
    }
}

extension DPoPNonces: RedactedDescription {}
