// What an authorization request requires of the ID Token.

import JOSE
import JOSEBytes

/// What a request requires of its ID Token.
struct RequestedClaims {
    /// The requested `acr` values. If the profile orders the values, the strongest must be reached,
    /// otherwise one of them.
    let acrValues: [String]
    /// The requested claims that must be present: `acr`, `auth_time`.
    let requiredClaims: [String]
    /// The allowed values of `sub`; empty for any (OpenID Connect Core, 3.1.2.2).
    let subjects: [String]

    /// Reads the parameters of a request.
    ///
    /// Essential claims and `sub` always count (OpenID Connect Core, 5.5.1.1). Voluntary values of
    /// `acr` are those of `acr_values` and of an `acr` in `claims` that is not essential (3.1.2.1
    /// and 5.5.1). A provider requires them if `ACRRule.providerRejectsUnmetVoluntary` is true. A
    /// relying party requires them if `ACRRule.relyingPartyAcceptsUnmetVoluntary` is false.
    /// `acr_values` count only if `ACRRule.isReturned` is also true.
    ///
    /// - Parameter isProvider: Whether a provider reads them.
    /// - Throws: For a malformed claims request, `acr` or `sub`: if it were ignored, ID Tokens that
    ///   the client did not request would be accepted. Also for required `acr_values` and `claims`
    ///   without a common value, unless the profile orders the values.
    init(
        _ parameters: OpenIDParameters, _ rules: AuthorizationRules, isProvider: Bool
    ) throws(ProfileViolation) {
        let claims = try RequestedClaims.claims(parameters)
        let isLenient =
            isProvider
            ? !rules.acr.providerRejectsUnmetVoluntary
            : rules.acr.relyingPartyAcceptsUnmetVoluntary
        let claimed = try RequestedClaims.acrValues(claims, onlyEssential: isLenient)
        let listed =
            rules.acr.isReturned && !isLenient ? parameters.words("acr_values") : []
        if !rules.acr.weakestFirst.isEmpty || listed.isEmpty || claimed.isEmpty {
            acrValues = listed + claimed
        } else {
            let known = Set(claimed.map(ExactString.init))
            acrValues = listed.filter { known.contains(ExactString($0)) }
            guard !acrValues.isEmpty else {
                throw ProfileViolation("acr_values and claims have no acr value in common")
            }
        }
        subjects = try RequestedClaims.strings(claims["sub"])
        requiredClaims = ["acr", "auth_time"].filter { name in
            claims[name].map { rules.treatsVoluntaryAsEssential || $0.isEssential } ?? false
        }
    }

    /// Returns the `acr` values of the claims request.
    ///
    /// - Parameter onlyEssential: Whether to omit the voluntary ones.
    /// - Throws: The errors of `init`.
    static func claimedACRValues(
        _ parameters: OpenIDParameters, onlyEssential: Bool = false
    ) throws(ProfileViolation) -> [String] {
        try acrValues(claims(parameters), onlyEssential: onlyEssential)
    }

    private static func claims(
        _ parameters: OpenIDParameters
    ) throws(ProfileViolation) -> [String: ClaimsRequest.ClaimRequest] {
        guard let text = parameters["claims"] else { return [:] }
        do {
            return try ClaimsRequest(json: text).idToken
        } catch {
            throw ProfileViolation(
                "claims must be an object; userinfo and id_token map claims to null or an object")
        }
    }

    /// Reads the values of the claim `acr`, and of a claim named `acr_values`: an example of
    /// itsme's oldest guide requests that claim instead of `acr`.
    private static func acrValues(
        _ claims: [String: ClaimsRequest.ClaimRequest], onlyEssential: Bool
    ) throws(ProfileViolation) -> [String] {
        guard !claims.isEmpty else { return [] }
        var all: [String] = []
        for name in ["acr", "acr_values"] {
            // A voluntary claim must be well-formed too.
            let values = try strings(claims[name])
            if !onlyEssential || claims[name]?.isEssential == true { all += values }
        }
        return all
    }

    private static func strings(
        _ claim: ClaimsRequest.ClaimRequest?
    ) throws(ProfileViolation) -> [String] {
        guard let claim else { return [] }
        guard let strings = claim.strings else {
            throw ProfileViolation(
                "claims must request acr and sub with a string or a non-empty list of strings")
        }
        return strings
    }
}
