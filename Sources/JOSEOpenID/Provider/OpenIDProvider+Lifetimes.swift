// Checks that the replay store keeps single-use tokens for long enough.

import JOSE

extension OpenIDProvider {
    /// Throws `misuse` if the replay store would reject single-use tokens that the profile allows.
    func checkLifetimes(_ profile: OpenIDProfile) throws(JOSEError) {
        guard let maxLifetime = replays.maxLifetime else { return }
        func isKept(_ seconds: Int) -> Bool { .seconds(seconds) <= maxLifetime }
        // For how many seconds after `exp` the store keeps an assertion or a signed request.
        let margin = ClaimsPolicy.maxLeewaySeconds + 1
        if case .assertion = profile.client.authentication {
            guard isKept(profile.client.maxAssertionValiditySeconds + margin) else {
                throw .misuse(
                    "the replay store's maxLifetime is below client.maxAssertionValidity + 301 s")
            }
        }
        guard isKept(profile.client.codeLifetimeSeconds + 1) else {
            throw .misuse("the replay store's maxLifetime is below client.codeLifetime + 1 s")
        }
        let pushed = profile.pushedRequests
        guard
            pushedRequests == nil || isKept(pushed.lifetimeSeconds + pushed.decisionSeconds + 1)
        else {
            throw .misuse(
                """
                the replay store's maxLifetime is below pushedRequests.lifetime + decisionTime + 1 s
                """)
        }
        guard metadata.backchannelEndpoint != nil else { return }
        let backchannel = profile.backchannel
        guard isKept(backchannel.lifetimeSeconds + 1) else {
            throw .misuse("the replay store's maxLifetime is below backchannel.lifetime + 1 s")
        }
        guard isKept(backchannel.maxObjectValiditySeconds + profile.leewaySeconds + margin) else {
            throw .misuse(
                """
                the replay store's maxLifetime is below backchannel.maxObjectValidity + leeway \
                + 301 s
                """)
        }
    }
}
