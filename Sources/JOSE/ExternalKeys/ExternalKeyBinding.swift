// Calls an external key within its limits, and reports failures.

import Synchronization

/// An external key with its limits. All copies of a key share one instance.
package final class ExternalKeyBinding: Sendable {
    package let capabilities: ExternalKeyCapabilities
    private let externalKey: any ExternalKey
    private let options: ExternalKeyOptions
    private let keyID: String?
    private let queue: ExternalKeyQueue
    private let clock = ExternalKeyClock()
    private let keepsDeadlines: Bool

    package init(
        _ externalKey: any ExternalKey, _ options: ExternalKeyOptions, keyID: String?
    ) throws(JOSEError) {
        guard options.maxConcurrent > 0, options.maxWaiting >= 0, options.timeout > .zero else {
            throw .misuse(
                """
                ExternalKeyOptions: maxConcurrent and timeout must be positive, maxWaiting not \
                negative
                """)
        }
        self.externalKey = externalKey
        self.options = options
        self.keyID = keyID
        capabilities = externalKey.capabilities
        queue = ExternalKeyQueue(options)
        keepsDeadlines = externalKey is any DeadlineKeepingExternalKey
    }

    package func key<Key: ExternalKey>(as type: Key.Type) -> Key? { externalKey as? Key }

    package func report(
        _ kind: ExternalKeyEvent.Kind, of operation: ExternalKeyEvent.Operation
    ) {
        options.observe(ExternalKeyEvent(kind: kind, operation: operation, keyID: keyID))
    }
}

extension ExternalKeyBinding {
    /// Runs on the executor of `perform`, without a hop to another one.
    private typealias Call<Value> =
        nonisolated(nonsending) @Sendable (ExternalKeyPermit?) async throws(ExternalKeyError) ->
        Value

    /// Requests a signature; nil if the operation failed. Throws `unavailable` for an outage, a
    /// full queue, a timeout or a cancelled task.
    nonisolated(nonsending) func sign(
        _ algorithm: SignatureAlgorithm, _ input: ExternalSigningRequest.Input,
        before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> ExternalSignature? {
        let deadline = earlierDeadline(end)
        return try await call(.sign, before: deadline) {
            [externalKey] permit async throws(ExternalKeyError) in
            try await externalKey.sign(
                ExternalSigningRequest(
                    algorithm: algorithm, input: input, deadline: deadline, permit: permit))
        }
    }

    nonisolated(nonsending) func unwrap(
        _ algorithm: KeyManagementAlgorithm, _ encryptedKey: [UInt8],
        before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> ExternalUnwrappedKey? {
        let deadline = earlierDeadline(end)
        return try await call(.unwrap, before: deadline) {
            [externalKey] permit async throws(ExternalKeyError) in
            try await externalKey.unwrap(
                ExternalUnwrappingRequest(
                    algorithm: algorithm, encryptedKey: encryptedKey, deadline: deadline,
                    permit: permit))
        }
    }

    nonisolated(nonsending) func agree(
        _ curve: JWKCurve, _ publicKey: [UInt8], before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> ExternalKeySecret? {
        let deadline = earlierDeadline(end)
        return try await call(.agree, before: deadline) {
            [externalKey] permit async throws(ExternalKeyError) in
            try await externalKey.agree(
                ExternalAgreementRequest(
                    curve: curve, publicKey: publicKey, deadline: deadline, permit: permit))
        }
    }

    private func earlierDeadline(_ end: ContinuousClock.Instant?) -> ContinuousClock.Instant {
        let latest = ContinuousClock.Instant.end(of: options.timeout)
        return min(end ?? latest, latest)
    }

    /// Waits for a permit, calls the external key and reports a failure.
    nonisolated(nonsending) private func call<Value: Sendable>(
        _ operation: ExternalKeyEvent.Operation, before deadline: ContinuousClock.Instant,
        _ body: @escaping Call<Value>
    ) async throws(JOSEError) -> Value? {
        let result: Result<Value, ExternalKeyError>
        do throws(ExternalKeyWaitError) {
            result = try await perform(before: deadline, body)
        } catch {
            report(error.kind, of: operation)
            throw .externalKeyUnavailable
        }
        switch result {
        case .success(let value): return value
        case .failure(.failed):
            report(.failed, of: operation)
            return nil
        case .failure(.unavailable):
            report(.unavailable, of: operation)
            throw .externalKeyUnavailable
        }
    }

    /// Waits for a permit and calls the external key, off the caller's executor: a busy actor must
    /// not delay the cancellation of an operation, or the return of its permit.
    @concurrent private func perform<Value: Sendable>(
        before deadline: ContinuousClock.Instant, _ body: @escaping Call<Value>
    ) async throws(ExternalKeyWaitError) -> Result<Value, ExternalKeyError> {
        try await queue.enter(before: deadline, clock)
        return keepsDeadlines
            ? try await ExternalKeyBinding.callDirectly(before: deadline, queue, body)
            : try await callInTask(before: deadline, body)
    }

    /// Calls in a separate task, so that no caller waits for an external key that never returns.
    /// Such an operation still counts for `ExternalKeyOptions.maxConcurrent`.
    nonisolated(nonsending) private func callInTask<Value: Sendable>(
        before deadline: ContinuousClock.Instant, _ call: @escaping Call<Value>
    ) async throws(ExternalKeyWaitError) -> Result<Value, ExternalKeyError> {
        let wait = Completion()
        let task = Task { [queue] in
            let result = await ExternalKeyBinding.outcome(of: call, nil)
            queue.leave()
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

    /// Calls a key that keeps the deadline itself. Its `unavailable` may have four causes: a full
    /// queue, a cancelled task, a timeout, or an outage. All but the outage are thrown.
    nonisolated(nonsending) private static func callDirectly<Value: Sendable>(
        before deadline: ContinuousClock.Instant, _ queue: ExternalKeyQueue, _ call: Call<Value>
    ) async throws(ExternalKeyWaitError) -> Result<Value, ExternalKeyError> {
        let permit = ExternalKeyPermit(of: queue)
        let result = await outcome(of: call, permit)
        guard case .failure(.unavailable) = result else { return result }
        if permit.foundFullQueue.load(ordering: .relaxed) { throw .queueFull }
        if Task.isCancelled { throw .cancelled }
        if ContinuousClock.now >= deadline { throw .timedOut }
        return result
    }

    nonisolated(nonsending) private static func outcome<Value: Sendable>(
        of call: Call<Value>, _ permit: ExternalKeyPermit?
    ) async -> Result<Value, ExternalKeyError> {
        do throws(ExternalKeyError) {
            return .success(try await call(permit))
        } catch {
            return .failure(error)
        }
    }
}

extension ExternalKeyWaitError {
    fileprivate var kind: ExternalKeyEvent.Kind {
        switch self {
        case .timedOut: .timedOut
        case .queueFull: .queueFull
        case .cancelled: .cancelled
        }
    }
}

extension JOSEError {
    package static let needsAsyncCall = JOSEError.misuse(
        """
        the private key is external; use the call with a 'timeout' parameter, or an Async type
        """)
    package static let externalKeyHasNoPrivatePart = JOSEError.misuse(
        "the private key is external; it cannot be written")
    fileprivate static let externalKeyUnavailable = JOSEError.unavailable(
        .key, "the external key is not available now")
    package static let invalidExternalKeySignature = JOSEError(
        .internal, .signature, "the external key returned no valid signature")
}
