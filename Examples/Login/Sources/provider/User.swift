// The only user of this provider: claims and authentication.

import JOSE
import JOSEOpenID
import Web

struct User {
    /// The `sub`: 32 characters, as itsme's.
    let subject: String
    let fullName: String
    private let claims: [String: JSONValue]

    static let zoe = User(
        subject: "0123456789abcdef0123456789abcdef", fullName: "Zoë van den Berg",
        claims: [
            "name": "Zoë van den Berg", "given_name": "Zoë", "family_name": "van den Berg",
            "gender": "female", "birthdate": "1984-02-29", "locale": "nl-BE",
            "email": "zoe@example.org", "email_verified": true, "phone_number": "+32 470123456",
            "address": ["street_address": "Wetstraat 16", "locality": "Brussel", "country": "BE"],
        ])

    /// Returns the user's authentication for the ID Token.
    ///
    /// With levels of authentication the user reaches the requested one; a real provider writes the
    /// reached one. Without levels the user only presses a button: `0`, if an `acr` is requested
    /// (OpenID Connect Core, 2).
    func authentication(
        for request: ReceivedAuthorization, of client: RegisteredClient, by rule: ACRRule
    ) throws(JOSEError) -> UserAuthentication {
        let levels = rule.weakestFirst
        let required = try client.acr(for: request)
        let isRequested =
            !request.acrValues.isEmpty || request.claims?.idToken["acr"] != nil
        var acr = required.flatMap { levels.contains($0) ? $0 : nil }
        if acr == nil, isRequested, !rule.providerRejectsUnmetVoluntary {
            acr = levels.first ?? "0"
        }
        return UserAuthentication(subject: subject, time: .now, acr: acr)
    }

    /// Returns why consent would not lead to an ID Token, or nil.
    func rejection(
        of request: ReceivedAuthorization, by client: RegisteredClient, _ rule: ACRRule
    ) async -> AuthorizationError? {
        // This provider has no sessions.
        if request.parameters.words("prompt").contains("none") {
            return AuthorizationError(.loginRequired)
        }
        do throws(JOSEError) {
            let user = try authentication(for: request, of: client, by: rule)
            if let error = try client.unmetRequirements(by: user, for: request) { return error }
            // Makes and discards a token, to find errors before the user consents.
            _ = try await client.tokenIssuer().idToken(for: request, user)
            return nil
        } catch {
            // The error is for the log. The client gets its code.
            note("provider: cannot ask the user: \(error)")
            switch error.code {
            case .misuse, .claimRejected:
                return AuthorizationError(.unmetAuthenticationRequirements)
            case .unavailable: return AuthorizationError(.temporarilyUnavailable)
            default: return AuthorizationError(.serverError)
            }
        }
    }

    /// Returns the known claims of these names.
    func claims(_ names: [String]) -> [String: JSONValue] {
        claims.filter { names.contains($0.key) }
    }

    /// Returns the requested claims about card, device and transaction, by the profile's names.
    func claims(
        requested: ClaimsRequest?, _ names: ClaimNames
    ) -> [String: JSONValue] {
        let known: [(ClaimName?, JSONValue)] = [
            (
                names.identityCard,
                [
                    "eid": "592-0123456-78", "issuance_locality": "Brussel",
                    "validity_from": "2024-03-01T00:00:00+0000",
                    "validity_to": "2034-03-01T00:00:00+0000",
                    "read_date": "2024-03-05T09:30:00+0000", "national_number": "84.02.29-123.45",
                ]
            ),
            (names.cardSerialNumber, "592-0123456-78"), (names.nationalNumber, "84022912345"),
            (
                names.device,
                [
                    "os": "ANDROID", "osRelease": "Android 14", "appName": "itsme app",
                    "deviceLabel": "Zoë's phone", "rooted": false, "hasSimEnabled": true,
                ]
            ),
            (
                names.transaction,
                ["securityLevel": "SIM_AND_SOFT", "bindLevel": "SIM_AND_SOFT", "mcc": 206]
            ),
        ]
        var claims: [String: JSONValue] = [:]
        for claim in (requested?.userInfo ?? [:]).keys {
            for (name, value) in known where name?.contains(claim) == true { claims[claim] = value }
        }
        return claims
    }
}
