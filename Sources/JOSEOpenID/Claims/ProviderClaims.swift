// Claims that are objects: postal address, identity card and device.

public import JOSE
import JOSEBytes

/// A postal address (OpenID Connect Core, 5.1.1).
public struct PostalAddress: Sendable {
    /// The members that may be top-level claims (`ClaimNames.hasBareMembers`).
    static let memberNames = [
        "street_address", "locality", "postal_code", "country",
    ]

    private let value: TextOrMembers

    init(_ value: TextOrMembers) { self.value = value }

    /// All members, read in one pass; only `formatted` if the claim is a string.
    public var members: JSONObject {
        switch value {
        case .text(let text): ["formatted": .string(text)]
        case .members(let strict): strict.all
        }
    }

    /// `formatted`: the full address for display; lines end with a line feed.
    public var formatted: String? {
        get throws(JOSEError) {
            if case .text(let text) = value { return text }
            return try text("formatted")
        }
    }
    /// `street_address`: street, house number and more; lines end with a line feed.
    public var streetAddress: String? { get throws(JOSEError) { try text("street_address") } }
    /// `locality`: the city or town.
    public var locality: String? { get throws(JOSEError) { try text("locality") } }
    /// `region`: the province or state.
    public var region: String? { get throws(JOSEError) { try text("region") } }
    /// The ZIP or postal code (OpenID Connect Core, 5.1.1).
    public var postalCode: String? { get throws(JOSEError) { try text("postal_code") } }
    /// The country's name (OpenID Connect Core, 5.1.1).
    public var country: String? { get throws(JOSEError) { try text("country") } }

    private func text(_ name: ClaimName) throws(JOSEError) -> String? {
        guard case .members(let strict) = value else { return nil }
        return try strict.text(name)
    }
}

/// An identity card. A member of the wrong type throws `claimRejected` when it is read.
public struct IdentityCardInfo: Sendable {
    static let memberNames = [
        "eid", "issuance_locality", "validity_from", "validity_to", "certificate_validity",
        "read_date", "national_number", "nationality_number",
    ]

    private let strict: StrictMembers

    init(_ strict: StrictMembers) { self.strict = strict }

    /// All members, read in one pass.
    public var members: JSONObject { strict.all }

    /// `eid`: the card's serial number.
    public var number: String? { get throws(JOSEError) { try strict.text("eid") } }
    /// `issuance_locality`: the town that issued the card.
    public var issuanceLocality: String? {
        get throws(JOSEError) { try strict.text("issuance_locality") }
    }
    /// `validity_from`: the start of validity, `2017-04-01T19:43:37+0000` or a date.
    public var validFrom: NumericDate? { get throws(JOSEError) { try date("validity_from") } }
    /// `validity_to`: the end of validity, in the format of `validity_from`.
    public var validTo: NumericDate? { get throws(JOSEError) { try date("validity_to") } }
    /// `certificate_validity`: the validity of the card's certificate, unparsed.
    public var certificateValidity: String? {
        get throws(JOSEError) { try strict.text("certificate_validity") }
    }
    /// `read_date`: when the card was read.
    public var readDate: NumericDate? { get throws(JOSEError) { try date("read_date") } }
    /// `national_number`, or `nationality_number` in the guide of itsme's first generation.
    public var nationalNumber: String? {
        get throws(JOSEError) {
            try strict.text(ClaimName("national_number", or: ["nationality_number"]))
        }
    }

    private func date(_ name: ClaimName) throws(JOSEError) -> NumericDate? {
        try strict.text(
            name, or: "it is not an ISO 8601 time like 2026-01-01T00:00:00Z", ISOTimestamp.read)
    }
}

/// The claims about a device. itsme defines sixteen members.
public struct DeviceInfo: Sendable {
    static let memberNames = [
        "os", "osRelease", "appName", "appRelease", "sdkRelease", "deviceLabel", "deviceId",
        "deviceID", "manufacturer", "deviceModel", "imei", "msisdn", "deviceLockLevel",
        "debugEnabled", "hasSimEnabled", "smsEnabled", "rooted",
    ]

    /// The operating system of a device.
    public enum System: Sendable, Hashable {
        /// Android (`ANDROID`).
        case android
        /// `IOS`, or `iOS`.
        case ios

        init?(_ text: String) {
            let name = text.lowercasedASCII
            if name.isExactly("android") {
                self = .android
            } else if name.isExactly("ios") {
                self = .ios
            } else {
                return nil
            }
        }
    }

    private let strict: StrictMembers

    init(_ strict: StrictMembers) { self.strict = strict }

    /// All members, read in one pass.
    public var members: JSONObject { strict.all }

    /// Returns a member by name.
    public subscript(name: String) -> JSONValue? { strict[name] }

    /// `os`: the operating system.
    public var system: System? {
        get throws(JOSEError) {
            try strict.text("os", or: "it is neither ANDROID nor iOS", System.init)
        }
    }
    /// `osRelease`: the operating system's version.
    public var systemRelease: String? { get throws(JOSEError) { try strict.text("osRelease") } }
    /// `appName`: the provider's app.
    public var appName: String? { get throws(JOSEError) { try strict.text("appName") } }
    /// `appRelease`: the app's version.
    public var appRelease: String? { get throws(JOSEError) { try strict.text("appRelease") } }
    /// `sdkRelease`: the version of the app's SDK.
    public var sdkRelease: String? { get throws(JOSEError) { try strict.text("sdkRelease") } }
    /// `deviceLabel`: the device's name.
    public var label: String? { get throws(JOSEError) { try strict.text("deviceLabel") } }
    /// `deviceId`, or `deviceID`: the unique identifier of the device.
    public var identifier: String? {
        get throws(JOSEError) { try strict.text(ClaimName("deviceId", or: ["deviceID"])) }
    }
    /// `manufacturer`: the manufacturer of the device.
    public var manufacturer: String? { get throws(JOSEError) { try strict.text("manufacturer") } }
    /// `deviceModel`: the model of the device.
    public var model: String? { get throws(JOSEError) { try strict.text("deviceModel") } }
    /// `imei`: the device's number in the mobile network.
    public var imei: String? { get throws(JOSEError) { try strict.text("imei") } }
    /// `msisdn`: the user's telephone number.
    public var telephoneNumber: String? { get throws(JOSEError) { try strict.text("msisdn") } }
    /// `deviceLockLevel`: how the device is unlocked, such as `TOUCH_ID`, `PASSCODE` and `NONE`.
    public var lockLevel: String? { get throws(JOSEError) { try strict.text("deviceLockLevel") } }
    /// `debugEnabled`: whether developer mode is on.
    public var isDebugEnabled: Bool? { get throws(JOSEError) { try truth("debugEnabled") } }
    /// `hasSimEnabled`: whether the device has a SIM.
    public var hasSIM: Bool? { get throws(JOSEError) { try truth("hasSimEnabled") } }
    /// `smsEnabled`: whether the device can send text messages.
    public var sendsMessages: Bool? { get throws(JOSEError) { try truth("smsEnabled") } }
    /// `rooted`: whether the device is rooted.
    public var isRooted: Bool? { get throws(JOSEError) { try truth("rooted") } }

    /// Reads booleans, and the strings `true`, `True`, `false` and `False` of some guides.
    private func truth(_ name: ClaimName) throws(JOSEError) -> Bool? {
        try strict.boolOrString(name, acceptsCapitalized: true)
    }
}

extension PostalAddress: RedactedDescription {}
extension IdentityCardInfo: RedactedDescription {}
extension DeviceInfo: RedactedDescription {}
