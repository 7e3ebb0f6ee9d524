// Lost sessions, logins and tokens: recovered, rejected while they are absent, used again when they
// return.

import JOSE
import JOSEBytes
import JOSECrypto
@testable import JOSEPKCS11
import Synchronization
import Testing

@Suite("PKCS#11 token loss", .serialized)
struct LossTests {
    @Test("a removed token is unavailable, and is used again when it returns", .onlyOwn)
    func removed() async throws {
        let test = try TestToken()
        let token = try await test.open()
        let label = freshLabel()
        let key = try await token.makeKey(.rsa(bits: 2048), use: .encryption, label: label)
        let encryptedKey = try key.encryptedKey(.rsaOAEP)
        for _ in 0..<3 {
            test.tell("token_remove", 1)
            await expectError(.unavailable) { _ = try await key.unwrapped(.rsaOAEP, encryptedKey) }
            await expectRejection(.unavailable) { _ = try await token.key(try uri(label)) }
            await expectRejection(.unavailable) { _ = try await test.open() }
            test.tell("token_remove", 0)
            _ = try await key.unwrapped(.rsaOAEP, encryptedKey)
        }
    }

    @Test("another token in the slot gets no PIN and no operation, and loses no key", .onlyOwn)
    func swapped() async throws {
        let test = try TestToken()
        let token = try await test.open(sessions: 1)
        let label = freshLabel()
        let key = try await token.makeKey(.curve(.p256), use: .signature, label: label)
        for round in 0..<3 {
            test.tell("token_swap", 1)
            let (logins, operations) = (test.ask("token_logins"), test.ask("token_operations"))
            if round == 1 {
                // Another program is logged in there.
                _ = try await PKCS11Token.open(
                    PKCS11URI("\(try test.uri);serial=0003"), module: test.module,
                    pin: .text(test.pin))
            }
            await expectRejection(.unavailable) { try await token.remove(key) }
            await expectError(.unavailable) { try await key.signs(1) }
            await expectRejection(.unavailable) { _ = try await token.key(try uri(label)) }
            await expectRejection(.unavailable) {
                _ = try await token.signing()
            }
            #expect(test.ask("token_logins") == logins + (round == 1 ? 1 : 0))
            #expect(test.ask("token_operations") == operations)
            test.tell("token_swap", 0)
            try await key.signs(1)
        }
    }

    @Test(
        "two values are the same token by its own identity, whatever slots they were found in",
        .timeLimit(.minutes(1)), .onlyOwn)
    func same() async throws {
        let test = try TestToken()
        let first = try await test.unlocked("serial=0001")
        let again = try await test.unlocked("token=jose%20tests")
        #expect(try await again.isSame(as: first, timeout: ample))
        test.tell("token_swap", 1)
        let second = try await test.unlocked("serial=0003")
        #expect(try await !second.isSame(as: first, timeout: ample))
        #expect(try await !first.isSame(as: second, timeout: ample))
        test.tell("token_swap", 0)
        let back = try await test.unlocked("slot-id=7")
        #expect(try await back.isSame(as: first, timeout: ample))
        test.tell("token_twin", 1)
        let twin = try await test.unlocked("slot-id=8")
        #expect(try await !twin.isSame(as: first, timeout: ample))
        // The same token through another module.
        let other = try TestToken()
        let elsewhere = try await PKCS11Token.open(
            PKCS11URI("pkcs11:serial=0001"), module: other.module, pin: nil)
        #expect(try await !elsewhere.isSame(as: first, timeout: ample))
    }

    @Test(
        "a token that moved to another slot is the same for a caller that finds it there", .onlyOwn
    )
    func moved() async throws {
        let test = try TestToken()
        let (first, bound) = (
            try await test.unlocked("serial=0001"), try await test.unlocked("slot-id=7")
        )
        test.tell("token_move", 8)
        let now = try await test.unlocked("token=jose%20tests")
        #expect(try await now.isSame(as: first, timeout: ample))
        #expect(try await !now.isSame(as: bound, timeout: ample))
        // Two tokens with the same identity, each in its own slot.
        test.tell("token_move", 7)
        test.tell("token_copy", 1)
        let (left, right) = (
            try await test.unlocked("slot-id=7"), try await test.unlocked("slot-id=8")
        )
        #expect(try await !right.isSame(as: left, timeout: ample))
    }

