// Checks the ranges of a profile's times and counts.

import JOSE

extension OpenIDProfile {
    func checkNumbers() throws(JOSEError) {
        guard 0...300 ~= leewaySeconds else {
            throw .misuse("the profile's leeway must be 0 to 300 whole seconds")
        }
        guard 0...600 ~= client.maxAssertionValiditySeconds else {
            throw .misuse("client.maxAssertionValidity must be 0 to 600 whole seconds")
        }
        let maxValidity = requestObject.maxValiditySeconds ?? NumericDate.lifetimes.upperBound
        let times: [(name: StaticString, seconds: Int)] = [
            ("client.assertionLifetime", client.assertionLifetimeSeconds),
            ("client.codeLifetime", client.codeLifetimeSeconds),
            ("requestObject.lifetime", requestObject.lifetimeSeconds),
            ("requestObject.maxValidity", maxValidity),
            ("idToken.lifetime", idToken.lifetimeSeconds),
            ("idToken.maxLifetime", idToken.maxLifetimeSeconds),
            ("accessToken.lifetime", accessToken.lifetimeSeconds),
            ("introspection.maxAge", introspection.maxAgeSeconds),
        ]
        for time in times where !(NumericDate.lifetimes ~= time.seconds) {
            throw .misuse("{} must be 1 to 253402300799 whole seconds", .name(time.name))
        }
        guard requestObject.lifetimeSeconds <= maxValidity else {
            throw .misuse("requestObject.lifetime is above requestObject.maxValidity")
        }
        try requestObject.checkQueryOnly()
        try accessToken.dpop.check()
        try backchannel.checkNumbers()
        guard 1...600 ~= jarm.lifetimeSeconds, NumericDate.lifetimes ~= jarm.maxValiditySeconds
        else {
            throw .misuse(
                "jarm.lifetime must be 1 to 600 whole seconds, jarm.maxValidity at least 1")
        }
        guard 1...600 ~= logout.lifetimeSeconds, 1...86_400 ~= logout.maxValiditySeconds else {
            throw .misuse("logout.lifetime must be 1 to 600 seconds, logout.maxValidity 1 to 86400")
        }
        guard 1...86_400 ~= logout.maxAgeSeconds else {
            throw .misuse("logout.maxAge must be 1 to 86400 whole seconds")
        }
        guard 5...600 ~= pushedRequests.lifetimeSeconds,
            1...86_400 ~= pushedRequests.decisionSeconds
        else {
            throw .misuse(
                "pushedRequests.lifetime must be 5 to 600 seconds, decisionTime 1 to 86400")
        }
        guard idToken.subjectCharacterCount.map({ 1...255 ~= $0 }) ?? true else {
            throw .misuse("idToken.subjectCharacterCount must be 1 to 255")
        }
        guard authorization.loginHint.maxCount >= 0 else {
            throw .misuse("authorization.loginHint.maxCount must not be negative")
        }
    }
}
