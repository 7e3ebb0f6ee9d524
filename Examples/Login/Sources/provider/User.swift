// The one user of this provider: who she is, how she signed in, and what is told of her.

import JOSE
import JOSEOpenID

struct User {
    /// Her name for clients: 32 characters, as itsme's are.
    let subject: String
    let fullName: String

    static let zoe = User(
        subject: "0123456789abcdef0123456789abcdef", fullName: "Zoë van den Berg")

    /// What the ID Token says of her signing in, a moment ago by the strongest means that was asked for.
    func authentication(for request: ReceivedAuthorization) -> UserAuthentication {
        UserAuthentication(subject: subject, time: .now, context: request.contexts.last)
    }

    /// The claims that these scopes ask for.
    func claims(for scopes: [String]) -> JSONValue {
        ["name": .string(fullName)]
    }
}
