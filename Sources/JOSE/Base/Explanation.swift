// The opt-in account of what was tried: for logs of people, not for answers to peers.

import JOSEBytes

/// Says step by step what happened to one token: which keys were looked at, which check refused.
///
/// Holds header members and key names, never claim values, key numbers or plaintext. Everything between the
/// encrypted key and the tag is one line, whatever failed.
public struct Explanation: Sendable {
    /// How a step ended.
    public enum Outcome: String, Sendable {
        /// The step was passed.
        case passed
        /// The step refused the token.
        case refused
        /// Something to know, such as a key that was skipped.
        case note
    }

    /// One line of the account.
    public struct Line: Sendable, CustomStringConvertible {
        /// The layer that speaks.
        public let step: JOSEError.Step
        /// How it ended.
        public let outcome: Outcome
        /// An English sentence part, safe to print on a terminal.
        public let text: String

        /// `step: text`, marked by the outcome.
        public var description: String {
            let mark =
                switch outcome {
                case .passed: "ok  "
                case .refused: "NO  "
                case .note: "    "
                }
            return "\(mark)\(step.name): \(text)"
        }
    }

    /// The lines in the order of the work.
    public internal(set) var lines: [Line] = []
    /// Why the token was refused; nil if it was accepted.
    public internal(set) var error: JOSEError?

    /// Adds a line of a module above this one.
    package mutating func pass(_ step: JOSEError.Step, _ text: String) {
        lines.append(Line(step: step, outcome: .passed, text: text))
    }

    /// Ends with the refusal of a module above this one.
    package mutating func refuse(_ error: JOSEError) {
        lines.append(Line(step: error.step, outcome: .refused, text: error.message))
        self.error = error
    }
}

extension Explanation: CustomStringConvertible {
    /// All lines, one below the other.
    public var description: String { lines.map(\.description).joined(separator: "\n") }
}

/// Collects an explanation while a token goes its way; absent on the hot path.
final class Trace {
    private(set) var explanation = Explanation()

    func passed(_ step: JOSEError.Step, _ text: @autoclosure () -> String) {
        explanation.lines.append(.init(step: step, outcome: .passed, text: text()))
    }

    func note(_ step: JOSEError.Step, _ text: @autoclosure () -> String) {
        explanation.lines.append(.init(step: step, outcome: .note, text: text()))
    }

    /// How many lines there are.
    var count: Int { explanation.lines.count }

    /// Forgets the lines behind these: the work that made them is done anew.
    func rewind(to count: Int) { explanation.lines.removeSubrange(count...) }

    func refused(_ error: JOSEError) {
        explanation.lines.append(.init(step: error.step, outcome: .refused, text: error.message))
        explanation.error = error
    }

    /// A header, which was read as strict JSON, on one line.
    static func header(_ json: Span<UInt8>) -> String {
        let copy = [UInt8](byteCapacity: json.count) { $0.append(copying: json) }
        return String(decoding: printable(json: copy, atMost: 400), as: UTF8.self)
    }
}
