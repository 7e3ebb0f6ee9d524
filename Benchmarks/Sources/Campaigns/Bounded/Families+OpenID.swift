// Claims of a user and requests for them: what one typed reader costs, and the bearer's reader.

import Foundation
import JOSE
import JOSEOpenID

extension Bounded {
    static func openIDFamilies() throws -> [Family] {
        let env = try OpenIDEnvironment()
        let limit = JOSELimits.standard.tokenBytes
        let sizes = [limit / 16, limit / 4, limit]
        let eid = "http://itsme.services/v2/claim/BEeidSn"
        let kinds: [(String, (Int) -> String, (VerifiedUserInfo) throws -> Void)] = [
            (
                "a claim of many spellings among many",
                { Shape.members.members($0) }, { user in _ = try user.cardSerialNumber }
            ),
            (
                "a claim whose names are in escapes",
                { Shape.escapedNames.members($0) }, { user in _ = try user.cardSerialNumber }
            ),
            (
                "a claim twice, with one long value",
                { size in
                    let value = "\"" + String(repeating: "a", count: size / 2 - 100) + "\""
                    return "\"\(eid)\":\(value),\"\(eid.replacing("Sn", with: "SN"))\":\(value)"
                }, { user in _ = try user.cardSerialNumber }
            ),
            (
                "a device of many members",
                { size in
                    "\"http://itsme.services/v2/claim/claim_device\":{"
                        + Shape.shortNames.members(size - 80) + "}"
                }, { user in _ = try user.device?.identifier }
            ),
            (
                "a device whose members are in escapes",
                { size in
                    "\"http://itsme.services/v2/claim/claim_device\":{"
                        + Shape.escapedNames.members(size - 80) + "}"
                }, { user in _ = try user.device?.identifier }
            ),
            (
                "a device of one long value",
                { size in
                    "\"http://itsme.services/v2/claim/claim_device\":{"
                        + Shape.escapes.members(size - 80) + "}"
                }, { user in _ = try user.device?.identifier }
            ),
            (
                "an address of many members",
                { "\"address\":{" + Shape.shortNames.members($0 - 40) + "}" },
                { user in _ = try user.address }
            ),
            (
                "an address of names in escapes",
                { "\"address\":{" + Shape.escapedNames.members($0 - 40) + "}" },
                { user in _ = try user.address }
            ),
            (
                "an address of one long line",
                {
                    "\"address\":{\"formatted\":\"" + String(repeating: "\\n", count: ($0 - 60) / 2)
                        + "\"}"
                },
                { user in _ = try user.address }
            ),
            (
                "a picture of much base64",
                { size in
                    "\"picture\":\"" + String(repeating: "MIIB", count: (size - 40) / 4) + "\""
                }, { user in _ = try user.picture }
            ),
            (
                "a picture of much nearly base64",
                { size in
                    "\"picture\":\"" + String(repeating: "MIIB", count: (size - 40) / 4) + "AB==\""
                }, { user in _ = try user.picture }
            ),
            (
                "a locale of many parts",
                { "\"locale\":\"" + String(repeating: "a-", count: ($0 - 40) / 2) + "a\"" },
                { user in _ = try user.locale }
            ),
            (
                "an email in escapes",
                { "\"email\":\"" + String(repeating: #"\u0040"#, count: ($0 - 40) / 6) + "\"" },
                { user in _ = try user.email }
            ),
            (
                "a date of birth of many digits",
                { "\"birthdate\":\"" + String(repeating: "1", count: $0 - 40) + "\"" },
                { user in _ = try user.birthdate }
            ),
            (
                "a time of many digits",
                { "\"updated_at\":1" + String(repeating: "0", count: $0 - 40) },
                { user in _ = try user.updatedAt }
            ),
        ]
        return kinds.map { name, members, read in
            Family(
                name: "claims by type: " + name, sizes: sizes,
                hostile: { env.reading(members($0 - 40), read) },
                valid: { env.reading(Text.ordinary($0 - 40)) { user in _ = try user.name } })
        } + bearerFamilies() + bearerHeaderFamilies()
    }

    /// Beside a form of ordinary parameters of the same size.
    private static func bearerFamilies() -> [Family] {
        let kinds: [(String, (Int) -> String)] = [
            ("one long token", { "access_token=" + String(repeating: "a", count: $0 - 20) }),
            ("escapes", { "a=" + String(repeating: "%61", count: ($0 - 10) / 3) }),
            ("broken escapes", { "a=" + String(repeating: "%61", count: ($0 - 10) / 3) + "%" }),
            ("ampersands", { String(repeating: "&", count: $0 - 10) }),
        ]
        return kinds.map { name, form in
            Family(
                name: "bearer: " + name, sizes: [4_096, 16_384, 65_536],
                hostile: { bearing(form($0)) },
                valid: { size in
                    let value = String(repeating: "a", count: (size - 400) / 32)
                    return bearing(
                        "access_token=t"
                            + (0..<32).map { "&name_\($0)=\(value)" }.joined())
                })
        }
    }

    /// Beside a header with a token of the same size.
    private static func bearerHeaderFamilies() -> [Family] {
        let kinds: [(String, (Int) -> String)] = [
            ("spaces behind the scheme", { "Bearer" + String(repeating: " ", count: $0 - 6) }),
            ("a long scheme", { String(repeating: "b", count: $0) }),
            ("a scheme of other letters", { String(repeating: "\u{130}", count: $0 / 2) }),
            (
                "a token that ends wrong",
                { "Bearer " + String(repeating: "a", count: $0 - 8) + "!" }
            ),
        ]
        return kinds.map { name, header in
            Family(
                name: "bearer header: " + name, sizes: [1_024, 4_096, 16_384],
                hostile: { bearing(header: header($0)) },
                valid: { bearing(header: "Bearer " + String(repeating: "a", count: $0 - 7)) })
        }
    }

    private static func bearing(header: String) -> Sample {
        Sample(bytes: header.utf8.count) {
            do throws(JOSEError) {
                _ = try BearerToken(method: "GET", authorization: header)
            } catch {}
        }
    }

    private static func bearing(_ form: String) -> Sample {
        Sample(bytes: form.utf8.count) {
            do throws(JOSEError) {
                _ = try BearerToken(
                    method: "POST", authorization: nil,
                    contentType: "application/x-www-form-urlencoded", body: form)
            } catch {}
        }
    }
}

/// A party with an ID Token of its own, for UserInfo answers in JSON with the longest list of
/// names.
private final class OpenIDEnvironment {
    private let party: RelyingParty
    private let idToken: VerifiedIDToken
    private let now = NumericDate.now
    private let thread = CallingThread()

    init() throws {
        var profile = OpenIDProfile.openID
        profile.userInfo.names = OpenIDProfile.itsme2.userInfo.names
        let issuer = "https://idp.example"
        let key = try JWK.generate(.rsa, keyID: "op", use: .signature, algorithm: "RS256")
        party = try RelyingParty(
            profile: profile,
            metadata: ProviderMetadata(
                issuer: issuer, authorizationEndpoint: issuer + "/a", tokenEndpoint: issuer + "/t",
                userInfoEndpoint: issuer + "/u", jwksURI: issuer + "/k", profile: profile),
            clientID: "c", redirectURI: "https://rp.example/cb", keys: JWKSet(keys: []),
            secret: ClientSecret("s"), providerKeys: JWKSet(keys: [key]).publicKeys)
        let started = try thread.run { [party, now] in
            try await party.start(AuthorizationRequest(), at: now)
        }
        let token = try JWTIssuer(key: key, algorithm: .rs256, lifetime: .seconds(60)).issue(
            JSONValue.object([
                "iss": .string(issuer), "sub": "u", "aud": "c",
                "nonce": .string(started.session.nonce),
            ]), at: now)
        idToken = try thread.run { [party, now] in
            try await party.verifyIDToken(token, for: started.session, at: now)
        }
    }

    func reading(
        _ members: String, _ read: @escaping (VerifiedUserInfo) throws -> Void
    ) -> Sample {
        let text = "{\"sub\":\"u\",\(members)}"
        return Sample(bytes: text.utf8.count) { [party, idToken, now, thread] in
            do {
                try read(
                    try thread.run {
                        try await party.verifyUserInfo(text, for: idToken, at: now)
                    })
            } catch {}
        }
    }
}
