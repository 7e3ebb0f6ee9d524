// Bounds that are known to be missed, and why: printed beside the figure, never used to let it pass.

enum KnownMisses {
    private static let reasons: [(scenario: String, reason: String)] = [
        ("sign/payload", "every signature is verified before it leaves, 2 % of its time"),
        ("sign/issue", "every signature is verified before it leaves, 2 % of its time"),
        (
            "nested/make-64KB",
            "the same check, and 64 KB of claims are written, copied into the inner token and wiped"
        ),
        (
            "key/public-jwk",
            "the checks of the modulus, the vector kernel's own key and the JSON come on top of fromdata"
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
