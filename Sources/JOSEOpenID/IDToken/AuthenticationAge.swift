// Checks auth_time against max_age, for relying parties and providers.

import JOSE

struct AuthenticationAge {
    let maxSeconds: Int64?
    let leewaySeconds: Int

    func rejection(of time: NumericDate, at now: NumericDate) -> StaticString? {
        let leeway = Duration.seconds(leewaySeconds)
        guard time <= now.advanced(by: leeway) else { return "it is in the future" }
        guard let maxSeconds else { return nil }
        // Without this check, the leeway would hide a small negative `maxSeconds`.
        return maxSeconds >= 0
            && now <= time.advanced(by: .seconds(maxSeconds) + leeway)
            ? nil : "the user authenticated too long ago"
    }

    /// Returns `misuse` if the time that the caller passed as `name` is rejected, otherwise nil.
    func misuse(
        of time: NumericDate, named name: StaticString, at now: NumericDate
    ) -> JOSEError? {
        guard time <= now.advanced(by: .seconds(leewaySeconds)) else {
            return .misuse("{} is in the future", .name(name))
        }
        return rejection(of: time, at: now).map { .misuse($0) }
    }
}
