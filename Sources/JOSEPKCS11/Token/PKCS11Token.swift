// A token that is open: where keys are found.

public import JOSE
import JOSEBytes

/// A token, opened by its URI: found again after it was away, logged in again after it lost the login.
///
/// Its operations run on threads of its own with one session each, which end with it; they never run on the threads of
/// Swift's concurrency.
public final class PKCS11Token: Sendable {
    let pool: Pool
    let module: PKCS11Module

    /// Finds a token and logs in.
    ///
    /// - Parameters:
    ///   - uri: Names the token; what it says of objects is not looked at.
    ///   - module: The module that knows the token.
    ///   - pin: The user's PIN; nil where the token wants none. It is tried once: after a wrong one nothing logs in any
    ///     more until a token is opened anew.
    ///   - sessions: How many operations run at once, 1 to 64: as many threads, started when there is work for them.
    ///   - allowsFinalTry: Whether a login is tried where one more wrong PIN locks the token.
    ///   - timeout: How long to wait, whatever the module does.
    /// - Throws: `unavailable` where no token matches or the module does not answer, `keyUnusable` where two match or the
    ///   PIN is rejected, `misuse` for a number of sessions outside the range.
    public static func open(
        _ uri: PKCS11URI, module: PKCS11Module, pin: PKCS11PIN?, sessions: Int = 8,
        allowsFinalTry: Bool = false, timeout: Duration = .seconds(30)
    ) async throws(JOSEError) -> PKCS11Token {
        guard 1...64 ~= sessions else { throw .misuse("a PKCS#11 token has 1 to 64 sessions") }
        let login = Login(pin: pin, allowsFinalTry: allowsFinalTry)
        let token = PKCS11Token(module, Pool(Seat(uri, module, login), threads: sessions))
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

    /// Finds a key, reads its public part and its certificates, and tries whether they belong to each other.
    ///
    /// - Parameters:
    ///   - uri: Names the key by `object` or `id`, or both.
    ///   - keyID: The `kid`; the RFC 7638 thumbprint where none is given.
    ///   - use: The `use`; where none is given, what the key may do says it.
    ///   - timeout: How long to wait.
    /// - Throws: `keyNotFound` where no private key matches; `keyUnusable` where two match, for a type or curve that no JWK
    ///   has, a key that may do nothing, a public key or certificate that is not its own; `misuse` for a URI of something
    ///   else or of another token; `unavailable` as for `open`.
    ///
    /// Of several certificates that hold the key, as after a renewal, the one is shown that is valid now and whose time began
    /// last; where none is valid, or two are for the same time, that is `keyUnusable`. Read the key again to show another.
    ///
    /// Costs some calls and one trial: a signature, a decryption or an agreement. A key that wants the PIN each time is not
    /// tried.
    public func key(
        _ uri: PKCS11URI, keyID: String? = nil, use: KeyUse? = nil,
        timeout: Duration = .seconds(30)
    ) async throws(JOSEError) -> PKCS11Key {
        try await key(uri, keyID: keyID, use: use, until: .end(of: timeout))
    }

    /// As `key(_:keyID:use:timeout:)`, in what is left of a call's time.
    func key(
        _ uri: PKCS11URI, keyID: String?, use: KeyUse?, until deadline: ContinuousClock.Instant
    ) async throws(JOSEError) -> PKCS11Key {
        guard uri.kind == nil || uri.kind == .privateKey else {
            throw .misuse("the PKCS#11 URI names no private key")
        }
        let module = self.module
        let outline = try await run(until: deadline) { worker, deadline throws(PKCS11Error) in
            try worker.attempt(until: deadline) { session throws(PKCS11Error) in
                guard try worker.isNamed(by: uri) else { throw .rejected(PKCS11Token.other) }
                return try KeyOutline.read(uri, module, worker, in: session)
            }
        }
        let key = try PKCS11Key(outline, self, keyID: keyID, use: use)
        try await key.tryOnce(until: deadline)
        return key
    }

    /// Whether both are open on one token, by what it said of itself when they were opened: a card that lies in the slot of
    /// another is another.
    ///
    /// The other value's threads are not asked: a device that hangs has them all.
    ///
    /// - Parameters:
    ///   - other: Another value; of another module it is another token.
    ///   - timeout: How long to wait where a token lies in another slot than before; a few seconds are the most.
    /// - Throws: As `open`.
    package func isSame(
        as other: PKCS11Token, timeout: Duration
    ) async throws(JOSEError) -> Bool {
        guard module === other.module else { return false }
        let (seat, earlier) = (pool.seat, other.pool.seat)
        switch seat.compared(to: earlier) {
        case .one: return true
        case .others: return false
        case .movedOrTwins: break
        }
        return try await run(until: .end(of: min(timeout, PKCS11Token.comparison))) {
            _, _ throws(PKCS11Error) in try seat.isMoved(from: earlier)
        }
    }

    private static let comparison = Duration.seconds(5)

    private static let other: StaticString = "the PKCS#11 URI names another token"

    /// Runs work on a thread of the token.
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

extension PKCS11Token: RedactedDescription {
    package var shownAs: String { "PKCS11Token" }
}
