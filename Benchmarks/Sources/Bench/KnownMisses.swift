// Bounds that are known to be missed, and why: printed beside the figure, never used to let it pass.

enum KnownMisses {
    private static let reasons: [(scenario: String, reason: String)] = [
        (
            "row-HS256/verify",
            "header, policy, base64url and payload take 0.4 us, as everywhere; the MAC takes 0.54"
        ),
        (
            "sign/payload",
            "every signature is verified before it leaves, 2 % of its time; see payload-unchecked"
        ),
        (
            "sign/issue",
            "every signature is verified before it leaves, 2 % of its time; see issue-unchecked"
        ),
        (
            "nested/make-600B",
            "the same check, 2 % of a signature, on a job that otherwise costs its floor"
        ),
        (
            "nested/make-64KB",
            "the same check, 1 %; 64 KB of claims written, put into base64url and wiped, 2 %"
        ),
    ]

    /// The scenario's name, with what is known of it.
    static func line(_ scenario: Scenario) -> String {
        if let known = reasons.first(where: { $0.scenario == scenario.name }) {
            return "\(scenario.name): \(known.reason)"
        }
        if scenario.group == "threads" {
            return "\(scenario.name): by the clock; the median column is by processor time"
        }
        return "\(scenario.name): not known why"
    }
}
