// The limits of an external key, and the event for its failures.

/// Limits on the operations of an external key, and a handler for failures.
///
/// The key that `JWK.withExternalKey(_:options:)` returns and its copies share the limits.
public struct ExternalKeyOptions: Sendable {
    /// The maximum number of concurrent operations. Further ones wait, first come first served.
    public var maxConcurrent: Int
    /// The maximum number of waiting operations. Further ones fail with `unavailable` at once.
    public var maxWaiting: Int
    /// The maximum time of an operation and its wait. A caller's `timeout` may be shorter.
    public var timeout: Duration
    /// Receives an `ExternalKeyEvent` for each operation without a good result, on the thread that
    /// detected it. It should return quickly.
    ///
    /// The caller of a failed decryption only gets `decryptionFailed`. Tell the sender no more.
    public var observe: JOSEEventHandler

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The maximum number of concurrent operations.
    ///   - maxWaiting: The maximum number of waiting operations.
    ///   - timeout: The maximum time of an operation and its wait.
    ///   - observe: Receives an event for each operation without a good result.
    public init(
        maxConcurrent: Int = 64, maxWaiting: Int = 1_000, timeout: Duration = .seconds(5),
        observe: @escaping JOSEEventHandler = { _ in }
    ) {
        self.maxConcurrent = maxConcurrent
        self.maxWaiting = maxWaiting
        self.timeout = timeout
        self.observe = observe
    }

    /// 64 concurrent operations, 1,000 waiting ones, 5 seconds each.
    public static let standard = ExternalKeyOptions()
}

/// A failed operation of an external key. Contains no key and no token content.
public struct ExternalKeyEvent: JOSEEvent {
    /// What happened; later versions may add kinds.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The last part of the event's name, such as `timeout`.
        public let description: String
        let level: JOSEEventLevel

        /// The external key reported an outage.
        public static let unavailable = Kind(description: "unavailable", level: .error)
        /// The timeout passed before there was a result.
        public static let timedOut = Kind(description: "timeout", level: .error)
        /// Too many operations were waiting.
        public static let queueFull = Kind(description: "queue-full", level: .error)
        /// The caller's task was cancelled.
        public static let cancelled = Kind(description: "cancelled", level: .debug)
        /// The external key returned no result. In a decryption the token is usually the cause.
        public static let failed = Kind(description: "failed", level: .info)
        /// The result is wrong: a signature that does not verify, or a secret of the wrong size.
        public static let invalid = Kind(description: "invalid", level: .error)

        package static let all: [Kind] = [
            unavailable, timedOut, queueFull, cancelled, failed, invalid,
        ]
        package var descriptor: (name: String, level: JOSEEventLevel) {
            ("jose.external-key.\(self)", level)
        }
    }

    /// The requested operation. Later versions may add operations.
    public struct Operation: Hashable, Sendable, CustomStringConvertible {
        /// The name for logs and metrics, such as `sign`.
        public let description: String

        /// A signature over a digest or a message.
        public static let sign = Operation(description: "sign")
        /// Decryption of an encrypted key.
        public static let unwrap = Operation(description: "unwrap")
        /// Key agreement.
        public static let agree = Operation(description: "agree")
    }

    /// What happened.
    public let kind: Kind
    /// The requested operation.
    public let operation: Operation
    /// The `kid` that the key had when `withExternalKey(_:options:)` was called.
    public let keyID: String?
}

extension ExternalKeyEvent {
    /// `jose.external-key.` and the kind.
    public var name: String { kind.descriptor.name }
    /// The kind's level.
    public var level: JOSEEventLevel { kind.level }
    /// The operation and the key's `kid`.
    public var values: [(name: String, value: JOSEEventValue)] {
        known([
            ("operation", .string(operation.description)), ("kid", keyID.map { .string($0) }),
        ])
    }
}
