// A provider's names for claims without a standard name.

/// A provider's names for claims that have no standard name; nil for claims that it does not have.
public struct ClaimNames: Sendable, Hashable {
    /// The nationality or citizenship.
    public var nationality: ClaimName?
    /// Where the user was born.
    public var cityOfBirth: ClaimName?
    /// The country where the user was born.
    public var countryOfBirth: ClaimName?
    /// The place of birth, in one claim.
    public var placeOfBirth: ClaimName?
    /// The identity card, a JSON object.
    public var identityCard: ClaimName?
    /// The serial number of the identity card.
    public var cardSerialNumber: ClaimName?
    /// The number of the national register.
    public var nationalNumber: ClaimName?
    /// The device, a JSON object.
    public var device: ClaimName?
    /// The transaction, a JSON object.
    public var transaction: ClaimName?
    /// A picture in base64.
    public var photo: ClaimName?
    /// The serial number of the passport.
    public var passportSerialNumber: ClaimName?
    /// The LuxTrust serial number.
    public var luxTrustSerialNumber: ClaimName?
    /// The name of the device.
    public var deviceName: ClaimName?
    /// The relying party's own identifier for the user.
    public var externalReference: ClaimName?

    /// Whether members of `identityCard`, `device`, `transaction` and the postal address may also
    /// be top-level claims. The object takes precedence.
    public var hasBareMembers = false

    /// Creates an empty set of names.
    public init() {}

    /// All names.
    public var all: [ClaimName] {
        [
            nationality, cityOfBirth, countryOfBirth, placeOfBirth, identityCard, cardSerialNumber,
            nationalNumber, device, transaction, photo, passportSerialNumber, luxTrustSerialNumber,
            deviceName, externalReference,
        ].compactMap(\.self)
    }
}
