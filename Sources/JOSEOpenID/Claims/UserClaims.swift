// Typed access to the claims of ID Tokens and UserInfo responses.

public import JOSE
import JOSEBytes

/// The verified claims of a user, in `VerifiedIDToken` and `VerifiedUserInfo`.
///
/// A claim that is absent, null or an empty string is nil. A claim of the wrong type or format
/// throws `claimRejected` with its name, or with `claim.member` for a member of an object.
public protocol UserClaims: Sendable {
    /// Returns a claim by name.
    subscript(name: String) -> JSONValue? { get }
    /// The provider's own claim names, for claims that no specification defines.
    var claimNames: ClaimNames { get }
    /// The claims for the typed properties. Only this library creates it.
    var verifiedClaims: VerifiedClaims { get }
}

/// Verified claims, the source of the typed properties of `UserClaims`.
public struct VerifiedClaims: Sendable {
    let members: StrictMembers

    init(_ document: JSONDocument) { members = StrictMembers(document) }
}

/// The claims that a specification names (OpenID Connect Core, 5.1).
extension UserClaims {
    /// `name`: the full name for display.
    public var name: String? { get throws(JOSEError) { try strict.text("name") } }
    /// `given_name`; several are separated by spaces.
    public var givenName: String? { get throws(JOSEError) { try strict.text("given_name") } }
    /// `family_name`; several are separated by spaces.
    public var familyName: String? { get throws(JOSEError) { try strict.text("family_name") } }
    /// Middle names, separated by spaces (OpenID Connect Core, 5.1).
    public var middleName: String? { get throws(JOSEError) { try strict.text("middle_name") } }
    /// The casual name (OpenID Connect Core, 5.1).
    public var nickname: String? { get throws(JOSEError) { try strict.text("nickname") } }
    /// `preferred_username`. Do not use it as a key: it may change and need not be unique.
    public var preferredUsername: String? {
        get throws(JOSEError) { try strict.text("preferred_username") }
    }
    /// `profile`: the URL of a page about the user.
    public var profilePage: String? {
        get throws(JOSEError) { try strict.text("profile", or: notURL, UserURL.read) }
    }
    /// `website`: the URL of the user's own page.
    public var website: String? {
        get throws(JOSEError) { try strict.text("website", or: notURL, UserURL.read) }
    }
    /// `picture`: a URL, or the picture itself.
    public var picture: UserPicture? {
        get throws(JOSEError) {
            try strict.text(
                "picture", or: "it is neither a URL nor standard base64", UserPicture.init)
        }
    }
    /// `gender`, such as `female` and `male`.
    public var gender: String? { get throws(JOSEError) { try strict.text("gender") } }
    /// The date of birth; the year may be absent (OpenID Connect Core, 5.1).
    public var birthdate: Birthdate? {
        get throws(JOSEError) {
            try strict.text("birthdate", or: "it is not a date like 1990-12-31", Birthdate.init)
        }
    }
    /// `zoneinfo`: the time zone, such as `Europe/Brussels`.
    public var zoneinfo: String? { get throws(JOSEError) { try strict.text("zoneinfo") } }
    /// `locale`: a language tag such as `fr` or `nl-BE`; an underscore in it is read as a hyphen.
    public var locale: String? {
        get throws(JOSEError) {
            try strict.text("locale", or: "it is not a language tag", LanguageTag.read)
        }
    }
    /// `updated_at`: when the claims changed last, in seconds since 1970 or as an ISO 8601 string.
    public var updatedAt: NumericDate? {
        get throws(JOSEError) { try strict.dateOrISO("updated_at") }
    }
    /// `email`. Do not use it as a key: it may change and need not be unique.
    public var email: String? {
        get throws(JOSEError) {
            try strict.text("email", or: "it is not an email address", MailAddress.read)
        }
    }
    /// `email_verified`: true or false, or a string that is exactly `true` or `false`.
    public var emailVerified: Bool? {
        get throws(JOSEError) { try strict.boolOrString("email_verified") }
    }
    /// `phone_number`, in the provider's format.
    public var phoneNumber: String? { get throws(JOSEError) { try strict.text("phone_number") } }
    /// `phone_number_verified`: true or false, or a string that is exactly `true` or `false`.
    public var phoneNumberVerified: Bool? {
        get throws(JOSEError) { try strict.boolOrString("phone_number_verified") }
    }
    /// `address`: the postal address. A string becomes its `formatted`.
    public var address: PostalAddress? {
        get throws(JOSEError) {
            if case .text(let text)? = try strict.textOrMembers("address") {
                return PostalAddress(.text(text))
            }
            return try object("address", PostalAddress.memberNames).map {
                PostalAddress(.members($0))
            }
        }
    }
}

