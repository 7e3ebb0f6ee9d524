// The binding of a key to an external key: limits, requests, results.

/// An external key with its limits, shared by all copies of a key.
package final class ExternalKeyBinding: Sendable {
    package let capabilities: ExternalKeyCapabilities
    private let externalKey: any ExternalKey
    private let options: ExternalKeyOptions
    private let keyID: String?
    private let queue: ExternalKeyQueue
    private let clock = ExternalKeyClock()
    private let keepsDeadlines: Bool

    /// Throws `misuse` for options that allow no operation.
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

    /// Reports an operation to the observer of the options.
    package func report(
        _ kind: ExternalKeyEvent.Kind, of operation: ExternalKeyEvent.Operation
    ) {
        options.observe(ExternalKeyEvent(kind: kind, operation: operation, keyID: keyID))
    }
}

/// A request to an external key, without its deadline.
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

/// The result of a request.
package enum ExternalResult: Sendable {
    case signature(ExternalSignature)
    case unwrapped(ExternalUnwrappedKey)
    case agreed(ExternalKeySecret)
    /// No result. For an encrypted key that is a failed decryption, and the work goes on as with
    /// any other key.
    case nothing
}

extension ExternalKeyBinding {
    /// A call of the external key. It stays on the caller's executor: each hop to another one and
    /// back would cost as much as a lock.
    private typealias Call =
        nonisolated(nonsending) @Sendable () async throws(ExternalKeyError) -> ExternalResult

    /// Sends a request to the external key.
    ///
    /// - Throws: `unavailable` if nothing was attempted, on a timeout, or if the task was
    ///   cancelled.
    nonisolated(nonsending) func response(
        _ request: ExternalRequest, before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> ExternalResult {
        let latest = ContinuousClock.Instant.end(of: options.timeout)
        let deadline = min(end ?? latest, latest)
        let externalKey = self.externalKey
        switch request {
        case .sign(let algorithm, let input):
            let signing = ExternalSigningRequest(
                algorithm: algorithm, input: input, deadline: deadline)
            return try await call(request.operation, before: deadline) {
                () async throws(ExternalKeyError) in .signature(try await externalKey.sign(signing))
            }
        case .unwrap(let algorithm, let encryptedKey):
            let unwrapping = ExternalUnwrappingRequest(
                algorithm: algorithm, encryptedKey: encryptedKey, deadline: deadline)
            return try await call(request.operation, before: deadline) {
                () async throws(ExternalKeyError) in
                .unwrapped(try await externalKey.unwrap(unwrapping))
            }
        case .agree(let curve, let publicKey):
            let agreement = ExternalAgreementRequest(
                curve: curve, publicKey: publicKey, deadline: deadline)
            return try await call(request.operation, before: deadline) {
                () async throws(ExternalKeyError) in .agreed(try await externalKey.agree(agreement))
            }
        }
    }

    nonisolated(nonsending) private func call(
        _ operation: ExternalKeyEvent.Operation, before deadline: ContinuousClock.Instant,
        _ body: @escaping Call
    ) async throws(JOSEError) -> ExternalResult {
        let result: Result<ExternalResult, ExternalKeyError>
        do throws(ExternalKeyWaitError) {
            try await queue.enter(before: deadline, clock)
            result =
                keepsDeadlines
                ? try await ExternalKeyBinding.callDirectly(before: deadline, queue, body)
                : try await callInTask(before: deadline, body)
        } catch {
            report(error.kind, of: operation)
            throw .externalKeyUnavailable
        }
        switch result {
        case .success(let response): return response
        case .failure(.failed):
            report(.failed, of: operation)
            return .nothing
        case .failure(.unavailable):
            report(.unavailable, of: operation)
            throw .externalKeyUnavailable
        }
    }

    /// Calls in a separate task: an external key that never returns keeps its slot, but no caller
    /// waits for it.
    nonisolated(nonsending) private func callInTask(
        before deadline: ContinuousClock.Instant, _ call: @escaping Call
    ) async throws(ExternalKeyWaitError) -> Result<ExternalResult, ExternalKeyError> {
        let wait = Completion()
        let task = Task { [queue] in
            let result = await ExternalKeyBinding.result(of: call)
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

    /// Calls a key that keeps the deadline itself. Distinguishes a cancellation and a timeout of
    /// the caller from an outage of the key.
    nonisolated(nonsending) private static func callDirectly(
        before deadline: ContinuousClock.Instant, _ queue: ExternalKeyQueue, _ call: Call
    ) async throws(ExternalKeyWaitError) -> Result<ExternalResult, ExternalKeyError> {
        let result = await result(of: call)
        queue.leave()
        guard case .failure(.unavailable) = result else { return result }
        if Task.isCancelled { throw .cancelled }
        if ContinuousClock.now >= deadline { throw .timedOut }
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
        case .timedOut: .timedOut
        case .queueFull: .queueFull
        case .cancelled: .cancelled
        }
    }
}

extension JOSEError {
    /// The error of a synchronous call with an external key.
    package static let needsAsyncCall = JOSEError.misuse(
        """
        the private key is external: use the call with a 'timeout' parameter, or an Async type
        """)
    /// The error of everything that would write the private part.
    package static let externalKeyHasNoPrivatePart = JOSEError.misuse(
        "the private key is external: it cannot be written")
    fileprivate static let externalKeyUnavailable = JOSEError.unavailable(
        .key, "the external key is not available now")
    package static let invalidExternalKeySignature = JOSEError(
        .internal, .signature, "the external key returned an invalid signature")
}
