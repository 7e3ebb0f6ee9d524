// The PIN: once per token, never a second try, and for each operation if the key requires it.

import Foundation
import Glibc
import JOSE
import JOSEBytes
@testable import JOSEPKCS11
import Synchronization
import Testing

/// A PIN source that counts its requests.
private final class CountedPIN: Sendable {
    private let reasons = Lock<[PKCS11PIN.Reason]>([])
    private let response: Lock<String>

    private let lingering = Lock(false)
    /// Whether a request for an operation's PIN waits a little for a second one, which must not
    /// come.
    var lingers: Bool {
        get { lingering.withLock { $0 } }
        set { lingering.withLock { $0 = newValue } }
    }

    init(_ response: String) { self.response = Lock(response) }

    var pin: PKCS11PIN {
        .prompt { reason in
            let asked = self.reasons.withLock { reasons in
                reasons.append(reason)
                return reasons.count
            }
            var patience = self.lingers && reason == .operation ? 1_000 : 0
            while patience > 0, self.reasons.withLock({ $0.count }) == asked {
                sched_yield()
                patience -= 1
            }
            return .text(self.response.withLock { $0 })
        }
    }
    func count(_ reason: PKCS11PIN.Reason) -> Int {
        reasons.withLock { $0.count { $0 == reason } }
    }
    func change(_ text: String) { response.withLock { $0 = text } }
}

private final class Switch: Sendable {
    private let state = Lock(true)
    var isOn: Bool { state.withLock { $0 } }
    func turnOff() { state.withLock { $0 = false } }
}

/// A PIN source for operations that waits for a signal.
private final class SlowPIN: Sendable {
    private let pin: String
    private let gate = DispatchSemaphore(value: 0)
    private let count = Atomic<Int>(0)
    var isRequested: Bool { count.load(ordering: .relaxed) > 0 }

    init(_ pin: String) { self.pin = pin }

    var source: PKCS11PIN {
        .prompt { reason in
            if reason == .operation {
                self.count.add(1, ordering: .relaxed)
                self.gate.wait()
            }
            return .text(self.pin)
        }
    }
    func give(_ times: Int) { for _ in 0..<times { gate.signal() } }
}

@Suite("PKCS#11 logins")
struct LoginTests {
    @Test("one login serves all sessions")
    func once() async throws {
        let test = try TestToken()
        let counted = CountedPIN(test.pin)
        let token = try await test.open(sessions: 8, pin: counted.pin)
        let key = try await token.signing()
        try await withThrowingTaskGroup { group in
            for _ in 0..<64 {
                group.addTask { _ = try await key.signature(.es256, of: [1]) }
            }
            try await group.waitForAll()
        }
        #expect(counted.count(.login) <= 1 && counted.count(.operation) == 0)
        #expect(!TestToken.isOwn || test.ask("token_logins") == 1)
    }

    @Test(
        "an empty or too long PIN is rejected without asking the token", .onlyOwn,
        arguments: [0, 257])
    func size(_ count: Int) async throws {
        let test = try TestToken()
        await expectRejection(.unavailable) {
            _ = try await test.open(pin: .text(String(repeating: "1", count: count)))
        }
        #expect(test.ask("token_logins") == 0)
    }

    @Test("a wrong PIN is tried once, whatever is called afterwards", .onlyOwn)
    func wrong() async throws {
        let test = try TestToken()
        let counted = CountedPIN("000000")
        await expectRejection(.keyUnusable) { _ = try await test.open(pin: counted.pin) }
        #expect(counted.count(.login) == 1)
        #expect(test.ask("token_logins") == 1)
        // An open token whose PIN was changed meanwhile.
        counted.change(test.pin)
        let token = try await test.open(pin: counted.pin)
        let key = try await token.signing()
        counted.change("000000")
        try test.closeAllSessions()
        let before = test.ask("token_logins")
        for _ in 0..<20 {
            await expectError(.unavailable) { _ = try await key.signature(.es256, of: [1]) }
        }
        #expect(test.ask("token_logins") == before + 1)
        // A new value of the token asks again.
        counted.change(test.pin)
        let again = try await test.open(pin: counted.pin)
        #expect(try await again.key(uri(String(decoding: key.label, as: UTF8.self))).id == key.id)
        // This logs in the old value too, as PKCS#11 specifies.
        #expect(try await key.signature(.es256, of: [1]).count == 64)
    }

