// A private key that is elsewhere, as the engine sees it: questions, and what comes of them.

/// A custodian with the bounds on what it is asked, shared by all copies of a key.
package final class HeldKey: Sendable {
    package let abilities: CustodianAbilities
    private let custodian: any KeyCustodian
    private let rule: CustodyRule
    private let keyID: String?
    private let gate: CustodyGate
    private let clock = CustodyClock()
    private let isPunctual: Bool

    /// Throws `misuse` for a rule by which nothing can be asked.
    package init(
        _ custodian: any KeyCustodian, _ rule: CustodyRule, keyID: String?
    ) throws(JOSEError) {
        guard rule.mostUnderWay > 0, rule.mostWaiting >= 0, rule.answersWithin > .zero else {
            throw .misuse("a custodian is asked something at a time, and has some time for it")
        }
        self.custodian = custodian
        self.rule = rule
        self.keyID = keyID
        abilities = custodian.abilities
        gate = CustodyGate(rule)
        isPunctual = custodian is any PunctualCustodian
    }

    package func tell(_ kind: CustodyEvent.Kind, of operation: CustodyEvent.Operation) {
        rule.observe(CustodyEvent(kind: kind, operation: operation, keyID: keyID))
    }
}

/// What a custodian is asked in the course of a call.
package enum HeldQuestion: Sendable {
    case sign(SignatureAlgorithm, CustodianSigning.Input)
    case unwrap(KeyManagementAlgorithm, encryptedKey: [UInt8])
    case agree(JWKCurve, publicKey: [UInt8])

    package var operation: CustodyEvent.Operation {
        switch self {
        case .sign: .sign
        case .unwrap: .unwrap
        case .agree: .agree
        }
    }
}

/// What came of a question.
package enum HeldAnswer: Sendable {
    case signature(CustodianSignature)
    case unwrapped(CustodianUnwrapped)
    case agreed(CustodianSecret)
    /// There was no result. Of an encrypted key that is a failed decryption, and work goes on as with any other.
    case nothing
}

extension HeldKey {
    /// A question to the custodian. Everything between the caller's task and the custodian stays where that task is: each
    /// change to another place and back would cost as much as a lock.
    private typealias Call =
        nonisolated(nonsending) @Sendable () async throws(CustodianFault) -> HeldAnswer

    /// Asks the custodian.
    ///
    /// - Throws: `unavailable` where it could not be asked, had no time, or nobody waits any more.
    nonisolated(nonsending) func response(
        _ question: HeldQuestion, before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> HeldAnswer {
        let latest = ContinuousClock.Instant.end(of: rule.answersWithin)
        let deadline = min(end ?? latest, latest)
        let custodian = self.custodian
        switch question {
        case .sign(let algorithm, let input):
            let request = CustodianSigning(algorithm: algorithm, input: input, deadline: deadline)
            return try await ask(question.operation, before: deadline) {
                () async throws(CustodianFault) in .signature(try await custodian.sign(request))
            }
        case .unwrap(let algorithm, let encryptedKey):
            let request = CustodianUnwrapping(
                algorithm: algorithm, encryptedKey: encryptedKey, deadline: deadline)
            return try await ask(question.operation, before: deadline) {
                () async throws(CustodianFault) in .unwrapped(try await custodian.unwrap(request))
            }
        case .agree(let curve, let publicKey):
            let request = CustodianAgreement(curve: curve, publicKey: publicKey, deadline: deadline)
            return try await ask(question.operation, before: deadline) {
                () async throws(CustodianFault) in .agreed(try await custodian.agree(request))
            }
        }
    }

    nonisolated(nonsending) private func ask(
        _ operation: CustodyEvent.Operation, before deadline: ContinuousClock.Instant,
        _ call: @escaping Call
    ) async throws(JOSEError) -> HeldAnswer {
        let result: Result<HeldAnswer, CustodianFault>
        do throws(CustodyOutage) {
            try await gate.enter(before: deadline, clock)
            result =
                isPunctual
                ? try await HeldKey.punctually(before: deadline, gate, call)
                : try await patiently(before: deadline, call)
        } catch {
            tell(error.kind, of: operation)
            throw .custodianUnavailable
        }
        switch result {
        case .success(let response): return response
        case .failure(.failed):
            tell(.failed, of: operation)
            return .nothing
        case .failure(.unavailable):
            tell(.unavailable, of: operation)
            throw .custodianUnavailable
        }
    }

    /// Asks in a task of its own: a custodian that never answers keeps its place, and nobody waits for it.
    nonisolated(nonsending) private func patiently(
        before deadline: ContinuousClock.Instant, _ call: @escaping Call
    ) async throws(CustodyOutage) -> Result<HeldAnswer, CustodianFault> {
        let wait = Awaited()
        let task = Task { [gate] in
            let result = await HeldKey.result(of: call)
            gate.leave()
            wait.end()
            return result
        }
        do throws(CustodyOutage) {
            try await clock.wait(for: wait, before: deadline)
        } catch {
            task.cancel()
            throw error
        }
        return await task.value
    }

    /// Asks one of ours that keeps nobody for longer than it was given, and tells an outage of ours from its own.
    nonisolated(nonsending) private static func punctually(
        before deadline: ContinuousClock.Instant, _ gate: CustodyGate, _ call: Call
    ) async throws(CustodyOutage) -> Result<HeldAnswer, CustodianFault> {
        let result = await result(of: call)
        gate.leave()
        guard case .failure(.unavailable) = result else { return result }
        if Task.isCancelled { throw .cancelled }
        if ContinuousClock.now >= deadline { throw .late }
        return result
    }

    nonisolated(nonsending) private static func result(
        of call: Call
    ) async -> Result<HeldAnswer, CustodianFault> {
        do throws(CustodianFault) {
            return .success(try await call())
        } catch {
            return .failure(error)
        }
    }
}

extension CustodyOutage {
    fileprivate var kind: CustodyEvent.Kind {
        switch self {
        case .late: .late
        case .full: .full
        case .cancelled: .cancelled
        }
    }
}

extension JOSEError {
    /// What a synchronous call says of a key that is elsewhere.
    package static let heldElsewhere = JOSEError.misuse(
        "the private key is held elsewhere: use a call with 'within', or an Async type")
    /// What everything says that wants to write the private part.
    package static let heldPrivatePart = JOSEError.misuse(
        "the private key is held elsewhere: there is no private part to write")
    fileprivate static let custodianUnavailable = JOSEError.unavailable(
        .key, "the private key's custodian cannot answer now")
    package static let wrongCustodianSignature = JOSEError(
        .internal, .signature, "the private key's custodian gave no right signature")
}
