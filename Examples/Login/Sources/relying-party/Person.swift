// What this site wants to know of its user, from the claims of any profile.

import JOSE
import JOSEOpenID

struct Person: Sendable {
    let subject: String
    /// A provider may tell the whole name, or its parts.
    let name: String
    /// What else was told, as it is shown.
    let facts: [(name: String, value: String)]

    /// Reads the claims by type: one that is absent is nil, one that is not what it must be throws.
    init(_ user: VerifiedUserInfo) throws(JOSEError) {
        subject = user.subject
        let parts = [try user.givenName, try user.familyName].compactMap { $0 }
        name = try user.name ?? (parts.isEmpty ? subject : parts.joined(separator: " "))
        // One guide has a claim for each, another an object for the card.
        let (card, cardNumber) = (try user.identityCard, try user.cardSerialNumber)
        let (number, onCard) = (try card?.number, try card?.nationalNumber)
        let nationalNumber = try user.nationalNumber
        let told: [(String, String?)] = [
            ("sub", subject), ("name", name), ("born", try user.birthdate.map(Person.text)),
            ("language", try user.locale), ("email", try user.email),
            ("telephone", try user.phoneNumber), ("lives in", try user.address?.locality),
            ("card", cardNumber ?? number),
            ("national number", nationalNumber ?? onCard),
            ("device", try user.device?.label),
            ("transaction secured by", try user.transaction?.security?.rawValue),
        ]
        facts = told.compactMap { fact in fact.1.map { (fact.0, $0) } }
    }

    private static func text(_ date: Birthdate) -> String {
        [date.day, date.month, date.year].compactMap { $0.map { String($0) } }
            .joined(separator: ".")
    }
}
