// What an explanation says of claims that satisfy their rules.

import JOSEBytes

extension Trace {
    /// A claim that satisfied its rule, or that nobody asked for.
    func judged(_ claim: StaticString, _ isRequested: Bool, _ verdict: StaticString) {
        if isRequested {
            passed(.claims, "\(claim) \(verdict)")
        } else {
            note(.claims, "\(claim) was not asked for, only its form is checked")
        }
    }

    /// A claim that did not satisfy a check of the program's own.
    func rejected(_ claim: String, _ document: JSONDocument) {
        let value = document.member(named: claim).map { Trace.json(document, at: $0, atMost: 128) }
        note(.claims, "\(printable(claim)) is \(value ?? "absent")")
    }

    /// The beginning of an accepted payload that is no JSON.
    func payloadIsNoJSON() {
        let text = printable(String(decoding: payloadBeginning, as: UTF8.self), atMost: 96)
        note(.payload, "the payload begins with '\(text)'")
        advise(
            "The layers are right and the payload is no strict JSON object: the sender must correct it."
        )
    }

    /// The dates, which satisfied their rules.
    func times(_ claims: RegisteredClaims, _ policy: ClaimsPolicy) {
        for (name, verdict) in Trace.dates where claims[name] != nil {
            passed(.claims, "\(name.text) \(verdict), give or take \(policy.leewaySeconds) s")
        }
        if let most = policy.maxLifetimeSeconds {
            passed(.claims, "exp is at most \(most) s after iat")
        }
    }

    private static let dates: [(name: RegisteredClaims.Name, verdict: StaticString)] = [
        (.exp, "is still to come"), (.nbf, "is past"), (.iat, "is past"),
    ]
}
