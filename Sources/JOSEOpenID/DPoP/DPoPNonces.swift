// A server's nonces for proofs: authenticated texts with the time in them, so that nobody must remember any.

public import JOSE
import JOSEBytes
import JOSECrypto
import Synchronization

/// Makes and judges the nonces of one server or of several with the same key (RFC 9449, 8 and 9).
///
/// A nonce is a time and its HMAC-SHA-256 under a key that changes; the last two keys count. Nothing is kept of any nonce:
/// that a proof is used once is the replay store's to know.
public final class DPoPNonces: Sendable {
    private struct Keys {
        var present: SignatureOperation
        var previous: SignatureOperation?
    }
    private let keys: Lock<Keys>
    /// How long a nonce counts.
    public let lifetime: Duration
    private let lifetimeSeconds: Int

    /// Nonces.
    ///
    /// - Parameters:
    ///   - key: A symmetric key of 32 bytes at the least, which all machines of the server have; a random one if left out.
    ///   - lifetime: How long a nonce counts, 1 to 3600 whole seconds.
    /// - Throws: `keyUnusable` for another key, `misuse` for another lifetime, `internal` without random numbers.
    public init(key: JWK? = nil, lifetime: Duration = .seconds(300)) throws(JOSEError) {
        lifetimeSeconds = lifetime.wholeSeconds
        guard 1...3_600 ~= lifetimeSeconds else {
            throw .misuse("lifetime: is not 1 to 3600 whole seconds")
        }
        self.lifetime = lifetime
        keys = Lock(Keys(present: try DPoPNonces.operation(key), previous: nil))
    }

    /// Changes the key; nonces by the one before count for as long as they live, those by older ones no more.
    ///
    /// - Parameter key: The new key; a random one if left out.
    /// - Throws: As with a first key.
    public func rotate(to key: JWK? = nil) throws(JOSEError) {
        let made = try DPoPNonces.operation(key)
        keys.withLock { $0 = Keys(present: made, previous: $0.present) }
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

    /// A nonce of now: the value of the header `DPoP-Nonce`.
    ///
    /// - Parameters:
    ///   - server: The name of the server that will judge it.
    ///   - now: The time in it; the system's clock where none is given.
    /// - Throws: `internal`.
    public func make(for server: String, at now: NumericDate? = nil) throws(JOSEError) -> String {
        let time = DPoPNonces.time((now ?? .now).seconds)
        let code = try DPoPNonces.code(keys.withLock { $0.present }, server, time)
        return Base64URL.encodeToString((time + code).span)
    }

    /// What a nonce that came is worth.
    enum Verdict {
        case fresh
        /// Good, but past half of its life: give a newer one with the answer.
        case aging
        /// Not one of this server, or too old.
        case rejected
    }

    func judge(
        _ nonce: String, for server: String, leewaySeconds: Int, at now: NumericDate
    ) throws(JOSEError) -> Verdict {
        guard nonce.utf8.count <= 64, let bytes = Base64URL.decode(nonce.utf8.span),
            bytes.count == 40
        else { return .rejected }
        let time = Array(bytes[..<8])
        let known = keys.withLock { $0 }
        var isOurs = false
        for key in [known.present, known.previous] {
            guard let key else { continue }
            let code = try DPoPNonces.code(key, server, time)
            if equalConstantTime(code.span, bytes.span.extracting(8..<40)) { isOurs = true }
        }
        let made = time.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard isOurs, let seconds = Int64(exactly: made) else { return .rejected }
        let age = now.seconds - seconds
        guard -Int64(leewaySeconds)...Int64(lifetimeSeconds) ~= age else { return .rejected }
        return age > lifetimeSeconds / 2 ? .aging : .fresh
    }

    private static func time(_ seconds: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: seconds >> (56 - 8 * $0)) }
    }

    /// The time is the end and has one length, so that no two servers and times have one text.
    private static func code(
        _ key: SignatureOperation, _ server: String, _ time: [UInt8]
    ) throws(JOSEError) -> [UInt8] {
        let message = Array("dpop-nonce ".utf8) + Array(server.utf8) + time
        var code = [UInt8](repeating: 0, count: key.signatureBytes)
        var out = code.mutableSpan
        do throws(CryptoError) {
            try key.sign(message.span, into: &out)
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
        return code
    }
}

extension DPoPNonces: RedactedDescription {
    package var shownAs: String { "DPoP nonces" }
}
