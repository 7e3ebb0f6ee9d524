// What an authorization request asks of the ID Token that answers it: read in one place, kept by both sides.

import JOSE
import JOSEBytes

/// What the ID Token that answers a request must say, beside what every one must.
struct RequestedClaims {
    /// The values that `acr` is judged by: with an order the strongest of them counts, without one any of them does.
    let acrValues: [String]
    /// Claims that must be there, since they were asked for: `acr`, `auth_time`.
    let requiredClaims: [String]
    /// The values of which `sub` must be one; empty for any (OpenID Connect Core, 3.1.2.2).
    let subjects: [String]

    /// Reads parameters.
    ///
    /// `acr_values` count where the profile says that `acr` answers them, the claims request always
    /// (OpenID Connect Core, 5.5.1.1). What is voluntary (3.1.2.1 and 5.5.1) counts for a provider
    /// where the profile says so, for a relying party unless the profile says otherwise.
    ///
    /// - Parameter isProvider: Whether the provider reads them.
    /// - Throws: For a claims request, or a demand of `acr` or `sub` in it, that cannot be understood: to pass over it would be
    ///   to ask for less. For two lists that exclude each other.
    init(
        _ parameters: OpenIDParameters, _ rules: AuthorizationRules, isProvider: Bool
    ) throws(ProfileViolation) {
        let demands = try RequestedClaims.demands(parameters)
        let isLenient =
            isProvider
            ? !rules.acr.voluntaryIsBinding : rules.acr.allowsUnmetVoluntary
        let claimed = try RequestedClaims.acrValues(demands, onlyEssential: isLenient)
        let wished =
            rules.acr.isReturned && !isLenient ? parameters.words("acr_values") : []
        if !rules.acr.weakestFirst.isEmpty || wished.isEmpty || claimed.isEmpty {
            acrValues = wished + claimed
        } else {
            let known = Set(claimed.map(ExactString.init))
            acrValues = wished.filter { known.contains(ExactString($0)) }
            guard !acrValues.isEmpty else {
                throw ProfileViolation(
                    "acr_values and claims ask for values of acr that exclude each other")
            }
        }
        subjects = try RequestedClaims.texts(demands["sub"])
        requiredClaims = ["acr", "auth_time"].filter { name in
            demands[name].map { rules.treatsVoluntaryAsEssential || $0.isEssential } ?? false
        }
    }

    /// The values of `acr` that the claims request of the parameters names.
    ///
    /// - Parameter onlyEssential: Whether to leave out the voluntary ones.
    /// - Throws: As for reading all.
    static func claimedACRValues(
        _ parameters: OpenIDParameters, onlyEssential: Bool = false
    ) throws(ProfileViolation) -> [String] {
        try acrValues(demands(parameters), onlyEssential: onlyEssential)
    }

    private static func demands(
        _ parameters: OpenIDParameters
    ) throws(ProfileViolation) -> [String: ClaimsRequest.Demand] {
        guard let text = parameters["claims"] else { return [:] }
        do {
            return try ClaimsRequest(json: text).idToken
        } catch {
            throw ProfileViolation("claims is an object of userinfo and id_token, with demands in each")
        }
    }

    /// One guide writes `acr_values` in one of its examples, where the other has `acr`.
    private static func acrValues(
        _ demands: [String: ClaimsRequest.Demand], onlyEssential: Bool
    ) throws(ProfileViolation) -> [String] {
        guard !demands.isEmpty else { return [] }
        var all: [String] = []
        for name in ["acr", "acr_values"] {
            // One that cannot be understood is an error in either case.
            let values = try texts(demands[name])
            if !onlyEssential || demands[name]?.isEssential == true { all += values }
        }
        return all
    }

    private static func texts(_ demand: ClaimsRequest.Demand?) throws(ProfileViolation) -> [String] {
        guard let demand else { return [] }
        guard let texts = demand.texts else {
            throw ProfileViolation("claims demands an acr or a sub that is no text")
        }
        return texts
    }
}
