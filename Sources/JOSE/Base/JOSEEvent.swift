// What objects tell logs, metrics and traces: one form for all events, without a dependency.

/// Something that happened to an object that lives long: a key set behind a URL, a replay store, an external key, a kernel.
///
/// `name`, `level` and `values` fit swift-log, swift-metrics and swift-distributed-tracing as they are; the article Events has
/// the few lines for each, and a table of all events. An event holds no key and nothing that a token said. Who wants one
/// kind of event alone casts to its type, such as `RemoteJWKSetEvent`, whose members have types of their own.
public protocol JOSEEvent: Sendable, CustomStringConvertible {
    /// What happened, with dots, such as `jose.keyset.replaced`: stable, one of the table's.
    var name: String { get }
    /// How much it matters.
    var level: JOSEEventLevel { get }
    /// What is known of it, by name, in an order that stays; what is not known is left out.
    var values: [(name: String, value: JOSEEventValue)] { get }
}

/// Is told of events, on the thread on which they happen; it should only note them and must not block.
///
/// One handler may serve any number of objects of any kinds.
public typealias JOSEEventHandler = @Sendable (any JOSEEvent) -> Void

/// How much an event matters; the raw values are levels of swift-log.
public enum JOSEEventLevel: String, Sendable, Hashable, CaseIterable {
    /// It happens all the time.
    case debug
    /// It happens, and is worth a line.
    case info
    /// Somebody should look at it where it happens often.
    case warning
    /// Callers are rejected, or something is wrong.
    case error
}

/// A value of an event.
public enum JOSEEventValue: Sendable {
    /// A word or an address of the program's own settings; there are few of them, so that it may be a metric's dimension.
    case string(String)
    /// A count or a status.
    case integer(Int64)
    /// A length of time.
    case duration(Duration)
    /// Yes or no.
    case boolean(Bool)
    /// A sentence for logs and spans, such as which key of a set is skipped and why. Another party
    /// may have chosen parts of it: these are escaped and bounded. It is no dimension of a metric.
    case text(String)
}

extension JOSEEventValue: CustomStringConvertible {
    /// The value as text; a duration in seconds, such as `0.25s`.
    public var description: String {
        switch self {
        case .string(let text), .text(let text): text
        case .integer(let number): "\(number)"
        case .duration(let duration): "\(duration / .seconds(1))s"
        case .boolean(let value): "\(value)"
        }
    }
}

extension JOSEEvent {
    /// The name and the values: `jose.keyset.failed url=https://… failure=status status=500`.
    public var description: String {
        ([name] + values.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
    }
}

/// The values of an event, without those that are not known.
package func known(
    _ values: [(String, JOSEEventValue?)]
) -> [(name: String, value: JOSEEventValue)] {
    values.compactMap { name, value in value.map { (name, $0) } }
}
