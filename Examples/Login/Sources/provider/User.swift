// The one user of this provider: who she is, how she signed in, and what is told of her.

import JOSE
import JOSEOpenID

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

    /// What the ID Token of this client says of her signing in, a moment ago by as strong means as it takes.
    func authentication(
        for request: ReceivedAuthorization, of client: RegisteredClient
    ) throws -> UserAuthentication {
        UserAuthentication(subject: subject, time: .now, context: try client.context(for: request))
    }

    /// The claims of these names that are known.
    func claims(_ names: [String]) -> [String: JSONValue] {
        claims.filter { names.contains($0.key) }
    }
}
