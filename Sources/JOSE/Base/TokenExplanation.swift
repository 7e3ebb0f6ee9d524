// The opt-in account of what was tried: for logs of people, not for answers to peers.

import JOSEBytes

/// Lists step by step what happened to one token: which keys were considered, which check failed,
/// and why.
///
/// Holds header members, key identifiers and, once the signature was accepted, values of claims:
/// each escaped, and at most 200 bytes of it. Never holds private key facts or the plaintext of a
/// token whose tag was wrong. Everything between the encrypted key and the tag is one line,
/// whatever failed (RFC 7516, 11.5). Show it to nobody who may not see the token.
public struct TokenExplanation: Sendable {
    /// How a step ended.
    public enum Outcome: String, Sendable {
        /// The step was passed.
        case passed
        /// The step rejected the token.
        case rejected
        /// Something to know, such as a key that was skipped, or what was found in a signature that
        /// does not verify.
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
                case .rejected: "NO  "
                case .note: "    "
                }
            return "\(mark)\(step.name): \(text)"
        }
    }

    /// A claim that has a rule, next to what the policy wants of it.
    public struct Claim: Sendable, CustomStringConvertible {
        /// The name, such as `iss`.
        public let name: String
        /// The value as JSON, safe to print and at most 200 bytes; nil where the claim is absent.
        public let value: String?
        /// What the policy wants, or what a date means; nil where neither is known.
        public let remark: String?

        /// `name value (remark)`.
        public var description: String {
            "    \(name) \(value ?? "absent")" + (remark.map { "   (\($0))" } ?? "")
        }
    }

    /// The form of the token in words, such as `three parts, 203 bytes: a signed token (JWS)`.
    public internal(set) var form = ""
    /// The lines in the order of the work.
    public internal(set) var lines: [Line] = []
    /// The claims that have rules, once the signature was accepted; empty before.
    public internal(set) var claims: [Claim] = []
    /// Why the token was rejected; nil if it was accepted.
    public internal(set) var error: JOSEError?
    package internal(set) var hint: Hint?

    /// What to do about the rejection, where a cause was found; nil where `error` is all that is
    /// known.
    public var advice: String? { hint?.description }

    /// Adds a line of a module above this one.
    package mutating func pass(_ step: JOSEError.Step, _ text: String) {
        lines.append(Line(step: step, outcome: .passed, text: text))
    }

    /// Ends with the rejection of a module above this one.
    package mutating func reject(_ error: JOSEError) {
        lines.append(Line(step: error.step, outcome: .rejected, text: error.message))
        self.error = error
    }
}

extension TokenExplanation {
    /// Advice, and the setting of the policy that it is about.
    package struct Hint: Sendable, CustomStringConvertible {
        package let text: String
        package let setting: JOSEError.Setting?
        /// What the setting must allow, such as the name of an algorithm.
        package let value: String?

        package var description: String {
            setting.map { "\(text) Parameter: \($0.parameter(value))." } ?? text
        }
    }
}

extension TokenExplanation: CustomStringConvertible {
    /// The form, all lines, the claims and the advice, one below the other.
    public var description: String {
        let first = form.isEmpty ? [] : ["    token: \(form)"]
        return
            (first + lines.map(\.description) + claims.map(\.description)
            + (advice.map { [$0] } ?? [])).joined(separator: "\n")
    }
}

/// Collects an explanation while a token is checked; absent on the hot path.
final class Trace {
    private(set) var explanation = TokenExplanation()
    /// Whether the token at hand was inside an encrypted one.
    var isInside = false
    /// The first bytes of an accepted payload, shown where they are no JSON.
    private(set) var payloadBeginning: [UInt8] = []

    func passed(_ step: JOSEError.Step, _ text: @autoclosure () -> String) {
        explanation.lines.append(.init(step: step, outcome: .passed, text: text()))
    }

    func note(_ step: JOSEError.Step, _ text: @autoclosure () -> String) {
        explanation.lines.append(.init(step: step, outcome: .note, text: text()))
    }

    /// What to do; the first advice stays.
    func advise(_ text: String, _ setting: JOSEError.Setting? = nil, _ value: String? = nil) {
        if explanation.hint == nil {
            explanation.hint = TokenExplanation.Hint(text: text, setting: setting, value: value)
        }
    }

    /// The form of the token; the first one stays, so that it is the outer token's.
    func form(_ text: String) {
        if explanation.form.isEmpty { explanation.form = text }
    }

    /// The claims of a token whose layers were accepted.
    func claims(_ claims: [TokenExplanation.Claim]) { explanation.claims = claims }

    /// How many lines there are.
    var count: Int { explanation.lines.count }

    func rejected(_ error: JOSEError) {
        explanation.lines.append(.init(step: error.step, outcome: .rejected, text: error.message))
        explanation.error = error
    }

    func beginning(of payload: Span<UInt8>) {
        let count = min(payload.count, 64)
        payloadBeginning = [UInt8](byteCapacity: count) {
            $0.append(copying: payload.extracting(first: count))
        }
    }

    /// A header, which was read as strict JSON, on one line.
    static func header(_ json: Span<UInt8>) -> String {
        let copy = [UInt8](byteCapacity: json.count) { $0.append(copying: json) }
        return String(decoding: printable(json: copy, atMost: 400), as: UTF8.self)
    }

    /// A value of others in quotation marks, escaped and at most 128 bytes.
    static func quoted(_ value: String) -> String { "'\(printable(value, atMost: 128))'" }
}
