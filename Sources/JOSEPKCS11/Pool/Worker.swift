// One thread's session with a token, and the loop that mends it.

import JOSE
import Synchronization

/// What one thread has of a token; never shared.
final class Worker {
    private let seat: Seat
    private var session: UInt64?
    private var slot: UInt64 = 0
    private var isLoggedIn = false
    /// The handles that were found in this session, by the numbers of the keys that they are for.
    private var handles: [UInt64: UInt64] = [:]

    /// How often an operation is begun anew before the token is `unavailable`.
    private static let maxAttempts = 8

    init(_ seat: Seat) { self.seat = seat }

    deinit { end() }

    /// Closes the session.
    func end() {
        if let session { seat.module.close(session) }
        lose()
    }

    /// Runs an operation in the session, begun anew where session, login, token or device were lost.
    ///
    /// Every other rejection ends it: what a device says of the bytes that it was given is never a reason to try again.
    func attempt<Value>(
        until deadline: ContinuousClock.Instant,
        _ body: (UInt64) throws(PKCS11Error) -> Value
    ) throws(PKCS11Error) -> Value {
        for _ in 0..<Worker.maxAttempts {
            guard ContinuousClock.now < deadline else {
                throw .unavailable("the PKCS#11 token did not answer in time")
            }
            do throws(PKCS11Error) {
                return try body(try open())
            } catch {
                try mend(error)
            }
        }
        throw .unavailable("the PKCS#11 token loses its sessions")
    }

    /// Another session beside the own one, for what leaves it in an odd state or writes; closed afterwards.
    func aside<Value>(
        writes: Bool, _ body: (UInt64) throws(PKCS11Error) -> Value
    ) throws(PKCS11Error) -> Value {
        _ = try open()
        let other = try begin(writes: writes)
        defer { seat.module.close(other) }
        return try body(other)
    }

    /// Whether a URI's words about a token are true of this one.
    func isNamed(by uri: PKCS11URI) throws(PKCS11Error) -> Bool { try seat.isNamed(by: uri) }

    /// Runs one operation that wants a PIN of its own.
    func operate<Value: Sendable>(
        until deadline: ContinuousClock.Instant,
        _ body: (UsePIN) throws(PKCS11Error) -> Value
    ) throws(PKCS11Error) -> Value {
        try seat.login.operate(seat.module, slot: try place(), until: deadline, body)
    }

    /// The slot of the session.
    func place() throws(PKCS11Error) -> UInt64 {
        _ = try open()
        return slot
    }

    /// The handle of a key in this session, looked for where it is not known.
    func handle(of key: KeyName) throws(PKCS11Error) -> UInt64 {
        let session = try open()
        if let known = handles[key.number] { return known }
        let found = try privateKey(id: key.id, label: key.label, in: session)
        // Keys come and go with the program's values.
        if handles.count >= 1_024 { handles = [:] }
        handles[key.number] = found
        return found
    }

    /// The only private key with this id and label. Where nobody is logged in, others hide it.
    func privateKey(
        id: [UInt8]?, label: [UInt8]?, in session: UInt64
    ) throws(PKCS11Error) -> UInt64 {
        let found = try seat.module.find(.privateKey, id: id, label: label, in: session)
        if found.isEmpty,
            try seat.login.isMissing(seat.module, slot: slot, session: session)
        {
            throw .login
        }
        guard let object = found.first else {
            throw .notFound("the PKCS#11 token has no such private key")
        }
        guard found.count == 1 else { throw .rejected("two private keys match the URI") }
        return object
    }

    private func open() throws(PKCS11Error) -> UInt64 {
        let session: UInt64
        if let own = self.session {
            session = own
        } else {
            slot = try seat.slot()
            session = try begin(writes: false)
            self.session = session
        }
        if !isLoggedIn {
            try seat.login.ensure(seat.module, slot: slot, session: session)
            isLoggedIn = true
        }
        return session
    }

    /// A session with the token that was opened: no other sees the PIN, is asked for anything or loses a key.
    private func begin(writes: Bool) throws(PKCS11Error) -> UInt64 {
        let session = try seat.module.openSession(slot, writes: writes)
        do throws(PKCS11Error) {
            // Afterwards: the session ends with the token that it is with.
            try seat.confirm(slot)
        } catch {
            seat.module.close(session)
            throw error
        }
        return session
    }

    private func lose() {
        session = nil
        isLoggedIn = false
        handles = [:]
    }

    /// Makes ready for another attempt, or throws what there is no other attempt for.
    private func mend(_ failure: PKCS11Error) throws(PKCS11Error) {
        switch failure {
        case .session: lose()
        case .busySession: end()
        case .login:
            isLoggedIn = false
            handles = [:]
        case .object: handles = [:]
        case .gone:
            end()
            seat.forget(slot)
        case .wrongPIN, .lockedPIN, .unsureLogin:
            end()
            throw seat.login.judge(failure, seat.module, slot: slot)
        case .absent, .tooLong, .failed, .forked, .noModule, .unavailable, .rejected, .notFound:
            throw failure
        }
    }
}

/// A private key by what it says of itself; the number is no other's in this process.
struct KeyName: Sendable {
    let number: UInt64
    let id: [UInt8]
    let label: [UInt8]

    init(id: [UInt8], label: [UInt8]) {
        number = KeyName.last.add(1, ordering: .relaxed).newValue
        self.id = id
        self.label = label
    }

    private static let last = Atomic<UInt64>(0)
}
