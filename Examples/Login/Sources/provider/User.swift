// The one user of this provider: who she is, how she signed in, and what is told of her.

import JOSE
import JOSEOpenID
import Web

struct User {
    /// Her name for clients: 32 characters, as itsme's are.
    let subject: String
    let fullName: String
    /// All that is known of her.
    private let claims: [String: JSONValue]

    static let zoe = User(
        subject: "0123456789abcdef0123456789abcdef", fullName: "Zoë van den Berg",
        claims: [
            "name": "Zoë van den Berg", "given_name": "Zoë", "family_name": "van den Berg",
            "gender": "female", "birthdate": "1984-02-29", "locale": "nl-BE",
            "email": "zoe@example.org", "email_verified": true, "phone_number": "+32 470123456",
            "address": ["street_address": "Wetstraat 16", "locality": "Brussel", "country": "BE"],
        ])

    /// What the ID Token of this client says of her signing in, now.
    ///
    /// A provider with levels is played here as if she had done what the client asks for. A real one writes what she did.
    /// Without levels she did nothing but press a button: `0`, where a client asks for an `acr`
    /// (OpenID Connect Core, 2).
    func authentication(
        for request: ReceivedAuthorization, of client: RegisteredClient, by rule: ACRRule
    ) throws(JOSEError) -> UserAuthentication {
        let levels = rule.weakestFirst
        let wanted = try client.acr(for: request)
        let isRequested =
            !request.acrValues.isEmpty || request.claims?.idToken["acr"] != nil
        var acr = wanted.flatMap { levels.contains($0) ? $0 : nil }
        if acr == nil, isRequested, !rule.voluntaryIsBinding { acr = levels.first ?? "0" }
        return UserAuthentication(subject: subject, time: .now, acr: acr)
    }

    /// Why she cannot be asked; nil where she can, and her yes leads to an ID Token.
    func rejection(
        of request: ReceivedAuthorization, by client: RegisteredClient, _ rule: ACRRule
    ) async -> AuthorizationError? {
        // This provider knows nobody before her word.
        if request.parameters.words("prompt").contains("none") {
            return AuthorizationError(.loginRequired)
        }
        do throws(JOSEError) {
            let user = try authentication(for: request, of: client, by: rule)
            if let error = try client.unmetRequirements(by: user, for: request) { return error }
            // What else the library rejects when it makes the token: so one is made for nobody.
            _ = try await client.tokenIssuer().idToken(for: request, user)
            return nil
        } catch {
            // What the library throws is for this log. A client reads what the code means.
            note("provider: cannot ask her: \(error)")
            switch error.code {
            case .misuse, .claimRejected:
                return AuthorizationError(.unmetAuthenticationRequirements)
            case .unavailable: return AuthorizationError(.temporarilyUnavailable)
            default: return AuthorizationError(.serverError)
            }
        }
    }

    /// The claims of these names that are known.
    func claims(_ names: [String]) -> [String: JSONValue] {
        claims.filter { names.contains($0.key) }
    }

    /// What the parameter `claims` requests of her card, her device and the transaction, by the profile's names.
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
        for asked in (requested?.userInfo ?? [:]).keys {
            for (name, value) in known where name?.contains(asked) == true { claims[asked] = value }
        }
        return claims
    }
}
