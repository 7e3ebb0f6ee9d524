// What a provider says of a transaction and of where its secrets are kept.

public import JOSE
import JOSEBytes

/// Facts of a transaction.
public struct TransactionInfo: Sendable {
    /// The members that may stand without the object (`ClaimNames.hasBareMembers`).
    static let memberNames = ["securityLevel", "bindLevel", "mcc"]

    /// Where a secret is kept.
    public enum Level: String, Sendable, CaseIterable {
        /// In software only.
        case softwareOnly = "SOFT_ONLY"
        /// In the SIM only.
        case simOnly = "SIM_ONLY"
        /// In both.
        case simAndSoftware = "SIM_AND_SOFT"

        /// The level of a word; nil for another, compared by its bytes.
        public init?(rawValue: String) {
            guard let level = Self.allCases.first(where: { $0.rawValue.isExactly(rawValue) })
            else { return nil }
            self = level
        }
    }

    private let strict: StrictMembers

    init(_ strict: StrictMembers) { self.strict = strict }

    /// Every member as it came, in one pass over the object.
    public var members: JSONObject { strict.all }

    /// `securityLevel`: what secured the transaction.
    public var security: Level? { get throws(JOSEError) { try level("securityLevel") } }
    /// `bindLevel`: what the account was bound to at that time.
    public var binding: Level? { get throws(JOSEError) { try level("bindLevel") } }
    /// `mcc`: the mobile country code, three digits.
    public var mobileCountryCode: Int? {
        get throws(JOSEError) {
            try strict.integer(
                "mcc", in: 100...999, or: "it is not a number of three digits"
            ).map(Int.init)
        }
    }

    private func level(_ name: ClaimName) throws(JOSEError) -> Level? {
        try strict.text(name, or: "it is not one of the three levels", Level.init(rawValue:))
    }
}

extension TransactionInfo: RedactedDescription {
    package var shownAs: String { "transaction" }
}
