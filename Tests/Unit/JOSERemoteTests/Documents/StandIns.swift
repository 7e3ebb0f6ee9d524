// The parts of swift-log, swift-metrics and swift-distributed-tracing that the recipes of the
// Events article call. The names and labels are theirs, and the calls are recorded.

import JOSEBytes

/// The recorded calls, one line each.
enum Told {
    private static let kept = Lock<[String]>([])
    /// The lines since the last call.
    static func take() -> [String] {
        kept.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
    static func note(_ line: String) { kept.withLock { $0.append(line) } }
}

struct Logger: Sendable {
    enum Level: String, Sendable { case trace, debug, info, notice, warning, error, critical }
    enum MetadataValue: Sendable { case string(String) }
    typealias Metadata = [String: MetadataValue]
    struct Message: ExpressibleByStringInterpolation, Sendable {
        let text: String
        init(stringLiteral text: String) { self.text = text }
    }

    func log(
        level: Level, _ message: @autoclosure () -> Message,
        metadata: @autoclosure () -> Metadata? = nil
    ) {
        let words = (metadata() ?? [:]).map { name, value in
            guard case .string(let text) = value else { return name }
            return "\(name)=\(text)"
        }
        Told.note(([level.rawValue, message().text] + words.sorted()).joined(separator: " "))
    }
}

final class Counter {
    private let name: String
    init(label: String, dimensions: [(String, String)] = []) {
        name = ([label] + dimensions.map { "\($0)=\($1)" }).joined(separator: " ")
    }
    func increment(by amount: Int64 = 1) { Told.note("count \(name) \(amount)") }
}

final class Timer {
    private let label: String
    init(label: String, dimensions: [(String, String)] = []) { self.label = label }
    func recordNanoseconds(_ duration: Int64) { Told.note("time \(label) \(duration)") }
}

enum SpanAttribute {
    case string(String), int64(Int64), double(Double), bool(Bool)
}

protocol SpanAttributeConvertible {
    func toSpanAttribute() -> SpanAttribute
}
extension String: SpanAttributeConvertible {
    func toSpanAttribute() -> SpanAttribute { .string(self) }
}
extension Int64: SpanAttributeConvertible {
    func toSpanAttribute() -> SpanAttribute { .int64(self) }
}
extension Double: SpanAttributeConvertible {
    func toSpanAttribute() -> SpanAttribute { .double(self) }
}
extension Bool: SpanAttributeConvertible {
    func toSpanAttribute() -> SpanAttribute { .bool(self) }
}

struct SpanAttributes {
    private(set) var all: [String: SpanAttribute] = [:]
    subscript(_ name: String) -> (any SpanAttributeConvertible)? {
        get { nil }
        set { all[name] = newValue?.toSpanAttribute() }
    }
}

protocol StandInSpan: AnyObject {
    var attributes: SpanAttributes { get set }
    func end()
}

private final class NotedSpan: StandInSpan {
    private let name: String
    var attributes = SpanAttributes()
    init(_ name: String) { self.name = name }
    func end() {
        let words = attributes.all.map { "\($0)=\($1)" }.sorted()
        Told.note((["span", name] + words).joined(separator: " "))
    }
}

func startSpan(_ operationName: String) -> any StandInSpan { NotedSpan(operationName) }
