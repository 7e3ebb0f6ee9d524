// A provider and its clients, for what comes to it.

import JOSE
import JOSEOpenID

/// A provider, and a client that may send all that one can: objects in both layers, at many
/// addresses.
final class ProviderEnvironment {
    private let provider: OpenIDProvider
    private let theirs: PublicJWKSet
    private let client: RegisteredClient
    private let signer: JWSSigner
    private let encrypter: JWEEncrypter
    private let thread = CallingThread()
    private let now = NumericDate.now

    init() throws {
        var profile = OpenIDProfile.openID
        profile.requestObject.alsoAccepted = [.signedThenEncrypted]
        profile.requestObject.header.requiresContentType = false
        profile.requestObject.requiredClaims = []
        profile.requestObject.queryParameters = ["client_id"]
        let issuer = "https://idp.example"
        let signing = try JWK.generate(.rsa, keyID: "op", use: .signature, algorithm: "RS256")
        let decrypting = try JWK.generate(
            .rsa, keyID: "op-enc", use: .encryption, algorithm: "RSA-OAEP-256")
        let key = try JWK.generate(.rsa, keyID: "rp", use: .signature, algorithm: "RS256")
        theirs = try JWKSet(keys: [key]).publicKeys
        provider = try OpenIDProvider(
            profile: profile,
            metadata: ProviderMetadata(
                issuer: issuer, authorizationEndpoint: issuer + "/a", tokenEndpoint: issuer + "/t",
                userInfoEndpoint: issuer + "/u", jwksURI: issuer + "/k", profile: profile),
            keys: JWKSet(keys: [signing, decrypting]), replays: MemoryReplayStore())
        client = try ProviderEnvironment.client(provider, theirs, secret: "s")
        var limits = JOSELimits.standard
        limits.tokenBytes = 1 << 24
        signer = try JWSSigner(key: key, algorithm: .rs256, limits: limits)
        encrypter = try JWEEncrypter(
            key: decrypting.publicKey, algorithm: .rsaOAEP256, content: .a128CBCHS256,
            limits: limits)
    }

    private static func client(
        _ provider: OpenIDProvider, _ keys: PublicJWKSet, secret: String
    ) throws -> RegisteredClient {
        var registration = ClientRegistration(
            clientID: "c", redirectURIs: ["https://rp.example/cb"], secret: ClientSecret(secret))
        registration.requestURIRules = [
            .below("https://rp.example/o"), .below("https://rp.example/a/b"),
        ]
        return try provider.client(registration, keys: keys)
    }

    // ---- the token endpoint

    func basic(_ pair: String) -> String { "Basic " + Base64Text.encode(Array(pair.utf8)) }

    /// A request of the client with its right secret and these further parameters.
    func tokenRequest(_ parameters: String) -> Sample {
        tokenRequest(client, basic("c:s"), ProviderEnvironment.grant + "&" + parameters)
    }

    /// A request with this header.
    func tokenRequest(header: String) -> Sample {
        tokenRequest(client, header, ProviderEnvironment.grant)
    }

    /// One that is accepted, of a client with a secret of so many characters.
    func provedBySecret(_ count: Int) throws -> Sample {
        let secret = String(repeating: "s", count: count)
        let client = try ProviderEnvironment.client(provider, theirs, secret: secret)
        let header = basic("c:" + secret)
        guard
            ((try? thread.run {
                try await client.receiveTokenRequest(
                    ProviderEnvironment.grant, authorization: header)
            }) ?? nil) != nil
        else { throw Rejected() }
        return tokenRequest(client, header, ProviderEnvironment.grant)
    }

    private static let grant = "grant_type=authorization_code&code=c"

    private func tokenRequest(
        _ client: RegisteredClient, _ header: String, _ body: String
    ) -> Sample {
        Sample(bytes: header.utf8.count + body.utf8.count) { [thread] in
            _ = try? thread.run {
                try await client.receiveTokenRequest(body, authorization: header)
            }
        }
    }

    // ---- the authorization endpoint

    /// A request with these parameters; no object is behind an address.
    func request(_ parameters: String) -> Sample {
        let query =
            "client_id=c&response_type=code&scope=openid&redirect_uri=https://rp.example/cb&state=s&"
            + "code_challenge_method=S256&code_challenge=\(ProviderEnvironment.challenge)&"
            + parameters
        return Sample(bytes: query.utf8.count) { [thread, client, now] in
            _ = try? thread.run {
                try await client.receiveAuthorizationRequest(query, at: now) { _ in "" }
            }
        }
    }

    /// An object of so many bytes with these members, behind an address.
    func object(_ members: (Int) -> String, _ size: Int, _ isNested: Bool) throws -> Sample {
        let text = try text(members, size, isNested)
        return Sample(bytes: text.utf8.count) { [thread, client, now] in
            _ = try? thread.run { try await ProviderEnvironment.result(client, text, now) }
        }
    }

    /// The same; it must be accepted.
    func acceptedObject(
        _ members: (Int) -> String, _ size: Int, _ isNested: Bool
    ) throws -> Sample {
        let text = try text(members, size, isNested)
        let client = client
        let now = now
        guard
            case .accepted = try thread.run({
                try await ProviderEnvironment.result(client, text, now)
            })
        else { throw Rejected() }
        return try object(members, size, isNested)
    }

    private static func result(
        _ client: RegisteredClient, _ text: String, _ now: NumericDate
    ) async throws -> RequestResult<
        ReceivedAuthorization, RejectedAuthorization
    > {
        try await client.receiveAuthorizationRequest(
            "client_id=c&request_uri=https://rp.example/o/1", at: now
        ) { _ in text }
    }

    private func text(
        _ members: (Int) -> String, _ size: Int, _ isNested: Bool
    ) throws -> String {
        let start =
            #"{"client_id":"c","response_type":"code","redirect_uri":"https://rp.example/cb","state":"s","#
            + #""code_challenge_method":"S256","code_challenge":"\#(ProviderEnvironment.challenge)","#
        let further = members(size * (isNested ? 9 : 12) / 16 - 700)
        let claims =
            start + (further.contains("\"scope\":") ? "" : #""scope":"openid","#) + further + "}"
        let signed = try signer.sign(Array(claims.utf8))
        return isNested ? try encrypter.encrypt(Array(signed.utf8)) : signed
    }

    private static let challenge = String(repeating: "A", count: 43)

    struct Rejected: Error {}
}

/// Base64 with padding, as HTTP Basic has it (RFC 4648, 4).
private enum Base64Text {
    static func encode(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for at in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[at..<min(at + 3, bytes.count)]
            let word = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for place in 0..<4 {
                text.append(
                    place <= part.count
                        ? letters[word >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
