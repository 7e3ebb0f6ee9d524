// The names by which a provider calls the claims that no specification names.

/// A provider's names for its claims; nil where it has none.
public struct ClaimNames: Sendable, Hashable {
    /// The nationality or citizenship.
    public var nationality: ClaimName?
    /// The city of birth.
    public var cityOfBirth: ClaimName?
    /// The country of birth.
    public var countryOfBirth: ClaimName?
    /// The place of birth, in one claim.
    public var placeOfBirth: ClaimName?
    /// The identity card, an object.
    public var identityCard: ClaimName?
    /// The serial number of the identity card.
    public var cardSerialNumber: ClaimName?
    /// The national number.
    public var nationalNumber: ClaimName?
    /// The device, an object.
    public var device: ClaimName?
    /// Facts of the transaction, an object.
    public var transaction: ClaimName?
    /// A picture as base64.
    public var photo: ClaimName?
    /// The serial number of the passport.
    public var passportSerialNumber: ClaimName?
    /// The LuxTrust serial number.
    public var luxTrustSerialNumber: ClaimName?
    /// The name of the device, a text.
    public var deviceName: ClaimName?
    /// The relying party's own name for the user.
    public var externalReference: ClaimName?

    /// Whether the members of `identityCard`, `device`, `transaction` and of the postal address may also stand next to the other
    /// claims, without their object. The object counts where it is there.
    public var hasBareMembers = false

    /// No names.
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
