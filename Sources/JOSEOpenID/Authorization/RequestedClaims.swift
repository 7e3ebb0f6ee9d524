// What an authorization request requires of the ID Token: acr, auth_time and sub.

import JOSE
import JOSEBytes

struct RequestedClaims {
    /// The values that the `acr` of the ID Token must satisfy; empty for any `acr`.
    let acrValues: [String]
    /// `acr` and `auth_time`, if the ID Token must contain them.
    let requiredClaims: [String]
    /// The allowed values of `sub`; empty for any (OpenID Connect Core, 3.1.2.2).
    let subjects: [String]

    /// Reads the parameters of a request.
    ///
    /// Essential `acr` values and `sub` always count (OpenID Connect Core, 5.5.1.1). Voluntary
    /// `acr` values are those of `acr_values` and of an `acr` in `claims` that is not essential
    /// (3.1.2.1, 5.5.1). They count for a provider if `ACRRule.providerRejectsUnmetVoluntary` is
    /// true, and for a relying party if `ACRRule.relyingPartyAcceptsUnmetVoluntary` is false.
    /// `acr_values` count only if `ACRRule.isReturned` is true too.
    ///
    /// - Throws: For a malformed claims request, `acr` or `sub`: ignoring it would allow ID Tokens
    ///   that the client did not request. Also if `acr_values` and `claims` both have values that
    ///   count but none in common, unless the profile orders the values.
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

    /// Also reads a claim `acr_values`: an example of itsme's oldest guide has it instead of `acr`.
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
        guard let strings = claim.requestedStrings else {
            throw ProfileViolation(
                "acr and sub in claims need a string, or a non-empty list of strings, as value"
            )
        }
        return strings
    }
}
