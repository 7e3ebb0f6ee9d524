// A private key that is elsewhere, as the engine sees it: questions, and what comes of them.

/// An external key with the bounds on what it is asked, shared by all copies of a key.
package final class ExternalKeyBinding: Sendable {
    package let capabilities: ExternalKeyCapabilities
    private let externalKey: any ExternalKey
    private let rule: ExternalKeyOptions
    private let keyID: String?
    private let gate: ExternalKeyQueue
    private let clock = ExternalKeyClock()
    private let keepsDeadlines: Bool

    /// Throws `misuse` for a rule by which nothing can be asked.
    package init(
        _ externalKey: any ExternalKey, _ rule: ExternalKeyOptions, keyID: String?
    ) throws(JOSEError) {
        guard rule.maxConcurrent > 0, rule.maxWaiting >= 0, rule.timeout > .zero else {
            throw .misuse("an external key is asked something at a time, and has some time for it")
        }
        self.externalKey = externalKey
        self.rule = rule
        self.keyID = keyID
        capabilities = externalKey.capabilities
        gate = ExternalKeyQueue(rule)
        keepsDeadlines = externalKey is any DeadlineKeepingExternalKey
    }

    package func tell(_ kind: ExternalKeyEvent.Kind, of operation: ExternalKeyEvent.Operation) {
        rule.observe(ExternalKeyEvent(kind: kind, operation: operation, keyID: keyID))
    }
}

/// What an external key is asked in the course of a call.
package enum ExternalRequest: Sendable {
    case sign(SignatureAlgorithm, ExternalSigningRequest.Input)
    case unwrap(KeyManagementAlgorithm, encryptedKey: [UInt8])
    case agree(JWKCurve, publicKey: [UInt8])

    package var operation: ExternalKeyEvent.Operation {
        switch self {
        case .sign: .sign
        case .unwrap: .unwrap
        case .agree: .agree
        }
    }
}

/// What came of a question.
package enum ExternalResult: Sendable {
    case signature(ExternalSignature)
    case unwrapped(ExternalUnwrappedKey)
    case agreed(ExternalKeySecret)
    /// There was no result. Of an encrypted key that is a failed decryption, and work goes on as with any other.
    case nothing
}

extension ExternalKeyBinding {
    /// A question to the external key. Everything between the caller's task and the external key stays where that task is: each
    /// change to another place and back would cost as much as a lock.
    private typealias Call =
        nonisolated(nonsending) @Sendable () async throws(ExternalKeyError) -> ExternalResult

    /// Asks the external key.
    ///
    /// - Throws: `unavailable` where it could not be asked, had no time, or nobody waits any more.
    nonisolated(nonsending) func response(
        _ question: ExternalRequest, before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> ExternalResult {
        let latest = ContinuousClock.Instant.end(of: rule.timeout)
        let deadline = min(end ?? latest, latest)
        let externalKey = self.externalKey
        switch question {
        case .sign(let algorithm, let input):
            let request = ExternalSigningRequest(algorithm: algorithm, input: input, deadline: deadline)
            return try await ask(question.operation, before: deadline) {
                () async throws(ExternalKeyError) in .signature(try await externalKey.sign(request))
            }
        case .unwrap(let algorithm, let encryptedKey):
            let request = ExternalUnwrappingRequest(
                algorithm: algorithm, encryptedKey: encryptedKey, deadline: deadline)
            return try await ask(question.operation, before: deadline) {
                () async throws(ExternalKeyError) in .unwrapped(try await externalKey.unwrap(request))
            }
        case .agree(let curve, let publicKey):
            let request = ExternalAgreementRequest(curve: curve, publicKey: publicKey, deadline: deadline)
            return try await ask(question.operation, before: deadline) {
                () async throws(ExternalKeyError) in .agreed(try await externalKey.agree(request))
            }
        }
    }

    nonisolated(nonsending) private func ask(
        _ operation: ExternalKeyEvent.Operation, before deadline: ContinuousClock.Instant,
        _ call: @escaping Call
    ) async throws(JOSEError) -> ExternalResult {
        let result: Result<ExternalResult, ExternalKeyError>
        do throws(ExternalKeyWaitError) {
            try await gate.enter(before: deadline, clock)
            result =
                keepsDeadlines
                ? try await ExternalKeyBinding.punctually(before: deadline, gate, call)
                : try await patiently(before: deadline, call)
        } catch {
            tell(error.kind, of: operation)
            throw .externalKeyUnavailable
        }
        switch result {
        case .success(let response): return response
        case .failure(.failed):
            tell(.failed, of: operation)
            return .nothing
        case .failure(.unavailable):
            tell(.unavailable, of: operation)
            throw .externalKeyUnavailable
        }
    }

    /// Asks in a task of its own: an external key that never answers keeps its place, and nobody waits for it.
    nonisolated(nonsending) private func patiently(
        before deadline: ContinuousClock.Instant, _ call: @escaping Call
    ) async throws(ExternalKeyWaitError) -> Result<ExternalResult, ExternalKeyError> {
        let wait = Completion()
        let task = Task { [gate] in
            let result = await ExternalKeyBinding.result(of: call)
            gate.leave()
            wait.end()
            return result
        }
        do throws(ExternalKeyWaitError) {
            try await clock.wait(for: wait, before: deadline)
        } catch {
            task.cancel()
            throw error
        }
        return await task.value
    }

    /// Asks one of ours that keeps nobody for longer than it was given, and tells an outage of ours from its own.
    nonisolated(nonsending) private static func punctually(
        before deadline: ContinuousClock.Instant, _ gate: ExternalKeyQueue, _ call: Call
    ) async throws(ExternalKeyWaitError) -> Result<ExternalResult, ExternalKeyError> {
        let result = await result(of: call)
        gate.leave()
        guard case .failure(.unavailable) = result else { return result }
        if Task.isCancelled { throw .cancelled }
        if ContinuousClock.now >= deadline { throw .late }
        return result
    }

    nonisolated(nonsending) private static func result(
        of call: Call
    ) async -> Result<ExternalResult, ExternalKeyError> {
        do throws(ExternalKeyError) {
            return .success(try await call())
        } catch {
            return .failure(error)
        }
    }
}

extension ExternalKeyWaitError {
    fileprivate var kind: ExternalKeyEvent.Kind {
        switch self {
        case .late: .late
        case .full: .full
        case .cancelled: .cancelled
        }
    }
}

extension JOSEError {
    /// What a synchronous call says of a key that is elsewhere.
    package static let isExternal = JOSEError.misuse(
        "the private key is held elsewhere: use a call with 'within', or an Async type")
    /// What everything says that wants to write the private part.
    package static let externalKeyHasNoPrivatePart = JOSEError.misuse(
        "the private key is held elsewhere: there is no private part to write")
    fileprivate static let externalKeyUnavailable = JOSEError.unavailable(
        .key, "the private key's external key cannot answer now")
    package static let invalidExternalKeySignature = JOSEError(
        .internal, .signature, "the private key's external key gave no right signature")
}