    @Test(
        "comparing two tokens does not wait for the other token's threads",
        .timeLimit(.minutes(1)), .onlyOwn)
    func sameAsHanging() async throws {
        let test = try TestToken()
        let (hanging, wakeUp) = (try await test.open(sessions: 1), try WakeUpEvent())
        let work = Task {
            try await hanging.run(until: .now + ample) { _, _ throws(PKCS11Error) in wakeUp.wait() }
        }
        defer { wakeUp.signal() }
        let token = try await test.open(sessions: 1)
        let isSame = try? await token.isSame(as: hanging, timeout: .seconds(20))
        #expect(isSame == true)
        wakeUp.signal()
        try await work.value
    }

    @Test("a module that was finalized by other code is initialized again", .onlyOwn)
    func finalised() async throws {
        let test = try TestToken()
        let key = try await test.open().signing()
        test.tell("C_Finalize", 0)
        try await key.signs(1)
    }

    @Test(
        "two tokens that match a URI are rejected, and the serial number distinguishes them",
        .onlyOwn)
    func twins() async throws {
        let test = try TestToken()
        let open = try await test.open()
        let key = try await open.signing()
        test.tell("token_twin", 1)
        await expectRejection(.keyUnusable) { _ = try await test.open() }
        let named = try await PKCS11Token.open(
            PKCS11URI("\(try test.uri);serial=0001"), module: test.module, pin: .text(test.pin))
        _ = try await named.key(PKCS11URI(id: key.id, label: key.label))
        // A value that was open before still finds its token.
        try test.closeAllSessions()
        try await key.signs(1)
        test.tell("token_remove", 1)
        await expectError(.unavailable) { try await key.signs(1) }
        test.tell("token_remove", 0)
        try await key.signs(1)
        for text in [
            "serial=0003", "model=other", "manufacturer=other", "slot-id=9", "library-version=1.4",
            "slot-description=none", "slot-manufacturer=none", "library-description=none",
            "library-manufacturer=none",
        ] {
            await expectRejection(.unavailable, "\(text)") {
                _ = try await PKCS11Token.open(
                    PKCS11URI("pkcs11:\(text)"), module: test.module, pin: .text(test.pin))
            }
        }
        _ = try await PKCS11Token.open(
            PKCS11URI(
                "pkcs11:slot-id=7;model=memory;manufacturer=swift-jose;library-version=1.5;"
                    + "slot-description=a%20slot%3b%20of%20tests"), module: test.module,
            pin: .text(test.pin))
    }

    @Test("a deadline that passes while others are served is an outage", .onlyOwn)
    func deadlines() async throws {
        let test = try TestToken()
        let key = try await test.open(sessions: 1).signing()
        await expectError(.unavailable) {
            _ = try await key.signature(.es256, of: [1], timeout: .seconds(-1))
        }
        // The one thread is busy while the others' deadline passes.
        let before = test.ask("token_operations")
        test.tell("token_delay", 1_000_000)
        let first = Task { try await key.signature(.es256, of: [1]) }
        while test.ask("token_operations") == before { await Task.yield() }
        test.tell("token_delay", 0)
        let responses = await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    (try? await key.signature(.es256, of: [1], timeout: .milliseconds(50))) != nil
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(responses == 0)
        #expect(try await first.value.count == 64)
        #expect(test.ask("token_operations") == before + 1)
    }

    @Test(
        "a timeout of any length works", .onlyOwn,
        arguments: [Duration(attoseconds: .max), .seconds(Int64.max)])
    func anyTime(_ time: Duration) async throws {
        let test = try TestToken()
        let module = try await PKCS11Module.load(path: test.path, timeout: time)
        let token = try await PKCS11Token.open(
            test.uri, module: module, pin: .text(test.pin), timeout: time)
        let key = try await token.makeKey(
            .curve(.p256), use: .signature, label: freshLabel(), timeout: time)
        let held = try await token.key(
            PKCS11URI(id: key.id, label: key.label), timeout: time
        ).jwk(options: ExternalKeyOptions(timeout: time))
        _ = try await JWSSigner(key: held, algorithm: .es256).sign(Array("a".utf8), timeout: time)
        try await token.remove(key, timeout: time)
        await expectRejection(.keyNotFound) { try await token.remove(key, timeout: time) }
    }

