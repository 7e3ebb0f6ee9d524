// How old an authentication may be, for both sides.

import JOSE

/// When a user may have authenticated: whoever writes `auth_time` and whoever reads it judge alike.
struct AuthenticationAge {
    let maxSeconds: Int64?
    let leewaySeconds: Int

    /// Why a time is rejected; nil where it is not.
    func rejection(of time: NumericDate, at now: NumericDate) -> StaticString? {
        let leeway = Duration.seconds(leewaySeconds)
        guard time <= now.advanced(by: leeway) else { return "it is in the future" }
        guard let maxSeconds else { return nil }
        // A sum before 1970 ends there: an age below zero is nobody's.
        return maxSeconds >= 0
            && now <= time.advanced(by: .seconds(maxSeconds) + leeway)
            ? nil : "the user authenticated too long ago"
    }
}
