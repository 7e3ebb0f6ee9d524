// Nonces for DPoP proofs: a time and its HMAC, so that the server stores none of them.

public import JOSE
import JOSEBytes
import JOSECrypto
import Synchronization

/// Makes and checks the DPoP nonces of one server, or of several that share a key (RFC 9449, 8
/// and 9).
///
/// A nonce is a time and its HMAC-SHA-256. The current key and the one before it are accepted.
/// Nonces are not stored; the replay store ensures that a proof is used once.
public final class DPoPNonces: Sendable {
    private struct Keys {
        var current: SignatureOperation
        var previous: SignatureOperation?
    }
    private let keys: Lock<Keys>
    /// How long a nonce is accepted.
    public let lifetime: Duration
    private let lifetimeSeconds: Int

    /// Creates a maker of nonces.
    ///
    /// - Parameters:
    ///   - key: A symmetric key of at least 32 bytes, shared by all machines of the server. A
    ///     random key by default.
    ///   - lifetime: How long a nonce is accepted, 1 to 3600 whole seconds.
    /// - Throws: `keyUnusable` for another kind of key, `misuse` for another lifetime, `internal`
    ///   if no random numbers are available.
    public init(key: JWK? = nil, lifetime: Duration = .seconds(300)) throws(JOSEError) {
        lifetimeSeconds = lifetime.wholeSeconds
        guard 1...3_600 ~= lifetimeSeconds else {
            throw .misuse("lifetime must be 1 to 3600 whole seconds")
        }
        self.lifetime = lifetime
        keys = Lock(Keys(current: try DPoPNonces.operation(key), previous: nil))
    }

    /// Changes the key. Nonces of the previous key stay valid for their lifetime; nonces of older
    /// keys are rejected.
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
    ///   - server: The name of the server that will check it.
    ///   - now: The time of the nonce; the system's clock by default.
    /// - Throws: `internal`.
    public func make(for server: String, at now: NumericDate? = nil) throws(JOSEError) -> String {
        let time = DPoPNonces.time((now ?? .now).seconds)
        let mac = try DPoPNonces.mac(keys.withLock { $0.current }, server, time)
        return Base64URL.encodeToString((time + mac).span)
    }

    /// The result of checking a nonce.
    enum Status {
        case fresh
        /// Valid, but past half of its lifetime: send a newer one with the response.
        case aging
        /// Malformed, too old, from the future, or made by another server or by a key before the
        /// previous one.
        case rejected
    }

    /// Checks a nonce that a proof contains.
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

    /// Returns the HMAC of a server and a time. The time comes last with a fixed length, so that
    /// each pair has its own message.
    private static func mac(
        _ key: SignatureOperation, _ server: String, _ time: [UInt8]
    ) throws(JOSEError) -> [UInt8] {
        let message = Array("dpop-nonce ".utf8) + Array(server.utf8) + time
        var mac = [UInt8](repeating: 0, count: key.signatureBytes)
        var out = mac.mutableSpan
        do throws(CryptoError) {
            try key.sign(message.span, into: &out)
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
        return mac
    }
}

extension DPoPNonces: RedactedDescription {}
