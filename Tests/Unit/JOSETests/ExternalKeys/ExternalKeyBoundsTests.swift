// How many operations an external key gets, how long they may take, and how such a key behaves in
// synchronous calls.

import JOSE
import JOSEBytes
import JOSECrypto
import Synchronization
import Testing

@Suite("External keys: limits and misuse")
struct ExternalKeyBoundsTests {
    private static let key: JWK = {
        var key = TestKeys.bare(TestKeys.signing)
        key.keyID = "held"
        return key
    }()

    /// Opens once and resumes all that wait.
    private struct Door: Sendable {
        private let opened = Gauge()
        private let came = Gauge()
        func pass() async {
            came.rise()
            await opened.reach(1)
        }
        func open() { opened.rise() }
        /// Waits until this many have arrived.
        func gather(_ wanted: Int) async { await came.reach(wanted) }
    }

    private func signer(_ externalKey: TestExternalKey, _ rule: ExternalKeyOptions) throws
        -> JWSSigner
    {
        try JWSSigner(
            key: Self.key.publicKey.withExternalKey(externalKey, options: rule), algorithm: .rs256)
    }

    @Test("taking a secret out of an array fills the array with zeros", arguments: [0, 1, 32, 300])
    func wiping(_ count: Int) {
        var bytes = [UInt8](repeating: 7, count: count)
        let secret = ExternalKeySecret(wiping: &bytes)
        #expect(bytes == [UInt8](repeating: 0, count: count))
        let kept = secret.bytes.withSpan { span in
            [UInt8](capacity: span.count) { $0.append(copying: span) }
        }
        #expect(kept == [UInt8](repeating: 7, count: count))
        #expect("\(secret)" == "ExternalKeySecret")
    }

    @Test("the size of a secret is limited", arguments: [(-1, 0), (.min, 0), (.max, 1_048_576)])
    func secretSize(_ asked: Int, _ made: Int) {
        #expect(ExternalKeySecret(count: asked) { _ in }.bytes.withSpan { $0.count } == made)
    }

    /// Returns when its caller is cancelled, while its operation continues until the door opens.
    private struct OngoingKey: DeadlineKeepingExternalKey {
        let capabilities = ExternalKeyCapabilities(signatures: [.rs256])
        let door = Door()
        let started = Gauge()

        func sign(
            _ request: ExternalSigningRequest
        ) async throws(ExternalKeyError) -> ExternalSignature {
            started.rise()
            let operation = Task { [permit = request.permit] in
                await door.pass()
                withExtendedLifetime(permit) {}
            }
            while !Task.isCancelled { await Task.yield() }
            _ = operation
            throw .unavailable
        }
    }

    @Test("a cancelled operation that continues keeps its place until it ends")
    func permitOfCancelled() async throws {
        let external = OngoingKey()
        let signer = try JWSSigner(
            key: Self.key.publicKey.withExternalKey(
                external, options: ExternalKeyOptions(maxConcurrent: 1, timeout: ample)),
            algorithm: .rs256)
        let first = Task { try await signer.sign(Array("a".utf8), timeout: ample) }
        await external.started.reach(1)
        first.cancel()
        await expectRejection("unavailable") { _ = try await first.value }
        let second = Task { try await signer.sign(Array("a".utf8), timeout: ample) }
        try await Task.sleep(for: .milliseconds(50))
        #expect(external.started.value == 1)
        external.door.open()
        await external.started.reach(2)
        second.cancel()
        await expectRejection("unavailable") { _ = try await second.value }
    }

    @Test(
        "Timeouts of a call and of the options may have any length",
        arguments: [Duration(attoseconds: .max), .seconds(Int64.max), Duration(attoseconds: .min)])
    func anyTime(_ time: Duration) async throws {
        let externalKey = try TestExternalKey(Self.key)
        let signer = try signer(
            externalKey, ExternalKeyOptions(timeout: time > .zero ? time : ample))
        guard time > .zero else {
            await expectRejection("unavailable") {
                _ = try await signer.sign(Array("a".utf8), timeout: time)
            }
            return
        }
        _ = try await signer.sign(Array("a".utf8), timeout: time)
        #expect(externalKey.callCount == 1)
    }

