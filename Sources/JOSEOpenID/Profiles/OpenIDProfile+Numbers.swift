// The ranges of a profile's times and counts, checked where a side is made of it.

import JOSE

extension OpenIDProfile {
    /// Throws `misuse` for a number that is out of its range.
    func checkNumbers() throws(JOSEError) {
        guard 0...300 ~= leewaySeconds else {
            throw .misuse("the profile's leeway is not 0 to 300 whole seconds")
        }
        guard 0...600 ~= client.assertionHorizonSeconds else {
            throw .misuse("the profile's horizon of assertions is not 0 to 600 whole seconds")
        }
        for life in [
            client.assertionLifetimeSeconds, client.codeLifetimeSeconds,
            requestObject.lifetimeSeconds, idToken.lifetimeSeconds,
            idToken.maxLifetimeSeconds, accessToken.lifetimeSeconds,
            introspection.maxAgeSeconds,
        ] where !(NumericDate.lifetimes ~= life) {
            throw .misuse("a lifetime of the profile is not 1 to 253402300799 whole seconds")
        }
        if let most = requestObject.maxValiditySeconds {
            guard NumericDate.lifetimes ~= most, requestObject.lifetimeSeconds <= most else {
                throw .misuse("a request object of the profile lives longer than it may")
            }
        }
        try requestObject.checkQueryOnly()
        try accessToken.dpop.check()
        try backchannel.checkNumbers()
        guard 1...600 ~= jarm.lifetimeSeconds,
            NumericDate.lifetimes ~= jarm.horizonSeconds
        else { throw .misuse("a signed answer of the profile lives not 1 to 600 whole seconds") }
        guard 1...600 ~= logout.lifetimeSeconds, 1...86_400 ~= logout.horizonSeconds else {
            throw .misuse("a logout token of the profile lives not 1 to 600 whole seconds")
        }
        guard 1...86_400 ~= logout.maxAgeSeconds else {
            throw .misuse("logout.maxAge is not 1 to 86400 whole seconds")
        }
        guard 5...600 ~= pushedRequests.lifetimeSeconds,
            1...86_400 ~= pushedRequests.decisionSeconds
        else {
            throw .misuse(
                "a pushed request lives 5 to 600 whole seconds, and 1 to 86400 for the user")
        }
        guard idToken.subjectCharacterCount.map({ 1...255 ~= $0 }) ?? true else {
            throw .misuse("the profile's length of sub is not 1 to 255 characters")
        }
        guard authorization.loginHint.maxCount >= 0 else {
            throw .misuse("the profile's number of login_hint parameters is negative")
        }
    }
}
