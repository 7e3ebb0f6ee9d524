// TokenExplanation: how a token was checked, for your logs. Never send it to a peer.

import JOSEBytes

/// Lists step by step how one token was checked: the keys considered, the check that failed, and
/// the reason.
///
/// It holds headers and key identifiers. Once the signature is accepted, it also holds claim
/// values, or the first 64 bytes of a payload that is not JSON. Each is escaped and at most 200
/// bytes long, a header at most 400. It never holds private key material or the plaintext of a
/// token whose tag is wrong. All steps from the encrypted key to the tag are one line, whichever
/// failed (RFC 7516, 11.5). Show it only to people who may see the token.
public struct TokenExplanation: Sendable {
    /// How a step ended.
    public enum Outcome: String, Sendable {
        /// The token passed the step.
        case passed
        /// The step rejected the token.
        case rejected
        /// Additional information, such as a skipped key.
        case note
    }

    /// One step of the check: how it ended, and why.
    public struct Line: Sendable, CustomStringConvertible {
        /// The step that the line is about.
        public let step: JOSEError.Step
        /// How the step ended.
        public let outcome: Outcome
        /// An English sentence, safe to print on a terminal.
        public let text: String

        /// `step: text` after `ok`, `NO` or spaces for the outcome.
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

    /// A claim that the policy checks, next to the expected value.
    public struct Claim: Sendable, CustomStringConvertible {
        /// The claim name, such as `iss`.
        public let name: String
        /// The value as JSON, escaped and at most 200 bytes; nil if the claim is absent.
        public let value: String?
        /// The expected value, or for a date the time in UTC and its distance from now; or nil.
        public let remark: String?

        /// `name value (remark)`.
        public var description: String {
            "    \(name) \(value ?? "absent")" + (remark.map { "   (\($0))" } ?? "")
        }
    }

    /// The structure of the token, such as `three parts, 203 bytes: a signed token (JWS)`.
    public internal(set) var form = ""
    /// The lines in the order of the checks.
    public internal(set) var lines: [Line] = []
    /// The claims that the policy checks; empty until the signature is accepted.
    public internal(set) var claims: [Claim] = []
    /// Why the token was rejected; nil if it was accepted.
    public internal(set) var error: JOSEError?
    package internal(set) var hint: Hint?

    /// How to fix the rejection; nil if nothing is known beyond `error`.
    public var advice: String? { hint?.description }

    /// Adds a passed step that another module checked.
    package mutating func pass(_ step: JOSEError.Step, _ text: String) {
        lines.append(Line(step: step, outcome: .passed, text: text))
    }

    /// Ends the explanation with an error of another module.
    package mutating func reject(_ error: JOSEError) {
        lines.append(Line(step: error.step, outcome: .rejected, text: error.message))
        self.error = error
    }
}

extension TokenExplanation {
    package struct Hint: Sendable, CustomStringConvertible {
        package let text: String
        package let setting: JOSEError.Setting?
        /// The value that the setting must allow, such as an algorithm name.
        package let value: String?

        package var description: String {
            setting.map { "\(text) Parameter: \($0.parameter(value))." } ?? text
        }
    }
}

extension TokenExplanation: CustomStringConvertible {
    /// The form, all lines, the claims and the advice, each on a line of its own.
    public var description: String {
        let first = form.isEmpty ? [] : ["    token: \(form)"]
        return
            (first + lines.map(\.description) + claims.map(\.description)
            + (advice.map { [$0] } ?? [])).joined(separator: "\n")
    }
}

/// Collects an explanation while a token is checked. If none is wanted, nil is passed instead.
final class Trace {
    private(set) var explanation = TokenExplanation()
    /// Whether the current token was inside an encrypted token.
    var isInside = false
    /// The first 64 bytes of an accepted payload. They are shown if the payload is not JSON.
    private(set) var payloadBeginning: [UInt8] = []

    func passed(_ step: JOSEError.Step, _ text: @autoclosure () -> String) {
        explanation.lines.append(.init(step: step, outcome: .passed, text: text()))
    }

    func note(_ step: JOSEError.Step, _ text: @autoclosure () -> String) {
        explanation.lines.append(.init(step: step, outcome: .note, text: text()))
    }

    /// Sets the advice. The first advice stays.
    func advise(_ text: String, _ setting: JOSEError.Setting? = nil, _ value: String? = nil) {
        if explanation.hint == nil {
            explanation.hint = TokenExplanation.Hint(text: text, setting: setting, value: value)
        }
    }

    /// Sets the form. The first form stays: it describes the outer token.
    func form(_ text: String) {
        if explanation.form.isEmpty { explanation.form = text }
    }

    func claims(_ claims: [TokenExplanation.Claim]) { explanation.claims = claims }

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

    /// Returns a header, which must be strict JSON, on one line of at most 400 bytes.
    static func header(_ json: Span<UInt8>) -> String {
        let copy = [UInt8](byteCapacity: json.count) { $0.append(copying: json) }
        return String(decoding: printable(json: copy, atMost: 400), as: UTF8.self)
    }

    /// Returns an untrusted value in quotation marks, escaped and at most 128 bytes long.
    static func quoted(_ value: String) -> String { "'\(printable(value, atMost: 128))'" }
}