    @Test(
        "A hanging external key is unavailable at the deadline, the call's or the options'"
    )
    func deadlines() async throws {
        let door = Door()
        defer { door.open() }
        for (within, rule) in [(Duration.milliseconds(20), ample), (ample, .milliseconds(20))] {
            let events = OperatorEvents()
            let externalKey = TestExternalKey(sign: { _ in
                await door.pass()
                return nil
            })
            let signer = try signer(externalKey, events.rule(timeout: rule))
            let start = ContinuousClock.now
            let error = await expectRejection("unavailable") {
                _ = try await signer.sign(Array("x".utf8), timeout: within)
            }
            #expect(error?.step == .key)
            #expect(ContinuousClock.now - start >= .milliseconds(20))
            #expect(events.all == ["sign timeout"])
        }
        // Without any time the key is not called.
        let events = OperatorEvents()
        let externalKey = try TestExternalKey(Self.key)
        let signer = try signer(externalKey, events.rule())
        for none in [Duration.zero, .seconds(-1)] {
            await expectRejection("unavailable") {
                _ = try await signer.sign(Array("x".utf8), timeout: none)
            }
        }
        #expect(externalKey.callCount == 0 && events.all == ["sign timeout", "sign timeout"])
        _ = try await signer.sign(Array("x".utf8), timeout: .seconds(Int64.max))
    }