/// The claims whose names providers choose (`ClaimNames`).
extension UserClaims {
    /// The nationality or citizenship, as the provider writes it; not validated.
    public var nationality: String? {
        get throws(JOSEError) { try strict.text(claimNames.nationality) }
    }
    /// The city or place of birth, as the provider writes it.
    public var cityOfBirth: String? {
        get throws(JOSEError) { try strict.text(claimNames.cityOfBirth) }
    }
    /// The ISO 3166 code of the country where the user was born.
    public var countryOfBirth: String? {
        get throws(JOSEError) { try strict.text(claimNames.countryOfBirth) }
    }
    /// The place of birth, a string or an object.
    public var placeOfBirth: JSONValue? {
        get throws(JOSEError) { try strict.textOrObject(claimNames.placeOfBirth) }
    }
    /// The serial number of the identity card, in the format of its country.
    public var cardSerialNumber: String? {
        get throws(JOSEError) { try strict.text(claimNames.cardSerialNumber) }
    }
    /// The national identification number. Its checksum is not verified.
    public var nationalNumber: String? {
        get throws(JOSEError) { try strict.text(claimNames.nationalNumber) }
    }
    /// The number that is printed in the passport.
    public var passportSerialNumber: String? {
        get throws(JOSEError) { try strict.text(claimNames.passportSerialNumber) }
    }
    /// The user's serial number at LuxTrust, the identity provider of Luxembourg.
    public var luxTrustSerialNumber: String? {
        get throws(JOSEError) { try strict.text(claimNames.luxTrustSerialNumber) }
    }
    /// The name of the user's phone or app, as the device reports it.
    public var deviceName: String? {
        get throws(JOSEError) { try strict.text(claimNames.deviceName) }
    }
    /// The relying party's identifier of the user.
    public var externalReference: String? {
        get throws(JOSEError) { try strict.text(claimNames.externalReference) }
    }
    /// What itsme read from the user's identity card.
    public var identityCard: IdentityCardInfo? {
        get throws(JOSEError) {
            try object(claimNames.identityCard, IdentityCardInfo.memberNames)
                .map(IdentityCardInfo.init)
        }
    }
    /// The phone that confirmed the login, as itsme reports it.
    public var device: DeviceInfo? {
        get throws(JOSEError) {
            try object(claimNames.device, DeviceInfo.memberNames).map(DeviceInfo.init)
        }
    }
    /// The security level of the login, as itsme reports it.
    public var transaction: TransactionInfo? {
        get throws(JOSEError) {
            try object(claimNames.transaction, TransactionInfo.memberNames)
                .map(TransactionInfo.init)
        }
    }
    /// The picture of the identity card, decoded from standard base64. This costs one pass over the
    /// text and two allocations of its size.
    public var photo: [UInt8]? {
        get throws(JOSEError) {
            try strict.text(claimNames.photo, or: "it is not standard base64") {
                StandardBase64.decode($0.utf8.span)
            }
        }
    }

    /// If the object is absent, `claimNames.hasBareMembers` allows its members as top-level claims.
    private func object(
        _ name: ClaimName?, _ members: [String]
    ) throws(JOSEError) -> StrictMembers? {
        guard claimNames.hasBareMembers, name != nil else { return try strict.object(name) }
        return try strict.object(name, orMembersAlongside: members)
    }

    private var strict: StrictMembers { verifiedClaims.members }
    private var notURL: StaticString { "it is not an http or https URL" }
}

extension VerifiedClaims: RedactedDescription {}
