// The objects among a provider's claims.

public import JOSE

/// An identity card.
public struct IdentityCardFacts: Sendable {
    /// Every member as it came.
    public let members: JSONObject

    init(_ members: JSONObject) { self.members = members }

    /// The card's number.
    public var number: String? { members["eid"]?.string }
    /// The town that issued it.
    public var issuanceLocality: String? { members["issuance_locality"]?.string }
    /// The beginning of its validity, as it was written.
    public var validFrom: String? { members["validity_from"]?.string }
    /// The end of its validity, as it was written.
    public var validTo: String? { members["validity_to"]?.string }
    /// The validity of its certificate, as it was written.
    public var certificateValidity: String? { members["certificate_validity"]?.string }
    /// The national number, by either of the names that one guide has for it.
    public var nationalNumber: String? {
        (members["national_number"] ?? members["nationality_number"])?.string
    }
    /// When the card was read; nil where that is absent or not like `2017-04-01T19:43:37+0000`.
    public var readDate: NumericDate? {
        members["read_date"]?.string.flatMap(ISOTimestamp.read)
    }
}

/// A device, by members that its provider names.
///
/// No member is typed: itsme's object has sixteen, but what this package was written from names none of them, and a
/// guessed name would read as absent on every device.
public struct DeviceFacts: Sendable {
    /// Every member as it came.
    public let members: JSONObject

    init(_ members: JSONObject) { self.members = members }

    /// Any member.
    public subscript(name: String) -> JSONValue? { members[name] }
}

/// Facts of a transaction.
public struct TransactionFacts: Sendable {
    /// Where a secret is kept.
    public enum Level: String, Sendable {
        /// In software only.
        case softwareOnly = "SOFT_ONLY"
        /// In the SIM only.
        case simOnly = "SIM_ONLY"
        /// In both.
        case simAndSoftware = "SIM_AND_SOFT"
    }

    /// Every member as it came.
    public let members: JSONObject
    /// `securityLevel`.
    public let security: Level?
    /// `bindLevel`.
    public let binding: Level?
    /// `mcc`: the mobile country code, three digits.
    public let mobileCountryCode: Int?

    init(_ members: JSONObject, claim: String) throws(JOSEError) {
        self.members = members
        security = try TransactionFacts.level(members["securityLevel"], claim)
        binding = try TransactionFacts.level(members["bindLevel"], claim)
        if let code = members["mcc"] {
            guard let number = code.integer, 100...999 ~= number else {
                throw .claimRejected(claim, "its mcc is not a number of three digits")
            }
            mobileCountryCode = Int(number)
        } else {
            mobileCountryCode = nil
        }
    }

    private static func level(
        _ value: JSONValue?, _ claim: String
    ) throws(JOSEError) -> Level? {
        guard let value else { return nil }
        guard let level = value.string.flatMap(Level.init(rawValue:)) else {
            throw .claimRejected(claim, "a level in it is not one of the three")
        }
        return level
    }
}
