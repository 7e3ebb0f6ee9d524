// The user of this site, from the claims of any profile.

import JOSE
import JOSEOpenID

struct Person: Sendable {
    let subject: String
    /// The full name, or its parts joined.
    let name: String
    /// The other claims, for display.
    let facts: [(name: String, value: String)]

    /// Reads the claims. An absent claim is nil, one of the wrong type throws.
    init(_ user: VerifiedUserInfo) throws(JOSEError) {
        subject = user.subject
        let parts = [try user.givenName, try user.familyName].compactMap { $0 }
        name = try user.name ?? (parts.isEmpty ? subject : parts.joined(separator: " "))
        // Some guides have single claims, others an object for the card.
        let (card, cardNumber) = (try user.identityCard, try user.cardSerialNumber)
        let (number, onCard) = (try card?.number, try card?.nationalNumber)
        let nationalNumber = try user.nationalNumber
        let claims: [(String, String?)] = [
            ("sub", subject), ("name", name), ("born", try user.birthdate.map(Person.text)),
            ("language", try user.locale), ("email", try user.email),
            ("telephone", try user.phoneNumber), ("lives in", try user.address?.locality),
            ("card", cardNumber ?? number),
            ("national number", nationalNumber ?? onCard),
            ("device", try user.device?.label),
            ("transaction secured by", try user.transaction?.security?.rawValue),
        ]
        facts = claims.compactMap { claim in claim.1.map { (claim.0, $0) } }
    }

    private static func text(_ date: Birthdate) -> String {
        [date.day, date.month, date.year].compactMap { $0.map { String($0) } }
            .joined(separator: ".")
    }
}