    @Test(
        "A cancelled call ends at once and cancels the key's task, whose end frees the slot"
    )
    func cancellation() async throws {
        let events = OperatorEvents()
        let door = Door()
        let isCancelled = Mutex(false)
        let honest = try TestExternalKey(Self.key)
        let calls = Mutex(0)
        let externalKey = TestExternalKey(sign: { request in
            guard
                calls.withLock({ calls in
                    calls += 1; return calls
                }) == 1
            else {
                return try? await honest.sign(request)
            }
            await door.pass()
            isCancelled.withLock { $0 = Task.isCancelled }
            return nil
        })
        let signer = try signer(externalKey, events.rule(maxConcurrent: 1, maxWaiting: 1))
        let first = Task { try await signer.sign(Array("x".utf8), timeout: ample) }
        await door.gather(1)
        first.cancel()
        await expectRejection("unavailable") { _ = try await first.value }
        #expect(events.all == ["sign cancelled"])
        // Its slot is not free yet: the next operation waits, and the one after it is rejected.
        let second = Task { try await signer.sign(Array("y".utf8), timeout: ample) }
        while true {
            // Until the second has taken the only slot in the queue.
            let rejected = Task {
                try await signer.sign(Array("z".utf8), timeout: .milliseconds(1))
            }
            await expectRejection("unavailable") { _ = try await rejected.value }
            if events.all.last == "sign queue-full" { break }
        }
        door.open()
        #expect(try await !second.value.isEmpty)
        #expect(isCancelled.withLock { $0 })
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await signer.sign(Array("x".utf8), timeout: ample)
        }
        await expectRejection("unavailable") { _ = try await late.value }
        #expect(events.all.last == "sign cancelled")
        #expect(externalKey.callCount == 2)
    }

    @Test("1,000 concurrent operations use no thread each and never exceed the limit")
    func thousand() async throws {
        let signature = try await Signed.one(Self.key)
        let came = Gauge()
        // No operation ends before all have started.
        let externalKey = TestExternalKey(sign: { _ in
            came.rise()
            await came.reach(1_000)
            return .plain(signature)
        })
        let events = OperatorEvents()
        let all = try signer(externalKey, events.rule(maxConcurrent: 1_000, maxWaiting: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<1_000 {
                group.addTask { _ = try await all.sign(Signed.payload, timeout: ample) }
            }
            try await group.waitForAll()
        }
        #expect(
            externalKey.callCount == 1_000 && externalKey.underWay.withLock { $0.most } == 1_000)
        let few = TestExternalKey(sign: { _ in
            await Task.yield()
            return .plain(signature)
        })
        let bounded = try signer(few, events.rule(maxConcurrent: 3, maxWaiting: 1_000))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<1_000 {
                group.addTask { _ = try await bounded.sign(Signed.payload, timeout: ample) }
            }
            try await group.waitForAll()
        }
        #expect(few.underWay.withLock { $0.most } <= 3)
        #expect(few.callCount == 1_000 && events.all == [])
    }

    @Test("A full queue rejects at once, and queued operations start as running ones end")
    func queue() async throws {
        let events = OperatorEvents()
        let door = Door()
        let externalKey = TestExternalKey(sign: { _ in
            await door.pass()
            return nil
        })
        let signer = try signer(externalKey, events.rule(maxConcurrent: 2, maxWaiting: 5))
        let tasks = (0..<20).map { number in
            Task { try await signer.sign([UInt8(number)], timeout: ample) }
        }
        await events.reach(13)
        #expect(events.all == Array(repeating: "sign queue-full", count: 13))
        #expect(externalKey.callCount <= 2)
        door.open()
        var verdicts: [String: Int] = [:]
        for task in tasks {
            do {
                _ = try await task.value
            } catch let error as JOSEError {
                verdicts[error.code.name, default: 0] += 1
            }
        }
        #expect(verdicts == ["unavailable": 13, "internal": 7])
        #expect(externalKey.callCount == 7 && externalKey.underWay.withLock { $0.most } == 2)
    }

    @Test("An outage reported by an external key is unavailable, for decryption too")
    func outage() async throws {
        let events = OperatorEvents()
        let externalKey = TestExternalKey(failure: .unavailable)
        let signer = try signer(externalKey, events.rule())
        await expectRejection("unavailable") {
            _ = try await signer.sign(Array("x".utf8), timeout: ample)
        }
        let key = TestKeys.decrypting
        let token = try JWEEncrypter.with(key.publicKey, .rsaOAEP, .a128GCM).encrypt("plaintext")
        let decrypter = try JWEDecrypter.with(
            key.publicKey.withExternalKey(externalKey, options: events.rule()), .rsaOAEP, .a128GCM)
        await expectRejection("unavailable") {
            _ = try await decrypter.decrypt(token, timeout: ample)
        }
        #expect(events.all == ["sign unavailable", "unwrap unavailable"])
    }

    @Test("An external key is private, has no private JSON and keeps its public part")
    func misuse() throws {
        let certified = try TestKeys.signing.withSelfSignedCertificate(
            subject: CertificateSubject(commonName: "held"),
            from: NumericDate(seconds: 1_700_000_000), until: NumericDate(seconds: 4_000_000_000))
        var key = try JWK(certificates: need(certified.certificateChain), keyID: "held")
        key.use = .signature
        key.keyOperations = [.verify]
        let held = try key.withExternalKey(TestExternalKey())
        #expect(held.isPrivate && !key.isPrivate)
        #expect(held.keyOperations == [.sign])
        #expect(try held.publicJSON() == key.publicJSON())
        #expect(try held.thumbprint() == key.thumbprint())
        #expect(try JWKSet(keys: [held]).publicKeys.json() == PublicJWKSet(keys: [key]).json())
        #expect(try held.publicKey.keyOperations == [.verify] && !held.publicKey.isPrivate)
        #expect(
            held.withAcceleration(.noKernels).isPrivate && held.checkingEverySignature().isPrivate)
        #expect(try held.publicKeyFile(.der) == key.publicKeyFile(.der))
        let misuses: [() throws -> Any] = [
            { try held.privateJSON() }, { try JWKSet(keys: [held]).privateJSON() },
            { try held.withPrivateKeyFile(.pem) { _ in } },
            { try held.pkcs12File(password: [1, 2, 3]) },
            { try held.withExternalKey(TestExternalKey()) },
            { try TestKeys.signing.withExternalKey(TestExternalKey()) },
        ]
        for misuse in misuses { expectRejection("misuse") { _ = try misuse() } }
        expectRejection("key-unusable") {
            _ = try JWK.generate(.symmetric(bits: 256)).withExternalKey(TestExternalKey())
        }
        for rule in [
            ExternalKeyOptions(maxConcurrent: 0), ExternalKeyOptions(maxWaiting: -1),
            ExternalKeyOptions(timeout: .zero),
        ] {
            expectRejection("misuse") {
                _ = try key.withExternalKey(TestExternalKey(), options: rule)
            }
        }
        let none = try TestKeys.bare(TestKeys.signing).publicKey.withExternalKey(
            TestExternalKey(capabilities: ExternalKeyCapabilities()))
        expectRejection("key-unusable") { _ = try JWSSigner(key: none, algorithm: .rs256) }
        expectRejection("key-unusable") {
            _ = try JWEDecrypter.with(none, .rsaOAEP, .a128GCM)
        }
        #expect("\(held)".contains(", external"))
    }
}

/// A signature that an external key may return repeatedly.
private enum Signed {
    static let payload = Array("the same".utf8)

    static func one(_ key: JWK) async throws -> [UInt8] {
        let token = try JWSSigner(key: key, algorithm: .rs256).sign(payload)
        return try Independent.base64URL(String(try need(token.split(separator: ".").last)))
    }
}
