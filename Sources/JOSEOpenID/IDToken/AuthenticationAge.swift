// Checks auth_time against max_age, for relying party and provider.

import JOSE

struct AuthenticationAge {
    let maxSeconds: Int64?
    let leewaySeconds: Int

    /// Returns why a time is rejected, or nil.
    func rejection(of time: NumericDate, at now: NumericDate) -> StaticString? {
        let leeway = Duration.seconds(leewaySeconds)
        guard time <= now.advanced(by: leeway) else { return "it is in the future" }
        guard let maxSeconds else { return nil }
        // The leeway would absorb a small negative maximum.
        return maxSeconds >= 0
            && now <= time.advanced(by: .seconds(maxSeconds) + leeway)
            ? nil : "the user authenticated too long ago"
    }

    /// Returns why a time that the caller passed as `name` is rejected, or nil.
    func misuse(
        of time: NumericDate, named name: StaticString, at now: NumericDate
    ) -> JOSEError? {
        guard time <= now.advanced(by: .seconds(leewaySeconds)) else {
            return .misuse("{} is in the future", .name(name))
        }
        return rejection(of: time, at: now).map { .misuse($0) }
    }
}