    /// CKR_HOST_MEMORY, CKR_GENERAL_ERROR, CKR_FUNCTION_FAILED, CKR_DEVICE_ERROR,
    /// CKR_DEVICE_MEMORY, CKR_DEVICE_REMOVED, CKR_SESSION_CLOSED, CKR_SESSION_READ_ONLY_EXISTS,
    /// CKR_VENDOR_DEFINED.
    static let failures = [0x02, 0x05, 0x06, 0x30, 0x31, 0x32, 0xb0, 0xb7, 0x8000_0000]

    @Test(
        "a login that fails for another reason is tried once, and again only after a pause",
        .onlyOwn,
        arguments: failures)
    func failing(_ response: Int) async throws {
        let (test, _, key) = try await TestToken.signing()
        test.responseLogins(response)
        let before = test.ask("token_logins")
        #expect(await rejection { _ = try await test.open() }?.code == nil)
        #expect(test.ask("token_logins") == before)
        try test.closeAllSessions()
        await expectRejection(.unavailable) { _ = try await test.open() }
        #expect(test.ask("token_logins") == before + 1)
        let start = ContinuousClock.now
        for _ in 0..<20 {
            await expectError(.unavailable) { try await key.signs(1) }
        }
        // The pauses: 1 s, 2 s, 4 s.
        let seconds = Double((ContinuousClock.now - start).components.seconds)
        let tries = test.ask("token_logins") - before - 1
        #expect(1...(1 + Int(log2(seconds + 2))) ~= tries)
        test.responseLogins(0, times: 0)
        while (try? await key.signs(1)) == nil { await Task.yield() }
    }

