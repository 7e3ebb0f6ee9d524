// JOSEEvent: the common interface of all events for logs, metrics and traces.

/// Something that happened to a long-lived object: a remote key set, a replay store, an external
/// key or a kernel.
///
/// `name`, `level` and `values` map to swift-log, swift-metrics and swift-distributed-tracing:
/// <doc:Events> has the code and all events. An event holds no key and no token content. To read
/// typed members, cast to the concrete type, such as `RemoteJWKSetEvent`.
public protocol JOSEEvent: Sendable, CustomStringConvertible {
    /// The stable name of the event, such as `jose.keyset.replaced`.
    var name: String { get }
    /// The severity.
    var level: JOSEEventLevel { get }
    /// The known values by name, in a stable order. Unknown values are left out.
    var values: [(name: String, value: JOSEEventValue)] { get }
}

/// Receives events on the thread on which they happen, and must not block. One handler can serve
/// any number of objects.
public typealias JOSEEventHandler = @Sendable (any JOSEEvent) -> Void

/// The severity of an event; the raw values are the levels of swift-log.
public enum JOSEEventLevel: String, Sendable, Hashable, CaseIterable {
    /// Happens all the time.
    case debug
    /// Normal, and worth a log line.
    case info
    /// Needs attention if it happens often.
    case warning
    /// Callers are rejected, or something is wrong.
    case error
}

/// A number, string, duration or Boolean that an event reports.
public enum JOSEEventValue: Sendable {
    /// An identifier or URL from the program's settings. It has few distinct values, so that it can
    /// be a metric dimension.
    case string(String)
    /// A count or a status.
    case integer(Int64)
    /// A length of time.
    case duration(Duration)
    /// True or false.
    case boolean(Bool)
    /// A sentence for logs and spans, not for metrics. Parts that another party may have chosen are
    /// escaped and bounded.
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

package func known(
    _ values: [(String, JOSEEventValue?)]
) -> [(name: String, value: JOSEEventValue)] {
    values.compactMap { name, value in value.map { (name, $0) } }
}
