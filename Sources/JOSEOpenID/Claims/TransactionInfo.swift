// Claims about a transaction: where its secrets are stored, and the mobile country.

public import JOSE
import JOSEBytes

/// A transaction, such as a login, as the provider reports it.
public struct TransactionInfo: Sendable {
    /// The members that may be top-level claims (`ClaimNames.hasBareMembers`).
    static let memberNames = ["securityLevel", "bindLevel", "mcc"]

    /// Where a secret is stored.
    public enum Level: String, Sendable, CaseIterable {
        /// `SOFT_ONLY`: in the app, without help of the SIM card.
        case softwareOnly = "SOFT_ONLY"
        /// `SIM_ONLY`: on the SIM card.
        case simOnly = "SIM_ONLY"
        /// `SIM_AND_SOFT`: on the SIM card and in the app.
        case simAndSoftware = "SIM_AND_SOFT"

        /// Creates the level of a name, compared by bytes; nil for another name.
        public init?(rawValue: String) {
            guard let level = Self.allCases.first(where: { $0.rawValue.isExactly(rawValue) })
            else { return nil }
            self = level
        }
    }

    private let strict: StrictMembers

    init(_ strict: StrictMembers) { self.strict = strict }

    /// All members, read in one pass.
    public var members: JSONObject { strict.all }

    /// `securityLevel`: where the secret of the transaction is stored.
    public var security: Level? { get throws(JOSEError) { try level("securityLevel") } }
    /// `bindLevel`: where the secret of the account was stored at the time of the transaction.
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

extension TransactionInfo: RedactedDescription {}