    @Test(
        "a failed login that counted as a wrong try is the last", .timeLimit(.minutes(60)),
        .onlyOwn)
    func counted() async throws {
        let (test, _, key) = try await TestToken.signing()
        try test.closeAllSessions()
        test.misbehave(.loginCounts)
        test.responseLogins(0x30)
        let before = test.ask("token_logins")
        let start = ContinuousClock.now
        // Longer than the first pause.
        while ContinuousClock.now - start < .seconds(3) {
            await expectError(.unavailable) { try await key.signs(1) }
        }
        #expect(test.ask("token_logins") == before + 1)
        // A new value gets that error, and makes one try.
        await expectRejection(.keyUnusable) { _ = try await test.open() }
        #expect(test.ask("token_logins") == before + 2)
        #expect(
            await rejection { _ = try await test.open() }?.message.contains("allowsFinalTry")
                == true)
        #expect(test.ask("token_logins") == before + 2)
    }

    @Test(
        "an operation's PIN is requested once if the login fails for another reason", .onlyOwn,
        // CKR_USER_ALREADY_LOGGED_IN: the operation's PIN was not checked.
        arguments: failures + [0x100])
    func operationFailing(_ response: Int) async throws {
        let test = try TestToken()
        let counted = CountedPIN(test.pin)
        let token = try await test.open(pin: counted.pin)
        test.tell("token_ask_next", 1)
        let key = try await token.signing()
        test.responseLogins(response)
        let logins = test.ask("token_logins")
        await expectError(.unavailable) { try await key.signs(1) }
        #expect(counted.count(.operation) == 1 && test.ask("token_logins") == logins + 1)
        test.responseLogins(0, times: 0)
        while (try? await key.signs(1)) == nil { await Task.yield() }
    }

    @Test("the final try is rejected unless allowed, and a locked PIN always", .onlyOwn)
    func finalTry() async throws {
        let test = try TestToken()
        test.tell("token_tries", 1)
        let counted = CountedPIN(test.pin)
        let error = await rejection { _ = try await test.open(pin: counted.pin) }
        #expect(error?.code == .keyUnusable && error?.message.contains("allowsFinalTry") == true)
        #expect(counted.count(.login) == 0 && test.ask("token_logins") == 0)
        _ = try await test.open(pin: counted.pin, allowsFinalTry: true)
        let locked = try TestToken()
        locked.tell("token_tries", 0)
        let rejected = await rejection {
            _ = try await locked.open(pin: counted.pin, allowsFinalTry: true)
        }
        #expect(rejected?.code == .keyUnusable && locked.ask("token_logins") == 0)
    }

    @Test("a PIN file is one line, and an invalid file counts as no try")
    func file() async throws {
        let test = try TestToken()
        let folder = FileManager.default.temporaryDirectory.appending(path: freshLabel())
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "pin")
        for end in ["", "\n", "\r\n"] {
            try Data((test.pin + end).utf8).write(to: file)
            _ = try await test.open(pin: .file(file.path))
        }
        guard TestToken.isOwn else { return }
        let fresh = try TestToken()
        for text in [
            "", "\n", String(repeating: "1", count: 257), String(repeating: "1", count: 9_000),
            "123456\n123456\n", "123456\n\n", "\n123456", "123456\0",
        ] {
            try Data(text.utf8).write(to: file)
            await expectRejection(.unavailable) { _ = try await fresh.open(pin: .file(file.path)) }
        }
        for path in [folder.path, folder.path + "/none", "", "a\0b"] {
            await expectRejection(.unavailable) { _ = try await fresh.open(pin: .file(path)) }
        }
        #expect(fresh.ask("token_logins") == 0)
    }

    @Test("a closure without a PIN makes the token unavailable, and is called again")
    func noPIN() async throws {
        struct Away: Error {}
        let test = try TestToken()
        let isAway = Switch()
        let text = test.pin
        func open() async throws -> PKCS11Token {
            try await test.open(
                pin: .prompt { _ in
                    if isAway.isOn { throw Away() }
                    return .text(text)
                })
        }
        guard TestToken.isOwn else { return }
        await expectRejection(.unavailable) { _ = try await open() }
        isAway.turnOff()
        _ = try await open()
    }

    @Test(
        "without a PIN private keys are not found", .onlyOwn
    )
    func publicSession() async throws {
        let test = try TestToken()
        let label = freshLabel()
        do {
            _ = try await test.open().makeKey(.curve(.p256), use: .signature, label: label)
        }
        try test.closeAllSessions()
        let token = try await PKCS11Token.open(test.uri, module: test.module, pin: nil)
        await expectRejection(.keyNotFound) { _ = try await token.key(try uri(label)) }
    }

    @Test(
        "a token without login gets no login, and an unknown label is not found",
        .onlyOwn)
    func withoutLogin() async throws {
        let test = try TestToken()
        test.misbehave(.noLogin)
        let label = freshLabel()
        for pin in [PKCS11PIN.text(test.pin), nil] {
            let token = try await PKCS11Token.open(test.uri, module: test.module, pin: pin)
            await expectRejection(.keyNotFound) { _ = try await token.key(try uri(freshLabel())) }
            let key =
                pin == nil
                ? try await token.key(uri(label))
                : try await token.makeKey(.curve(.p256), use: .signature, label: label)
            try await key.signs(1)
        }
        #expect(test.ask("token_logins") == 0)
    }

    @Test("CKA_ALWAYS_AUTHENTICATE: the PIN is requested for each operation", .onlyOwn)
    func always() async throws {
        let test = try TestToken()
        let counted = CountedPIN(test.pin)
        let token = try await test.open(pin: counted.pin)
        test.tell("token_ask_next", 1)
        let key = try await token.signing()
        let decrypting = try await token.decrypting()
        #expect(counted.count(.operation) == 0)
        for count in 1...3 {
            let signature = try await key.signature(.es256, of: [1])
            #expect(try key.isRight(signature, .es256, of: [1]))
            #expect(counted.count(.operation) == count)
        }
        _ = try await decrypting.unwrapped(.rsaOAEP, decrypting.encryptedKey(.rsaOAEP))
        #expect(counted.count(.operation) == 4)
        // Key agreement cannot use a per-operation PIN.
        await expectRejection(.keyUnusable) {
            _ = try await token.agreeing()
        }
        // A wrong PIN is tried once.
        counted.change("000000")
        let logins = test.ask("token_logins")
        for _ in 0..<5 {
            await expectError(.unavailable) { _ = try await key.signature(.es256, of: [1]) }
        }
        #expect(test.ask("token_logins") == logins + 1)
        #expect(counted.count(.operation) == 5)
    }

    @Test("CKA_ALWAYS_AUTHENTICATE: concurrent operations try a wrong PIN once", .onlyOwn)
    func alwaysAtOnce() async throws {
        let test = try TestToken()
        let counted = CountedPIN(test.pin)
        let token = try await test.open(sessions: 8, pin: counted.pin)
        test.tell("token_ask_next", 1)
        let key = try await token.signing()
        func all() async -> Int {
            await withTaskGroup { group in
                for caller in 0..<32 {
                    group.addTask { (try? await key.signs(caller)) != nil }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
        }
        #expect(await all() == 32)
        counted.change("000000")
        counted.lingers = true
        let logins = test.ask("token_logins")
        #expect(await all() == 0)
        #expect(test.ask("token_logins") == logins + 1)
    }

    @Test(
        "CKA_ALWAYS_AUTHENTICATE: no final try unless allowed, and none of a locked PIN",
        .onlyOwn, arguments: [(1, false), (0, true)])
    func alwaysFinalTry(_ left: Int, _ allowsFinalTry: Bool) async throws {
        let test = try TestToken()
        let counted = CountedPIN(test.pin)
        let token = try await test.open(pin: counted.pin, allowsFinalTry: allowsFinalTry)
        test.tell("token_ask_next", 1)
        let key = try await token.signing()
        test.tell("token_tries", left)
        let logins = test.ask("token_logins")
        await expectError(.unavailable) { try await key.signs(1) }
        #expect(counted.count(.operation) == 0 && test.ask("token_logins") == logins)
        test.tell("token_tries", 3)
        try await key.signs(1)
    }

    @Test(
        "CKA_ALWAYS_AUTHENTICATE: a slow PIN entry blocks one thread, and other keys work",
        .onlyOwn)
    func alwaysSlow() async throws {
        let test = try TestToken()
        let slow = SlowPIN(test.pin)
        let token = try await test.open(sessions: 3, pin: slow.source)
        let plain = try await token.signing()
        test.tell("token_ask_next", 1)
        let asking = try await token.signing()
        let callers = (0..<16).map { caller in
            Task { (try? await asking.signs(caller)) != nil }
        }
        while !slow.isRequested { await Task.yield() }
        for caller in 0..<64 {
            let signature = try? await plain.signature(
                .es256, of: [UInt8(caller)], timeout: .seconds(20))
            try #require(signature != nil)
        }
        slow.give(callers.count)
        for caller in callers { #expect(await caller.value) }
    }

    @Test(
        "CKA_ALWAYS_AUTHENTICATE: a login lost during a slow PIN entry is repeated",
        .onlyOwn)
    func loginBesideSlow() async throws {
        let test = try TestToken()
        let slow = SlowPIN(test.pin)
        let token = try await test.open(sessions: 3, pin: slow.source)
        let plain = try await token.signing()
        test.tell("token_ask_next", 1)
        let asking = try await token.signing()
        let caller = Task { (try? await asking.signs(1)) != nil }
        while !slow.isRequested { await Task.yield() }
        try test.closeAllSessions()
        let logins = test.ask("token_logins")
        for caller in 0..<16 {
            let signature = try? await plain.signature(
                .es256, of: [UInt8(caller)], timeout: .seconds(20))
            #expect(signature != nil)
            guard signature != nil else { break }
        }
        #expect(test.ask("token_logins") == logins + 1)
        // Its session is lost: the operation starts again, and asks again.
        slow.give(2)
        #expect(await caller.value)
    }

    @Test(
        "CKA_ALWAYS_AUTHENTICATE: a PIN rejected while it was requested is not tried",
        .onlyOwn)
    func rejectedBesideSlow() throws {
        let test = try TestToken()
        let slow = SlowPIN(test.pin)
        let login = Login(pin: slow.source, allowsFinalTry: false)
        let (untried, running, module) = (Switch(), Switch(), test.module)
        let isStarted = WorkerPool.process.start {
            _ = try? login.operate(module, slot: 7, until: .now + ample) {
                _ throws(PKCS11Error) in untried.turnOff()
            }
            running.turnOff()
        }
        #expect(isStarted)
        while !slow.isRequested { sched_yield() }
        _ = login.record(.wrongPIN, module, slot: 7)
        slow.give(1)
        while running.isOn { sched_yield() }
        #expect(untried.isOn)
    }

    @Test(
        "PIN entry on the device needs its announced support, as others may count a failure",
        .onlyOwn)
    func onDevice() async throws {
        let test = try TestToken()
        await expectRejection(.keyUnusable) { _ = try await test.open(pin: .onDevice) }
        #expect(test.ask("token_logins") == 0)
        test.misbehave(.keypad)
        test.tell("token_ask_next", 1)
        let token = try await test.open(pin: .onDevice)
        let key = try await token.signing()
        try await key.signs(1)
        #expect(test.ask("token_logins") == 2)
    }
}
