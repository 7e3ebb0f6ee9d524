// Records in an explanation what the checks of a payload and its claims found.

import JOSEBytes

extension Trace {
    /// Records an accepted claim.
    func checked(_ claim: StaticString, _ hasExpectedValue: Bool, _ result: StaticString) {
        if hasExpectedValue {
            passed(.claims, "\(claim) \(result)")
        } else {
            note(.claims, "\(claim) has no expected value, only its type is checked")
        }
    }

    /// Records an accepted hash. `hasExpectedValue`: whether the caller passed the hashed value.
    func checkedHash(_ claim: StaticString, _ isPresent: Bool, _ hasExpectedValue: Bool) {
        if hasExpectedValue, !isPresent {
            note(.claims, "\(claim) is absent, and not required")
        } else {
            checked(claim, hasExpectedValue, "matches the value that came with the token")
        }
    }

    func rejected(_ claim: String, _ document: JSONDocument) {
        let value = document.member(named: claim).map { Trace.json(document, at: $0, atMost: 128) }
        note(.claims, "\(printable(claim)) is \(value ?? "absent")")
    }

    func payloadIsNotJSON() {
        let text = printable(String(decoding: payloadBeginning, as: UTF8.self), atMost: 96)
        note(.payload, "the payload begins with '\(text)'")
        advise(
            "The layers are right, but the payload is not a strict JSON object: the sender must "
                + "correct it.")
    }

    /// Records the dates; the caller has accepted them.
    func times(_ claims: RegisteredClaims, _ policy: ClaimsPolicy) {
        for (name, result) in Trace.dates where claims[name] != nil {
            passed(.claims, "\(name.text) \(result), with a leeway of \(policy.leewaySeconds) s")
        }
        if let max = policy.maxLifetimeSeconds {
            passed(.claims, "exp is at most \(max) s after iat")
        }
    }

    private static let dates: [(name: RegisteredClaims.Name, result: StaticString)] = [
        (.exp, "is in the future"), (.nbf, "is in the past"), (.iat, "is in the past"),
    ]
}
