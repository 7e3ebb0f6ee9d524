// The typed claims of a user: a present claim is read, or rejected by name, and never reads as
// absent.

import JOSE
import JOSEBytes
import JOSEOpenID

extension FuzzTarget {
    static let userClaims = FuzzTarget("user-claims") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        for (party, idToken) in UserClaimsTarget.worlds {
            let user = try bounded(bytes) {
                try awaiting {
                    try await party.verifyUserInfo(text, for: idToken, at: UserClaimsTarget.now)
                }
            }
            guard let user else { continue }
            for reader in UserClaimsTarget.readers(user.claimNames) {
                try UserClaimsTarget.judge(reader, user, bytes)
            }
        }
    }
}

private enum UserClaimsTarget {
    struct Reader {
        let name: ClaimName
        /// The object that contains the claim.
        var object: ClaimName?
        /// The members of the object, if a guide lists them without it.
        var members: [String] = []
        let read: (VerifiedUserInfo) throws -> Any?
    }

    /// Members that may also be the strings `True` and `False`.
    private static let capitalised = ["debugEnabled", "hasSimEnabled", "smsEnabled", "rooted"]

    static func judge(_ reader: Reader, _ user: VerifiedUserInfo, _ bytes: [UInt8]) throws {
        let objects = reader.object.map { $0.all.compactMap { user[$0] } } ?? []
        var places: [JSONValue]
        if reader.object == nil {
            places = reader.name.all.compactMap { user[$0] }
        } else {
            places = objects.flatMap { object in reader.name.all.compactMap { object[$0] } }
        }
        places += bare(reader, user, objects)
        // Null and an empty string count as absent.
        places.removeAll { $0 == .null || $0.string?.isEmpty == true }
        do {
            let value = try bounded(bytes) {
                do {
                    return try reader.read(user)
                } catch let error as JOSEError {
                    let names = (reader.object?.all ?? []) + reader.name.all
                    let claim = error.claim ?? ""
                    try hold(
                        error.code == .claimRejected
                            && names.contains { claim == $0 || claim.hasSuffix(".\($0)") },
                        "rejected without its name: \(error)")
                    throw error
                }
            }
            // Nil for a rejection, an inner nil for an absent claim.
            guard let value else { return }
            if let value {
                try hold(!places.isEmpty, "read out of nothing")
                if let read = value as? Bool {
                    var texts = [read ? "true" : "false"]
                    if capitalised.contains(reader.name.preferred) {
                        texts.append(read ? "True" : "False")
                    }
                    let isText = places[0].string.map(texts.contains) ?? false
                    try hold(places[0] == .bool(read) || isText, "another truth")
                }
                if let read = value as? String, !(reader.name.preferred == "locale") {
                    try hold(
                        places[0].string.map { Array($0.utf8) == Array(read.utf8) } ?? false,
                        "another text")
                }
            } else {
                try hold(places.isEmpty, "what is there reads as absent")
            }
        }
    }

    /// The member next to the other claims if the object is absent.
    private static func bare(
        _ reader: Reader, _ user: VerifiedUserInfo, _ objects: [JSONValue]
    ) -> [JSONValue] {
        guard user.claimNames.hasBareMembers else { return [] }
        let own = reader.object == nil ? reader.name.all.compactMap { user[$0] } : objects
        guard own.allSatisfy({ $0 == .null || $0.string?.isEmpty == true }) else { return [] }
        let names = reader.object == nil ? reader.members : reader.name.all
        return names.compactMap { user[$0] }
    }

    private static let postal = ["street_address", "locality", "postal_code", "country"]
    private static let device = [
        "os", "osRelease", "appName", "appRelease", "sdkRelease", "deviceLabel", "deviceId",
        "deviceID", "manufacturer", "deviceModel", "imei", "msisdn", "deviceLockLevel",
        "debugEnabled", "hasSimEnabled", "smsEnabled", "rooted",
    ]

    static func readers(_ names: ClaimNames) -> [Reader] {
        var all: [Reader] = [
            Reader(name: "name") { try $0.name }, Reader(name: "email") { try $0.email },
            Reader(name: "email_verified") { try $0.emailVerified },
            Reader(name: "birthdate") { try $0.birthdate },
            Reader(name: "locale") { try $0.locale },
            Reader(name: "picture") { try $0.picture },
            Reader(name: "profile") { try $0.profilePage },
            Reader(name: "updated_at") { try $0.updatedAt },
            Reader(name: "address", members: postal) { try $0.address },
            Reader(name: "street_address", object: "address") { try $0.address?.streetAddress },
        ]
        func add(
            _ name: ClaimName?, _ read: @escaping (VerifiedUserInfo) throws -> Any?
        ) {
            if let name { all.append(Reader(name: name, read: read)) }
        }
        add(names.nationality) { try $0.nationality }
        add(names.placeOfBirth) { try $0.placeOfBirth }
        add(names.cardSerialNumber) { try $0.cardSerialNumber }
        add(names.photo) { try $0.photo }
        if let device = names.device {
            all.append(Reader(name: device, members: Self.device) { try $0.device })
            all.append(Reader(name: "rooted", object: device) { try $0.device?.isRooted })
            all.append(Reader(name: "os", object: device) { try $0.device?.system })
            all.append(
                Reader(name: ClaimName("deviceId", or: ["deviceID"]), object: device) {
                    try $0.device?.identifier
                })
        }
        if let card = names.identityCard {
            all.append(Reader(name: "read_date", object: card) { try $0.identityCard?.readDate })
            all.append(Reader(name: "validity_to", object: card) { try $0.identityCard?.validTo })
        }
        if let transaction = names.transaction {
            all.append(
                Reader(name: "mcc", object: transaction) {
                    try $0.transaction?.mobileCountryCode
                })
            all.append(
                Reader(name: "bindLevel", object: transaction) { try $0.transaction?.binding })
        }
        return all
    }

    static let now = NumericDate(exactly: 1_760_000_000) ?? .earliest

    /// A relying party with each preset's names, with its own ID Token.
    static let worlds: [(RelyingParty, VerifiedIDToken)] = {
        do {
            return try [OpenIDProfile.itsme1, .itsme2].map { preset in
                var profile = OpenIDProfile.openID
                profile.userInfo.names = preset.userInfo.names
                let issuer = "https://idp.example/v2"
                let party = try RelyingParty(
                    profile: profile,
                    metadata: ProviderMetadata(
                        issuer: issuer, authorizationEndpoint: issuer + "/a",
                        tokenEndpoint: issuer + "/t", userInfoEndpoint: issuer + "/u",
                        jwksURI: issuer + "/k", profile: profile),
                    clientID: "c", redirectURI: "https://rp.example/cb",
                    keys: JWKSet(keys: [Known.client]), secret: ClientSecret("s"),
                    providerKeys: JWKSet(keys: [Known.signing]).publicKeys)
                let started = try awaiting {
                    try await party.start(AuthorizationRequest(), at: now)
                }
                let token = try JWTIssuer(
                    key: Known.signing, algorithm: .rs256, lifetime: .seconds(60)
                ).issue(
                    JSONValue.object([
                        "iss": .string(issuer), "sub": "u", "aud": "c",
                        "nonce": .string(started.session.nonce),
                    ]), at: now)
                let idToken = try awaiting {
                    try await party.verifyIDToken(token, for: started.session, at: now)
                }
                return (party, idToken)
            }
        } catch {
            preconditionFailure("the parties of the fuzz targets: \(error)")
        }
    }()
}
