// The names by which a provider calls the claims that a UserInfo answer has typed access to.

/// A provider's names for its claims; nil where it has none.
public struct ClaimNames: Sendable, Hashable {
    /// The nationality or citizenship.
    public var nationality: String?
    /// The city of birth.
    public var cityOfBirth: String?
    /// The country of birth.
    public var countryOfBirth: String?
    /// The place of birth, in one claim.
    public var placeOfBirth: String?
    /// The identity card, an object.
    public var identityCard: String?
    /// The serial number of the identity card.
    public var cardSerialNumber: String?
    /// The national number.
    public var nationalNumber: String?
    /// The device, an object.
    public var device: String?
    /// Facts of the transaction, an object.
    public var transaction: String?
    /// A picture as base64.
    public var photo: String?
    /// The serial number of the passport.
    public var passportSerialNumber: String?
    /// The LuxTrust serial number.
    public var luxTrustSerialNumber: String?
    /// The name of the device, a text.
    public var deviceName: String?
    /// The relying party's own name for the user.
    public var externalReference: String?

    /// No names.
    public init() {}
}
