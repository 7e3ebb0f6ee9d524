// What a provider told of a user: typed where the profile knows the claim, readable where it does not.

public import JOSE
import JOSEBytes

/// A UserInfo answer that was accepted; only a relying party makes one.
///
/// A claim that the provider does not have is absent: nil. One that is there but not well-formed, null too, throws
/// `claimRejected` with its name.
public struct VerifiedUserInfo: Sendable {
    let document: JSONDocument
    private let names: ClaimNames

    init(document: JSONDocument, names: ClaimNames) {
        self.document = document
        self.names = names
    }

    /// Any claim by name.
    public subscript(name: String) -> JSONValue? { document.json(named: name) }

    /// The claims decoded into a type.
    ///
    /// - Throws: `claimRejected` with the claim that does not fit.
    public func decode<Claims: Decodable>(_ type: Claims.Type) throws(JOSEError) -> Claims {
        try ClaimsDecoder.decode(type, from: document)
    }

    /// `sub`: the subject of the ID Token.
    public var subject: String { document.member("sub").flatMap { document.string(at: $0) } ?? "" }

    /// `name`.
    public var name: String? { get throws(JOSEError) { try text("name") } }
    /// The nationality or citizenship.
    public var nationality: String? { get throws(JOSEError) { try text(names.nationality) } }
    /// The city of birth.
    public var cityOfBirth: String? { get throws(JOSEError) { try text(names.cityOfBirth) } }
    /// The country of birth.
    public var countryOfBirth: String? { get throws(JOSEError) { try text(names.countryOfBirth) } }
    /// The serial number of the identity card.
    public var cardSerialNumber: String? {
        get throws(JOSEError) { try text(names.cardSerialNumber) }
    }
    /// The national number.
    public var nationalNumber: String? { get throws(JOSEError) { try text(names.nationalNumber) } }
    /// The serial number of the passport.
    public var passportSerialNumber: String? {
        get throws(JOSEError) { try text(names.passportSerialNumber) }
    }
    /// The LuxTrust serial number.
    public var luxTrustSerialNumber: String? {
        get throws(JOSEError) { try text(names.luxTrustSerialNumber) }
    }
    /// The name of the device.
    public var deviceName: String? { get throws(JOSEError) { try text(names.deviceName) } }
    /// The relying party's own name for the user.
    public var externalReference: String? {
        get throws(JOSEError) { try text(names.externalReference) }
    }

    /// The place of birth, a text or an object.
    public var placeOfBirth: JSONValue? {
        get throws(JOSEError) {
            guard let name = names.placeOfBirth, let value = self[name] else { return nil }
            guard value.string != nil || value.object != nil else {
                throw .claimRejected(name, "it is neither a text nor an object")
            }
            return value
        }
    }

    /// The identity card.
    public var identityCard: IdentityCardFacts? {
        get throws(JOSEError) { try object(names.identityCard).map(IdentityCardFacts.init) }
    }

    /// The device.
    public var device: DeviceFacts? {
        get throws(JOSEError) { try object(names.device).map(DeviceFacts.init) }
    }

    /// Facts of the transaction.
    public var transaction: TransactionFacts? {
        get throws(JOSEError) {
            guard let name = names.transaction, let members = try object(name) else { return nil }
            return try TransactionFacts(members, claim: name)
        }
    }

    /// The picture: the bytes behind standard base64.
    ///
    /// Costs one pass over the text and one allocation.
    public var photo: [UInt8]? {
        get throws(JOSEError) {
            guard let name = names.photo, let text = try text(name) else { return nil }
            guard let bytes = StandardBase64.decode(text.utf8.span) else {
                throw .claimRejected(name, "it is not standard base64")
            }
            return bytes
        }
    }

    private func text(_ name: String?) throws(JOSEError) -> String? {
        guard let name, let index = document.member(named: name) else { return nil }
        guard let value = document.string(at: index) else {
            throw .claimRejected(name, "it is not a string")
        }
        return value
    }

    private func object(_ name: String?) throws(JOSEError) -> JSONObject? {
        guard let name, let value = self[name] else { return nil }
        guard let members = value.object else { throw .claimRejected(name, "it is not an object") }
        return members
    }
}

extension VerifiedUserInfo: RedactedDescription {
    package var shownAs: String { "UserInfo" }
}