    @Test(
        "a caller whose timeout has passed does not wait for a hanging module",
        .timeLimit(.minutes(1)),
        .onlyOwn)
    func hanging() async throws {
        let test = try TestToken()
        let (wakeUp, pin) = (try WakeUpEvent(), test.pin)
        // Nothing returns before the signal, as with a module that hangs.
        await expectRejection(.unavailable) {
            _ = try await PKCS11Token.open(
                test.uri, module: test.module,
                pin: .prompt { _ in
                    wakeUp.wait()
                    return .text(pin)
                }, timeout: .milliseconds(50))
        }
        wakeUp.signal()

        let token = try await test.open(sessions: 1)
        let label = freshLabel()
        let key = try await token.makeKey(.curve(.p256), use: .signature, label: label)
        test.tell("token_delay", 3_000_000)
        let start = ContinuousClock.now
        for time in [Duration.milliseconds(50), .zero, .seconds(-1)] {
            // The key's test operation hangs, then the operation queued after it.
            await expectRejection(.unavailable) {
                _ = try await token.key(uri(label), timeout: time)
            }
            await expectError(.unavailable) {
                _ = try await key.signature(.es256, of: [1], timeout: time)
            }
            await expectRejection(.unavailable) {
                _ = try await token.makeKey(
                    .curve(.p256), use: .signature, label: freshLabel(), timeout: time)
            }
        }
        #expect(ContinuousClock.now - start < .milliseconds(2_500))
        test.tell("token_delay", 0)
        _ = try await key.signature(.es256, of: [1])
    }

    @Test("a cancelled caller does not wait for the device", .onlyOwn)
    func cancelled() async throws {
        let test = try TestToken()
        let key = try await test.open(sessions: 1).signing()
        test.tell("token_delay", 3_000_000)
        let start = ContinuousClock.now
        let callers = (0..<8).map { _ in
            Task { try await key.signature(.es256, of: [1]) }
        }
        for caller in callers { caller.cancel() }
        for caller in callers {
            await expectError(.unavailable) { _ = try await caller.value }
        }
        #expect(ContinuousClock.now - start < .milliseconds(2_500))
        test.tell("token_delay", 0)
        _ = try await key.signature(.es256, of: [1])
    }

    @Test("an unreferenced token closes its sessions", .onlyOwn)
    func closed() async throws {
        let test = try TestToken()
        do {
            let token = try await test.open(sessions: 4)
            let key = try await token.signing()
            try await withThrowingTaskGroup { group in
                for caller in 0..<16 { group.addTask { try await key.signs(caller) } }
                try await group.waitForAll()
            }
            #expect(1...4 ~= test.ask("token_sessions"))
        }
        let end = ContinuousClock.now + .seconds(10)
        while test.ask("token_sessions") > 0, ContinuousClock.now < end { await Task.yield() }
        #expect(test.ask("token_sessions") == 0)
    }

    @Test("the number of threads blocked in a module is limited across pools")
    func keptThreads() async throws {
        let test = try TestToken()
        let workers = WorkerPool(max: 3)
        func pool() throws -> Pool {
            let login = Login(pin: .text(test.pin), allowsFinalTry: false)
            return Pool(try SlotBinding(test.uri, test.module, login), threads: 2, workers: workers)
        }
        func rejected(_ pool: Pool, _ wakeUp: WakeUpEvent) async throws -> StaticString? {
            do throws(PKCS11Error) {
                try await pool.run(until: .now + .milliseconds(20)) { _ in wakeUp.wait() }
                return nil
            } catch {
                guard case .unavailable(let reason) = error else { throw error }
                return reason
            }
        }
        let wakeUps = try (0..<3).map { _ in try WakeUpEvent() }
        for wakeUp in wakeUps {
            let pool = try pool()
            #expect(try await rejected(pool, wakeUp)?.description.contains("in time") == true)
            pool.close()
        }
        let (last, wakeUp) = (try pool(), try WakeUpEvent())
        #expect(try await rejected(last, wakeUp)?.description.contains("no thread") == true)
        last.close()
        for wakeUp in wakeUps { wakeUp.signal() }
        // They end by themselves and free their slots for others.
        let free = try pool()
        wakeUp.signal()
        while (try? await free.run(until: .now + ample) { _ in wakeUp.wait() }) == nil {
            await Task.yield()
        }
        free.close()
    }

