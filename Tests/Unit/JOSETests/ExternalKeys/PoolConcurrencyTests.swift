// RSA private keys that a pool of threads serves.
//
// Small enough for the thread sanitizer.

import Glibc
import JOSEBytes
import JOSECrypto
import Synchronization
import Testing

@testable import JOSE

@Suite("Pool concurrency")
struct PoolConcurrencyTests {
    private static let tasks = 48

    /// Keys of two sizes, with and without kernels.
    private static let keys: [JWK] = [
        TestKeys.bare(TestKeys.signing).withAcceleration(.withPrivateKeys),
        TestKeys.bare(TestKeys.large).withAcceleration(.withPrivateKeys),
        TestKeys.bare(TestKeys.client),
    ]

    private static let header = #"{"alg":"RSA-OAEP-256","enc":"A128CBC-HS256"}"#

    /// Runs `body` in many tasks at once, each with its number.
    private func together(
        _ count: Int = tasks, _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count { group.addTask { try await body(index) } }
            try await group.waitForAll()
        }
    }

    @Test("signatures and decryptions of several keys, each right", arguments: [1, 2, 8])
    func shared(_ threads: Int) async throws {
        let pool = try PrivateKeyPool(threads: threads)
        let served = try Self.keys.map { try $0.served(by: pool) }
        let signers = try served.map { try JWSSigner(key: $0, algorithm: .rs256) }
        let local = try Self.keys.map { try JWSSigner(key: $0, algorithm: .rs256) }
        let decrypters = try served.map {
            try JWEDecrypter.with($0, .rsaOAEP256, .a128CBCHS256)
        }
        let tokens = try Self.keys.map {
            try TestToken.encrypted(Self.header, "text", to: $0.publicKey, .rsaOAEP256)
        }
        try await together { task in
            let index = task % 3
            if task % 2 == 0 {
                let payload = Array("payload \(task)".utf8)
                let token = try await signers[index].sign(payload, timeout: ample)
                #expect(try token == local[index].sign(payload))
            } else {
                // Every fourth has an encrypted key that decrypts to another block.
                let parts = tokens[index].split(separator: ".")
                let isWrong = task % 4 == 3
                let token =
                    isWrong
                    ? TestToken.replacing(
                        1, of: tokens[index], by: "AAAA" + parts[1].dropFirst(4))
                    : tokens[index]
                do throws(JOSEError) {
                    let opened = try await decrypters[index].decrypt(token, timeout: ample)
                    #expect(!isWrong && opened.unauthenticatedPlaintext == Array("text".utf8))
                } catch {
                    #expect(isWrong && error == .decryptionFailed)
                }
            }
        }
    }

    @Test("every algorithm of the key, also for nested tokens")
    func algorithms() async throws {
        let pool = try PrivateKeyPool()
        let key = try Self.keys[0].served(by: pool)
        #expect(key.isPrivate)
        expectRejection("misuse") { _ = try key.privateJSON() }
        for algorithm in SignatureAlgorithm.all where algorithm.keyTypes == [.rsa] {
            let issuer = try JWTIssuer(
                key: key, algorithm: algorithm, lifetime: .seconds(60))
            let token = try await issuer.issue(["sub": "s"], timeout: ample)
            _ = try JWSVerifier(key: key.publicKey, algorithms: [algorithm]).verify(token)
            expectRejection("misuse") { _ = try issuer.issue(["sub": "s"]) }
        }
        for algorithm in KeyManagementAlgorithm.all where algorithm.keyTypes == [.rsa] {
            let token = try JWEEncrypter.with(key.publicKey, algorithm, .a256GCM).encrypt("p")
            let opened = try await JWEDecrypter.with(
                key, algorithm, .a256GCM
            ).decrypt(token, timeout: ample)
            #expect(opened.unauthenticatedPlaintext == Array("p".utf8))
        }
    }

    @Test("a key's use and alg limit what the pool's key does")
    func limited() throws {
        let pool = try PrivateKeyPool()
        let signing = try TestKeys.signing.served(by: pool)
        #expect(signing.keyID == "sig-1" && signing.algorithm == TestKeys.signing.algorithm)
        _ = try JWSSigner(key: signing, algorithm: .rs256)
        expectRejection("key-unusable") { _ = try JWSSigner(key: signing, algorithm: .ps256) }
        expectRejection("key-unusable") {
            _ = try JWEDecrypter.with(signing, .rsaOAEP, .a128CBCHS256)
        }
    }

    @Test("keys that a pool cannot serve, and a number of threads out of range")
    func misuse() async throws {
        let pool = try PrivateKeyPool(threads: 1_024)
        for count in [0, -1, 1_025] {
            expectRejection("misuse") { _ = try PrivateKeyPool(threads: count) }
        }
        let key = Self.keys[0]
        expectRejection("misuse") {
            _ = try key.withAcceleration(.openSSLOnly).served(by: pool)
        }
        for other in [KeyAcceleration.openSSLOnly, .noKernels, .automatic] {
            let moved = try key.served(by: pool).withAcceleration(other)
            expectRejection("misuse") { _ = try JWSSigner(key: moved, algorithm: .rs256) }
        }
        _ = try JWSSigner(
            key: key.served(by: pool).withAcceleration(.withPrivateKeys).checkingEverySignature(),
            algorithm: .rs256)
        let moved = try key.served(by: pool).withAcceleration(.noKernels)
        let token = try JWEEncrypter.with(key.publicKey, .rsaOAEP256, .a128CBCHS256).encrypt("text")
        await expectRejection("misuse") {
            _ = try await JWEDecrypter.with(
                moved, .rsaOAEP256, .a128CBCHS256
            ).decrypt(token, timeout: .seconds(10))
        }
        expectRejection("misuse") { _ = try key.served(by: pool).served(by: pool) }
        expectRejection("misuse") {
            _ = try key.served(by: pool, options: ExternalKeyOptions(maxConcurrent: 0))
        }
        expectRejection("key-unusable") { _ = try key.publicKey.served(by: pool) }
        expectRejection("key-unusable") {
            _ = try TestKeys.signer(for: .es256).served(by: pool)
        }
        expectRejection("key-unusable") {
            _ = try TestKeys.signer(for: .hs256).served(by: pool)
        }
    }

    @Test("deadlines and cancellation end a call; the others are right")
    func ends() async throws {
        let pool = try PrivateKeyPool()
        let events = OperatorEvents()
        let key = try Self.keys[1].served(by: pool, options: events.rule(maxConcurrent: 1_000))
        let signer = try JWSSigner(key: key, algorithm: .rs256)
        let local = try JWSSigner(key: Self.keys[1], algorithm: .rs256)
        await expectRejection("unavailable") {
            _ = try await signer.sign([1], timeout: .zero)
        }
        #expect(events.all == ["sign timeout"])
        try await together { task in
            let payload = [UInt8(task)]
            let call = Task { try await signer.sign(payload, timeout: ample) }
            if task % 3 == 1 { call.cancel() }
            do {
                #expect(try await call.value == local.sign(payload))
            } catch {
                #expect(task % 3 == 1 && (error as? JOSEError)?.code == .unavailable)
            }
        }
        try await together { task in
            // Some are too late in the queue of one thread.
            do throws(JOSEError) {
                _ = try await signer.sign([UInt8(task)], timeout: .milliseconds(20))
            } catch {
                #expect(error.code == .unavailable)
            }
        }
        #expect(try await signer.sign([7], timeout: ample) == local.sign([7]))
    }

    @Test("a full queue rejects at once")
    func full() async throws {
        let events = OperatorEvents()
        let key = try Self.keys[1].served(
            by: PrivateKeyPool(), options: events.rule(maxConcurrent: 1, maxWaiting: 1))
        let signer = try JWSSigner(key: key, algorithm: .rs256)
        try await together { task in
            do throws(JOSEError) {
                _ = try await signer.sign([UInt8(task)], timeout: ample)
            } catch {
                #expect(error.code == .unavailable)
            }
        }
        #expect(events.all.allSatisfy { $0 == "sign queue-full" })
    }

    @Test("after a fork, and when the pool is released")
    func lives() async throws {
        let operation = try Self.keys[0].prepared.signature(.rs256, signing: true)
        let digest = [UInt8](repeating: 1, count: 32)
        let forked = PoolThreads(max: 1, process: HostProcess.identifier &+ 1)
        await #expect(throws: ExternalKeyError.unavailable) {
            _ = try await forked.run(
                .sign(operation, digest: digest), before: .end(of: ample))
        }
        var pool: PrivateKeyPool? = try PrivateKeyPool(threads: 2)
        weak let threads = pool?.threads
        var key: JWK? = try Self.keys[0].served(by: try need(pool))
        pool = nil
        _ = try await JWSSigner(key: need(key), algorithm: .rs256).sign([1], timeout: ample)
        #expect(threads != nil)
        key = nil
        while threads != nil { await Task.yield() }
    }

    @Test("a cancelled or late operation leaves the queue at once")
    func leaving() async throws {
        let operation = try Self.keys[0].prepared.signature(.rs256, signing: true)
        let digest = [UInt8](repeating: 1, count: 32)
        let threads = PoolThreads(max: 0)  // no operation starts
        let full = PoolQueue.capacity
        func call(_ time: Duration) -> Task<Void, any Error> {
            Task {
                _ = try await threads.run(.sign(operation, digest: digest), before: .end(of: time))
            }
        }
        var calls = (0..<full - 1).map { _ in call(ample) }
        while threads.waitingCount < full - 1 { await Task.yield() }
        await #expect(throws: ExternalKeyError.unavailable) {
            try await call(.milliseconds(10)).value
        }
        #expect(threads.waitingCount == full - 1)
        for index in [full - 2, 1_000, 0] {
            calls[index].cancel()
            await #expect(throws: ExternalKeyError.unavailable) { try await calls[index].value }
            calls.remove(at: index)
        }
        #expect(threads.waitingCount == full - 4)
        for call in calls { call.cancel() }
        for call in calls { _ = await call.result }
        #expect(threads.waitingCount == 0)
    }

    @Test("a key whose operations fill the queue leaves places to others")
    func shares() async throws {
        let events = OperatorEvents()
        let pool = PrivateKeyPool(on: PoolThreads(max: 0))  // no operation starts
        func signer(_ key: JWK) throws -> JWSSigner {
            try JWSSigner(
                key: key.served(by: pool, options: events.rule(maxConcurrent: 10_000)),
                algorithm: .rs256)
        }
        let (first, second) = (try signer(Self.keys[0]), try signer(Self.keys[1]))
        func call(_ signer: JWSSigner) -> Task<Void, any Error> {
            Task { _ = try await signer.sign([1], timeout: ample) }
        }
        let half = PoolQueue.capacity / 2
        var calls = (0..<half).map { _ in call(first) }
        while pool.threads.waitingCount < half { await Task.yield() }
        await #expect(throws: JOSEError.self) { try await call(first).value }
        #expect(events.all == ["sign queue-full"])
        calls += (0..<half / 2).map { _ in call(second) }
        while pool.threads.waitingCount < half + half / 2 { await Task.yield() }
        await #expect(throws: JOSEError.self) { try await call(second).value }
        #expect(events.all == ["sign queue-full", "sign queue-full"])
        // A place that becomes free can be used again.
        calls[0].cancel()
        _ = await calls[0].result
        calls.append(call(second))
        while pool.threads.waitingCount < half + half / 2 { await Task.yield() }
        for call in calls { call.cancel() }
        for call in calls { _ = await call.result }
        #expect(pool.threads.waitingCount == 0)
    }

    @Test("an operation that the machine does not compute is an outage of decryption")
    func machine() async throws {
        let pool = try PrivateKeyPool()
        let key = Self.keys[0].prepared
        let unwrapping = try key.keyManagement(.rsaOAEP256, wrapping: false)
        // Not taken by a batch, as after a failure. Such an encrypted key is never requested.
        await #expect(throws: ExternalKeyError.unavailable) {
            _ = try await pool.threads.run(
                .unwrap(unwrapping, encryptedKey: [1]), before: .end(of: ample))
        }
        let signing = try key.signature(.rs256, signing: true)
        await #expect(throws: ExternalKeyError.failed) {
            _ = try await pool.threads.run(.sign(signing, digest: [1]), before: .end(of: ample))
        }
    }

    @Test("if no thread can be started, all waiting operations fail, and later ones are computed")
    func noThread() async throws {
        let operation = try Self.keys[0].prepared.signature(.rs256, signing: true)
        let digest = [UInt8](repeating: 1, count: 32)
        let isBroken = Atomic(true)
        let threads = PoolThreads(max: 2) { body in
            !isBroken.load(ordering: .relaxed) && startThread(body)
        }
        defer { threads.close() }
        for _ in 0..<3 {
            await #expect(throws: ExternalKeyError.unavailable) {
                _ = try await threads.run(
                    .sign(operation, digest: digest), before: .end(of: ample))
            }
        }
        #expect(threads.waitingCount == 0)
        isBroken.store(false, ordering: .relaxed)
        _ = try await threads.run(.sign(operation, digest: digest), before: .end(of: ample))
    }

    @Test("a thread that cannot be started leaves waiting operations to an idle one")
    func failedStart() async throws {
        let operation = try Self.keys[1].prepared.signature(.rs256, signing: true)
        func job() -> PoolJob {
            PoolJob(
                .sign(operation, digest: [UInt8](repeating: 1, count: 32)),
                before: .end(of: ample), nil)
        }
        // The second thread starts only while the first one still computes, which is likely.
        for _ in 0..<100 {
            let (first, second, third) = (job(), job(), job())
            let starts = Atomic(0)
            let pool = Lock<PoolThreads?>(nil)
            let threads = PoolThreads(max: 2) { body in
                guard let threads = pool.withLock({ $0 }) else { return false }
                if starts.add(1, ordering: .relaxed).newValue == 1 {
                    guard startThread(body) else { return false }
                    while threads.waitingCount > 0 { sched_yield() }
                    return true
                }
                // Meanwhile the first one does all work and becomes idle. Then more comes.
                while threads.idleCount == 0 { sched_yield() }
                #expect(threads.submit(third) && threads.waitingCount == 1)
                return false
            }
            pool.withLock { $0 = threads }
            defer {
                pool.withLock { $0 = nil }
                threads.close()
            }
            #expect(threads.submit(first) && threads.submit(second))
            guard starts.load(ordering: .relaxed) == 2 else { continue }
            let end = ContinuousClock.now + .seconds(10)
            while !third.wait.isOver, ContinuousClock.now < end { await Task.yield() }
            #expect(first.wait.isOver && second.wait.isOver && third.wait.isOver)
            _ = try third.output()
            return
        }
        Issue.record("no second thread was needed")
    }

    @Test("the queue is first come first served; operations in lanes of one size run together")
    func queue() throws {
        let operations = try Self.keys.map { try $0.prepared.signature(.rs256, signing: true) }
        func jobs(_ kinds: [Int]) -> [PoolJob] {
            kinds.map { kind in
                PoolJob(
                    .sign(operations[kind], digest: [UInt8(kind)]), before: .end(of: ample), nil)
            }
        }
        // 0: 2048 bits, 1: 4096 bits, 2: 2048 bits without lanes.
        func usesLanes(_ work: PoolJob.Work) -> Bool {
            if case .sign(_, [2]) = work { false } else { true }
        }
        let rows: [(kinds: [Int], taken: [[Int]])] = [
            ([], []), ([0], [[0]]), ([0, 0], [[0], [1]]), ([0, 0, 0], [[0], [1], [2]]),
            ([0, 0, 0, 0, 0], [[0, 1, 2, 3], [4]]), ([1, 1], [[0, 1]]),
            ([2, 2, 2], [[0], [1], [2]]), ([0, 1, 0, 1, 0, 0, 2], [[0, 2, 4, 5], [1, 3], [6]]),
            ([0, 1, 0, 1, 0, 2], [[0], [1, 3], [2], [4], [5]]),
            ([0, 1, 0, 1, 1], [[0], [1, 3, 4], [2]]),
            (
                [0] + [Int](repeating: 2, count: 40) + [0, 0],
                (0..<43).map { [$0] }
            ),
        ]
        for (kinds, taken) in rows {
            for hasLanes in [true, false] {
                var queue = PoolQueue()
                let all = jobs(kinds)
                for job in all { queue.append(job) }
                #expect(queue.count == kinds.count)
                var seen: [[Int]] = []
                while !queue.isEmpty {
                    seen.append(
                        queue.take { hasLanes && usesLanes($0) }.map { job in
                            all.firstIndex { $0 === job } ?? -1
                        })
                }
                #expect(seen == (hasLanes ? taken : kinds.indices.map { [$0] }), "\(kinds)")
                #expect(queue.take(inLanesIf: usesLanes).isEmpty)
            }
        }
        var queue = PoolQueue()
        for job in jobs([Int](repeating: 0, count: 500)) { queue.append(job) }
        var count = 0
        while !queue.isEmpty { count += queue.take(inLanesIf: usesLanes).count }
        #expect(count == 500)
        let three = jobs([0, 0, 0])
        for job in three { queue.append(job) }
        queue.remove(three[1])
        queue.remove(three[1])
        #expect(queue.count == 2 && queue.take(inLanesIf: usesLanes).first === three[0])
        #expect(queue.takeAll().count == 1 && queue.isEmpty)
    }
}
