// How many questions an external key gets at a time, how long they may take, and who is told of what went wrong.

/// The bounds on what is asked of an external key, and who watches it.
///
/// They count for the key that `JWK.withExternalKey(_:options:)` gives and all its copies together.
public struct ExternalKeyOptions: Sendable {
    /// How many operations may be under way; further ones wait, in the order of their coming.
    public var maxConcurrent: Int
    /// How many may wait; further ones are `unavailable` at once.
    public var maxWaiting: Int
    /// How long one operation may take, its waiting included, whatever the caller's own deadline is.
    public var timeout: Duration
    /// Is told of each operation that gave no good result, by a `ExternalKeyEvent`, on the thread that found out; it should only note it.
    ///
    /// Of a failed decryption the caller is told nothing but `decryptionFailed`, and a token's sender must not be told
    /// either what stands here.
    public var observe: JOSEEventHandler

    /// Bounds.
    ///
    /// - Parameters:
    ///   - maxConcurrent: How many operations may be under way; further ones wait.
    ///   - maxWaiting: How many may wait; further ones are `unavailable` at once.
    ///   - timeout: How long one operation may take, its waiting included.
    ///   - observe: Is told of each operation that gave no good result.
    public init(
        maxConcurrent: Int = 64, maxWaiting: Int = 1_000, timeout: Duration = .seconds(5),
        observe: @escaping JOSEEventHandler = { _ in }
    ) {
        self.maxConcurrent = maxConcurrent
        self.maxWaiting = maxWaiting
        self.timeout = timeout
        self.observe = observe
    }

    /// 64 operations under way, 1,000 that wait, 5 seconds each.
    public static let standard = ExternalKeyOptions()
}

/// An operation of an external key that gave no good result. Holds no key and nothing that a token said.
public struct ExternalKeyEvent: JOSEEvent {
    /// What happened; new kinds may be added in later versions.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The last word of the event's name, such as `late`.
        public let description: String
        let level: JOSEEventLevel

        /// The external key said that it cannot be asked now.
        public static let unavailable = Kind(description: "unavailable", level: .error)
        /// The time was over before there was an answer.
        public static let late = Kind(description: "late", level: .error)
        /// Too many waited already.
        public static let full = Kind(description: "full", level: .error)
        /// Nobody wanted the answer any more.
        public static let cancelled = Kind(description: "cancelled", level: .debug)
        /// The external key was asked and gave no result. Of a decryption that is, as a rule, the token's fault.
        public static let failed = Kind(description: "failed", level: .info)
        /// The external key gave what cannot be right: a signature that does not verify, a secret of a wrong size.
        public static let wrong = Kind(description: "wrong", level: .error)

        package static let all: [Kind] = [unavailable, late, full, cancelled, failed, wrong]
        package var row: (name: String, level: JOSEEventLevel) { ("jose.custody.\(self)", level) }
    }

    /// What was asked.
    public struct Operation: Hashable, Sendable, CustomStringConvertible {
        /// The word for logs and metrics, such as `sign`.
        public let description: String

        /// A signature.
        public static let sign = Operation(description: "sign")
        /// The decryption of an encrypted key.
        public static let unwrap = Operation(description: "unwrap")
        /// An agreement on a shared secret.
        public static let agree = Operation(description: "agree")
    }

    /// What happened.
    public let kind: Kind
    /// What was asked.
    public let operation: Operation
    /// The `kid` that the key had when it was given to the external key.
    public let keyID: String?
}

extension ExternalKeyEvent {
    /// `jose.custody.` and the kind.
    public var name: String { kind.row.name }
    /// The kind's level.
    public var level: JOSEEventLevel { kind.level }
    /// What was asked, and of which key.
    public var values: [(name: String, value: JOSEEventValue)] {
        known([
            ("operation", .string(operation.description)), ("kid", keyID.map { .string($0) }),
        ])
    }
}
