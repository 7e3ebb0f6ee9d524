// How long what a provider's clients use once may live, beside how long its store remembers it.

import JOSE

extension OpenIDProvider {
    /// Throws `misuse` where the store would reject what the profile lets live: honest clients would be told so one by one.
    func checkLifetimes(_ profile: OpenIDProfile) throws(JOSEError) {
        guard let longest = replays.maxLifetime else { return }
        func isKept(_ seconds: Int) -> Bool { .seconds(seconds) <= longest }
        // What a claim keeps a token for behind its `exp`, and any other use behind its end.
        let margin = ClaimsPolicy.maxLeewaySeconds + 1
        if case .assertion = profile.client.authentication {
            guard isKept(profile.client.assertionHorizonSeconds + margin) else {
                throw .misuse(
                    "the replay store's maxLifetime is below client.assertionHorizon and 301 seconds"
                )
            }
        }
        guard isKept(profile.client.codeLifetimeSeconds + 1) else {
            throw .misuse("the replay store's maxLifetime is below client.codeLifetime")
        }
        let pushed = profile.pushedRequests
        guard
            pushedRequests == nil || isKept(pushed.lifetimeSeconds + pushed.decisionSeconds + 1)
        else {
            throw .misuse(
                "the replay store's maxLifetime is below pushedRequests.lifetime and decisionTime"
            )
        }
        guard metadata.backchannelEndpoint != nil else { return }
        let backchannel = profile.backchannel
        guard isKept(backchannel.lifetimeSeconds + 1) else {
            throw .misuse("the replay store's maxLifetime is below backchannel.lifetime")
        }
        guard isKept(backchannel.objectHorizonSeconds + profile.leewaySeconds + margin) else {
            throw .misuse(
                "the replay store's maxLifetime is below backchannel.objectHorizon, the leeway and 301 seconds"
            )
        }
    }
}
