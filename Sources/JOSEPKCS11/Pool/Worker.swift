// The session of one thread with a token, and its recovery.

import JOSE
import Synchronization

final class Worker {
    private let binding: SlotBinding
    private var session: UInt64?
    private var slot: UInt64 = 0
    private var isLoggedIn = false
    /// The object handles in this session, by `KeyName.number`.
    private var handles: [UInt64: UInt64] = [:]

    private static let maxAttempts = 8

    init(_ binding: SlotBinding) { self.binding = binding }

    deinit { end() }

    func end() {
        if let session { binding.module.close(session) }
        forgetSession()
    }

    /// Runs an operation in the session. Repeats it if the session, login, object handle, token or
    /// device was lost. Other errors are thrown: what a device rejected is not repeated.
    func attempt<Value>(
        until deadline: ContinuousClock.Instant,
        _ body: (UInt64) throws(PKCS11Error) -> Value
    ) throws(PKCS11Error) -> Value {
        for _ in 0..<Worker.maxAttempts {
            guard ContinuousClock.now < deadline else {
                throw .unavailable("the PKCS#11 token did not respond in time")
            }
            do throws(PKCS11Error) {
                return try body(try open())
            } catch {
                try recover(from: error)
            }
        }
        throw .unavailable("the PKCS#11 token keeps losing its sessions")
    }

    /// Runs work in a separate session, for calls that write or leave an operation open.
    func inSeparateSession<Value>(
        writes: Bool, _ body: (UInt64) throws(PKCS11Error) -> Value
    ) throws(PKCS11Error) -> Value {
        _ = try open()
        let separate = try openSession(writes: writes)
        defer { binding.module.close(separate) }
        return try body(separate)
    }

    func isNamed(by uri: PKCS11URI) throws(PKCS11Error) -> Bool { try binding.isNamed(by: uri) }

    func operate<Value: Sendable>(
        until deadline: ContinuousClock.Instant,
        _ body: (OperationPIN) throws(PKCS11Error) -> Value
    ) throws(PKCS11Error) -> Value {
        try binding.login.operate(binding.module, slot: try openSlot(), until: deadline, body)
    }

    func openSlot() throws(PKCS11Error) -> UInt64 {
        _ = try open()
        return slot
    }

    /// The handle of a key in this session, searched on first use.
    func handle(of key: KeyName) throws(PKCS11Error) -> UInt64 {
        let session = try open()
        if let known = handles[key.number] { return known }
        let found = try privateKey(id: key.id, label: key.label, in: session)
        // Bounded, because programs may open any number of keys.
        if handles.count >= 1_024 { handles = [:] }
        handles[key.number] = found
        return found
    }

    /// The only private key with this id and label. A token may hide it until the login.
    func privateKey(
        id: [UInt8]?, label: [UInt8]?, in session: UInt64
    ) throws(PKCS11Error) -> UInt64 {
        let found = try binding.module.find(.privateKey, id: id, label: label, in: session)
        if found.isEmpty,
            try binding.login.isMissing(binding.module, slot: slot, session: session)
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
        if let existing = self.session {
            session = existing
        } else {
            slot = try binding.slot()
            session = try openSession(writes: false)
            self.session = session
        }
        if !isLoggedIn {
            try binding.login.ensure(binding.module, slot: slot, session: session)
            isLoggedIn = true
        }
        return session
    }

    /// Opens a session and checks that the same token is in the slot: another must not get the PIN.
    private func openSession(writes: Bool) throws(PKCS11Error) -> UInt64 {
        let session = try binding.module.openSession(slot, writes: writes)
        do throws(PKCS11Error) {
            // Checked after opening, because a session ends when its token is removed.
            try binding.confirm(slot)
        } catch {
            binding.module.close(session)
            throw error
        }
        return session
    }

    private func forgetSession() {
        session = nil
        isLoggedIn = false
        handles = [:]
    }

    /// Prepares another attempt, or throws.
    private func recover(from failure: PKCS11Error) throws(PKCS11Error) {
        switch failure {
        case .session: forgetSession()
        case .busySession: end()
        case .login:
            isLoggedIn = false
            handles = [:]
        case .object: handles = [:]
        case .gone:
            end()
            binding.forget(slot)
        case .wrongPIN, .lockedPIN, .unsureLogin:
            end()
            throw binding.login.record(failure, binding.module, slot: slot)
        case .absent, .tooLong, .failed, .forked, .noModule, .unavailable, .rejected, .notFound:
            throw failure
        }
    }
}

/// A private key in the token; `number` is unique in this process.
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
