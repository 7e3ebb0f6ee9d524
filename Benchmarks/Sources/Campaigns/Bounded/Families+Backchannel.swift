// Requests for users without a browser, what they are answered, and a provider's call.

import JOSE
import JOSEOpenID

extension Bounded {
    static func backchannelFamilies() throws -> [Family] {
        let world = try BackchannelBounds()
        let sizes = [4_096, 16_384, 60_000]
        let forms: [(String, (Int) -> String)] = [
            ("one long message", { "binding_message=" + String(repeating: "a", count: $0 - 20) }),
            ("many scopes", { "scope=openid" + String(repeating: "+a", count: ($0 - 20) / 2) }),
            ("escapes", { "login_hint=" + String(repeating: "%61", count: ($0 - 20) / 3) }),
            (
                "a long token",
                { "client_notification_token=" + String(repeating: "a", count: $0 - 30) }
            ),
            ("an object of dots", { "request=" + String(repeating: ".", count: $0 - 20) }),
            ("many hints", { size in fill(size, "&") { _ in "login_hint=a" } }),
        ]
        let plain = forms.map { name, form in
            Family(
                name: "backchannel: " + name, sizes: sizes,
                hostile: { world.form(form($0)) },
                valid: { try world.accepted(String(repeating: "a", count: $0 - 100)) })
        }
        let objects = Shape.allCases.map { shape in
            Family(
                name: "backchannel object: " + shape.rawValue, sizes: sizes,
                hostile: { try world.object(shape.members($0 * 3 / 4 - 700)) },
                valid: { size in
                    let value = String(
                        repeating: "v", count: max(1, (size * 3 / 4 - 700) / 200 - 24))
                    return try world.acceptedObject(
                        (0..<200).map { #""name_\#($0)":"\#(value)""# }.joined(separator: ","))
                })
        }
        let calls = [
            ("spaces behind the scheme", { "Bearer" + String(repeating: " ", count: $0) }),
            ("a long token", { "Bearer " + String(repeating: "a", count: $0) }),
        ].map { (name: String, header: @escaping (Int) -> String) in
            Family(
                name: "backchannel call: " + name, sizes: sizes,
                hostile: { size in
                    let text = header(size)
                    return Sample(bytes: size) {
                        _ = try? ReceivedPing(authorization: text, body: BackchannelBounds.call)
                    }
                },
                valid: { size in
                    let body =
                        BackchannelBounds.call.dropLast() + #","own":""#
                        + String(repeating: "a", count: size - 60) + #""}"#
                    return Sample(bytes: size) {
                        _ = try? ReceivedPing(authorization: "Bearer a", body: String(body))
                    }
                })
        }
        return plain + objects + calls
    }

    private static func fill(
        _ bytes: Int, _ separator: String, _ part: (Int) -> String
    ) -> String {
        let one = part(0).utf8.count + separator.utf8.count
        return (0..<(bytes / one)).map(part).joined(separator: separator)
    }
}

/// A provider, and a client that proves itself.
private final class BackchannelBounds {
    static let call = #"{"auth_req_id":"aaaaaaaaaaaaaaaaaaaaaa"}"#

    private let client: RegisteredClient
    private let signer: JWSSigner
    private let thread = CallingThread()
    private let now = NumericDate.now

    init() throws {
        let issuer = "https://idp.example"
        let profile = OpenIDProfile.openID
        let signing = try JWK.generate(keyID: "op", use: .signature, algorithm: "RS256")
        let metadata = try ProviderMetadata(
            issuer: issuer, authorizationEndpoint: issuer + "/a", tokenEndpoint: issuer + "/t",
            keySetAddress: issuer + "/k", backchannelEndpoint: issuer + "/b", profile: profile)
        let provider = try OpenIDProvider(
            profile: profile, metadata: metadata, keys: JWKSet(keys: [signing]),
            replays: Forgetful())
        var registration = ClientRegistration(
            clientID: "c", redirectURIs: ["https://rp.example/cb"], secret: ClientSecret("s"))
        registration.backchannel = BackchannelRegistration()
        client = try provider.client(registration, keys: JWKSet(keys: [signing]).publicKeys)
        signer = try JWSSigner(key: signing, algorithm: .rs256)
    }

    private struct Forgetful: ReplayStore {
        func claim(_ use: OneTimeUse, at now: NumericDate) async throws(ReplayFault) {}
    }

    /// A form of the client with its right secret.
    func form(_ form: String) -> Sample {
        Sample(bytes: form.utf8.count) { [thread, client, now] in
            _ = try? thread.run {
                await client.receive(backchannelRequest: form, authorization: "Basic Yzpz", at: now)
            }
        }
    }

    private func checked(_ text: String) throws -> Sample {
        let verdict = try thread.run { [client, now] in
            await client.receive(backchannelRequest: text, authorization: "Basic Yzpz", at: now)
        }
        guard case .accepted = verdict else { throw Refused() }
        return form(text)
    }

    /// One that is accepted.
    func accepted(_ hint: String) throws -> Sample {
        try checked("scope=openid&login_hint=" + hint)
    }

    private func text(_ members: String) throws -> String {
        let seconds = now.seconds
        let claims =
            #"{"iss":"c","aud":"https://idp.example","iat":\#(seconds),"nbf":\#(seconds),"exp":\#(seconds + 60),"#
            + #""jti":"j","scope":"openid","login_hint":"a",\#(members)}"#
        return "request=" + (try signer.sign(Array(claims.utf8)))
    }

    func object(_ members: String) throws -> Sample { form(try text(members)) }

    /// One that is accepted, with members that nobody knows.
    func acceptedObject(_ members: String) throws -> Sample { try checked(text(members)) }

    private struct Refused: Error {}
}
