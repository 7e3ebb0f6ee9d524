// What an explanation says of claims: names and rules, never a value.

extension Trace {
    /// A claim that satisfied its rule, or that nobody asked for.
    func judged(_ claim: StaticString, _ isAsked: Bool, _ verdict: StaticString) {
        if isAsked {
            passed(.claims, "\(claim) \(verdict)")
        } else {
            note(.claims, "\(claim) was not asked for, only its form is checked")
        }
    }

    /// The dates, which satisfied their rules.
    func times(_ claims: RegisteredClaims, _ policy: ClaimsPolicy) {
        for (name, verdict) in Trace.dates where claims[name] != nil {
            passed(.claims, "\(name.text) \(verdict), give or take \(policy.leewaySeconds) s")
        }
        if let most = policy.maximumLifetimeSeconds {
            passed(.claims, "exp is at most \(most) s after iat")
        }
    }

    private static let dates: [(name: RegisteredClaims.Name, verdict: StaticString)] = [
        (.exp, "is still to come"), (.nbf, "is past"), (.iat, "is past"),
    ]
}