    @Test("a thread that cannot be started leaves waiting operations to an idle one")
    func failedStart() async throws {
        let test = try TestToken()
        let (ending, failing) = (try WakeUpEvent(), try WakeUpEvent())
        defer { failing.signal() }
        let come = Come()
        let workers = WorkerPool(max: 3) { body in
            if come.count.add(1, ordering: .relaxed).newValue == 1 { return startThread(body) }
            failing.wait()
            return false
        }
        let login = Login(pin: .text(test.pin), allowsFinalTry: false)
        let pool = Pool(try SlotBinding(test.uri, test.module, login), threads: 2, workers: workers)
        defer { pool.close() }
        func reached(_ condition: () -> Bool) async {
            let end = ContinuousClock.now + .seconds(20)
            while !condition(), ContinuousClock.now < end { await Task.yield() }
            #expect(condition())
        }
        let first = Task { try await pool.run(until: .now + ample) { _ in ending.wait() } }
        await reached { come.count.load(ordering: .relaxed) == 1 && pool.counts == (0, 0) }
        // This caller starts the second thread, which takes long and fails.
        let second = Task(executorPreference: OwnThreads()) {
            try await pool.run(until: .now + ample) { _ in }
        }
        await reached { come.count.load(ordering: .relaxed) == 2 }
        ending.signal()
        await reached { pool.counts == (0, 1) }
        let third = Task { try await pool.run(until: .now + .seconds(10)) { _ in } }
        await reached { pool.counts == (1, 1) }
        failing.signal()
        try await first.value
        try await second.value
        try await third.value
    }

    @Test(
        "operations that need a PIN have their own limit, and cancelled ones free their places",
        arguments: [(needsPIN: true, limit: 256), (needsPIN: false, limit: 4_096)])
    func bound(_ needsPIN: Bool, _ limit: Int) async throws {
        let test = try TestToken()
        let login = Login(pin: .text(test.pin), allowsFinalTry: false)
        let pool = Pool(try SlotBinding(test.uri, test.module, login), threads: needsPIN ? 2 : 1)
        defer { pool.close() }
        let (wakeUp, come) = (try WakeUpEvent(), Come())
        defer { wakeUp.signal() }
        let slow = Task {
            try await pool.run(until: .now + ample, needsPIN: needsPIN) { _ in
                come.count.add(1, ordering: .relaxed)
                wakeUp.wait()
            }
        }
        while come.count.load(ordering: .relaxed) == 0 { await Task.yield() }
        // More than the queue accepts. The queued ones wait until they are cancelled.
        let callers = (0..<5_000).map { _ in
            Task { () async -> String in
                do throws(PKCS11Error) {
                    try await pool.run(until: .now + ample, needsPIN: needsPIN) { _ in }
                    return "done"
                } catch {
                    guard case .unavailable(let reason) = error else { return "\(error)" }
                    if reason.description.contains("too many") {
                        come.rejected.add(1, ordering: .relaxed)
                    }
                    return reason.description
                }
            }
        }
        let end = ContinuousClock.now + .seconds(20)
        while come.rejected.load(ordering: .relaxed) < 5_000 - limit, ContinuousClock.now < end {
            await Task.yield()
        }
        #expect(come.rejected.load(ordering: .relaxed) == 5_000 - limit)
        // Another key works meanwhile.
        if needsPIN { try await pool.run(until: .now + ample) { _ in } }
        for caller in callers { caller.cancel() }
        for caller in callers {
            let said = await caller.value
            #expect(said.contains("cancelled") || said.contains("too many"), "\(said)")
        }
        // Now another caller waits and is not rejected.
        let waits = await #expect(throws: PKCS11Error.self) {
            try await pool.run(until: .now + .milliseconds(100), needsPIN: needsPIN) { _ in }
        }
        guard case .unavailable(let reason) = waits else {
            Issue.record("\(String(describing: waits))")
            return
        }
        #expect(!reason.description.contains("too many"), "\(reason)")
        wakeUp.signal()
        try await slow.value
    }

    @Test("blocking work uses all threads, each woken by the previous, and then they sleep")
    func allThreads() async throws {
        let test = try TestToken()
        let login = Login(pin: .text(test.pin), allowsFinalTry: false)
        let pool = Pool(try SlotBinding(test.uri, test.module, login), threads: 4)
        defer { pool.close() }
        for _ in 0..<3 {
            // No operation continues before all four are running.
            let wakeUps = try (0..<4).map { _ in try WakeUpEvent() }
            let come = Come()
            try await withThrowingTaskGroup { group in
                for number in 0..<4 {
                    group.addTask {
                        try await pool.run(until: .now + ample) { _ in
                            if come.count.add(1, ordering: .relaxed).newValue == 4 {
                                for wakeUp in wakeUps { wakeUp.signal() }
                            }
                            wakeUps[number].wait()
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(come.count.load(ordering: .relaxed) == 4)
        }
    }
}

/// Runs each job of a task on a thread of its own, which may block.
private final class OwnThreads: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isStarted = startThread {
            unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
        #expect(isStarted)
    }
}

private final class Come: Sendable {
    let count = Atomic<Int>(0)
    let rejected = Atomic<Int>(0)
}
