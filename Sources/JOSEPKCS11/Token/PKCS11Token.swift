// An open token, in which the program finds keys.

public import JOSE
import JOSEBytes

/// An open token. The library finds the token again after it was removed, and logs in again after
/// it lost the login.
///
/// Operations run on the token's own threads with one session each, never on Swift's concurrency
/// threads. The threads end when this value is released.
public final class PKCS11Token: Sendable {
    let pool: Pool
    let module: PKCS11Module

    /// Finds a token and logs in.
    ///
    /// - Parameters:
    ///   - uri: The URI of the token; attributes of an object are ignored.
    ///   - module: The module of the token.
    ///   - pin: The source of the user's PIN; nil if the token needs no login. A wrong PIN is tried
    ///     once. After that nothing logs in until you open the token again.
    ///   - sessions: The maximum number of concurrent operations, 1 to 64. Each has a thread, which
    ///     starts on demand.
    ///   - allowsFinalTry: Whether to log in when one more wrong PIN would lock the token.
    ///   - timeout: The maximum time to wait, even if the module hangs.
    /// - Throws: `misuse` for `sessions` out of range; `unavailable` if no token matches, or module
    ///   or PIN source fail; `keyUnusable` if two match, the token rejects a call, or the PIN is
    ///   rejected or must not be tried.
    public static func open(
        _ uri: PKCS11URI, module: PKCS11Module, pin: PKCS11PIN?, sessions: Int = 8,
        allowsFinalTry: Bool = false, timeout: Duration = .seconds(30)
    ) async throws(JOSEError) -> PKCS11Token {
        guard 1...64 ~= sessions else {
            throw .misuse("sessions of a PKCS#11 token must be 1 to 64")
        }
        let login = Login(pin: pin, allowsFinalTry: allowsFinalTry)
        let token = PKCS11Token(module, Pool(SlotBinding(uri, module, login), threads: sessions))
        try await token.run(until: .end(of: timeout)) { worker, deadline throws(PKCS11Error) in
            try worker.attempt(until: deadline) { _ throws(PKCS11Error) in () }
        }
        return token
    }

    private init(_ module: PKCS11Module, _ pool: Pool) {
        self.module = module
        self.pool = pool
    }

    deinit { pool.close() }

    /// Finds a private key, reads its public key and certificates, and checks that they match.
    ///
    /// - Parameters:
    ///   - uri: The URI of the key, with `object` or `id` or both.
    ///   - keyID: The `kid`; nil takes the thumbprint (RFC 7638).
    ///   - use: The `use`; nil derives it from the key's attributes.
    ///   - timeout: The maximum time to wait.
    /// - Throws: `keyNotFound` if no private key matches; `keyUnusable` if two match, if the
    ///   URI names another token, if JWK does not have the key's type or curve, if the key supports
    ///   no algorithm, or if its public key or certificate does not match; `misuse` for a URI of
    ///   another kind of object; `unavailable` as `open`.
    ///
    /// Of several certificates of the key, as after a renewal, the valid one with the latest
    /// `notBefore` is published. If none is valid, or two have the same validity, the key is
    /// `keyUnusable`. The result keeps this certificate; to select again, call `key` again.
    ///
    /// Costs several calls of the module and a test signature, decryption or key agreement. A key
    /// that needs the PIN each time is not tested.
    public func key(
        _ uri: PKCS11URI, keyID: String? = nil, use: KeyUse? = nil,
        timeout: Duration = .seconds(30)
    ) async throws(JOSEError) -> PKCS11Key {
        try await key(uri, keyID: keyID, use: use, until: .end(of: timeout))
    }

    func key(
        _ uri: PKCS11URI, keyID: String?, use: KeyUse?, until deadline: ContinuousClock.Instant
    ) async throws(JOSEError) -> PKCS11Key {
        guard uri.kind == nil || uri.kind == .privateKey else {
            throw .misuse("the PKCS#11 URI must name a private key")
        }
        let module = self.module
        let outline = try await run(until: deadline) { worker, deadline throws(PKCS11Error) in
            try worker.attempt(until: deadline) { session throws(PKCS11Error) in
                guard try worker.isNamed(by: uri) else { throw .rejected(PKCS11Token.otherToken) }
                return try KeyOutline.read(uri, module, worker, in: session)
            }
        }
        let key = try PKCS11Key(outline, self, keyID: keyID, use: use)
        try await key.tryOnce(until: deadline)
        return key
    }

    /// Whether both values are the same token, by label, manufacturer, model and serial number.
    /// Uses no thread of `other`: a hanging device may block all of them.
    ///
    /// - Parameters:
    ///   - other: The token to compare with. One of another module is never the same.
    ///   - timeout: The maximum time to wait if the token has moved to another slot; at most 5 s.
    /// - Throws: As `open`.
    package func isSame(
        as other: PKCS11Token, timeout: Duration
    ) async throws(JOSEError) -> Bool {
        guard module === other.module else { return false }
        let (binding, otherBinding) = (pool.binding, other.pool.binding)
        switch binding.compared(to: otherBinding) {
        case .same: return true
        case .different: return false
        case .undetermined: break
        }
        return try await run(until: .end(of: min(timeout, PKCS11Token.maxComparisonTime))) {
            _, _ throws(PKCS11Error) in try binding.isMoved(from: otherBinding)
        }
    }

    private static let maxComparisonTime = Duration.seconds(5)

    private static let otherToken: StaticString = "the PKCS#11 URI names another token"

    func run<Value: Sendable>(
        until deadline: ContinuousClock.Instant,
        _ work: @escaping @Sendable (Worker, ContinuousClock.Instant) throws(PKCS11Error) -> Value
    ) async throws(JOSEError) -> Value {
        do throws(PKCS11Error) {
            return try await pool.run(until: deadline) { worker throws(PKCS11Error) in
                try work(worker, deadline)
            }
        } catch {
            throw error.error
        }
    }
}

extension PKCS11Token: RedactedDescription {}
