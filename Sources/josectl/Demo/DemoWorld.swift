// A provider and its relying party with certified keys: both sides of the demo, in memory.

import JOSE
import JOSEOpenID
import JOSEPKCS11

/// A party's keys, as it has them and as others read them.
struct DemoKeys {
    let own: JWKSet
    /// The published set, read back with chains that lead to the authority.
    let published: PublicJWKSet
    let publishedBytes: Int

    /// A signing key and, where the profile encrypts anything, a key for that; each with a certificate.
    static func made(
        _ name: String, _ rules: OpenIDProfile, _ authority: DemoAuthority
    ) throws -> DemoKeys {
        var keys = [
            try DemoKeys.made(.signature, rules.algorithms.signature.first?.description)
        ]
        if rules.encrypts {
            keys.append(
                try DemoKeys.made(
                    .encryption, rules.algorithms.keyManagement.first?.description))
        }
        return try DemoKeys(keys, name, authority)
    }

    /// These keys, each with a certificate.
    private init(_ keys: [JWK], _ name: String, _ authority: DemoAuthority) throws {
        own = JWKSet(keys: try keys.map { try authority.certified($0, name) })
        let text = try own.publicKeys.json()
        publishedBytes = text.utf8.count
        published = try PublicJWKSet(json: text, certificates: .require(authority.trust))
    }

    /// Keys in a token, for the same uses.
    static func held(
        _ party: DemoParty, _ name: String, _ rules: OpenIDProfile, _ authority: DemoAuthority
    ) throws -> DemoKeys {
        var keys = [
            try party.signing.held(for: .signature, rules.algorithms.signature.first?.description)
        ]
        if let encryption = party.encryption, rules.encrypts {
            keys.append(
                try encryption.held(
                    for: .encryption, rules.algorithms.keyManagement.first?.description))
        }
        return try DemoKeys(keys, name, authority)
    }

    /// The keys of a stranger who took the names of these.
    func imitated() throws -> JWKSet {
        JWKSet(
            keys: try own.keys.map { key in
                try DemoKeys.made(key.use, key.algorithm, key.keyID)
            })
    }

    /// A new key for an algorithm: on the curve of one for signatures that has one, else of RSA.
    private static func made(
        _ use: KeyUse?, _ algorithm: String?, _ keyID: String? = nil
    ) throws -> JWK {
        let kind = SignatureAlgorithm.all.first { $0.name == algorithm }?.kinds ?? .rsa
        return try JWK.generate(
            kind, bits: kind == .rsa ? 2_048 : 0, keyID: keyID, use: use, algorithm: algorithm)
    }
}

/// The keys of the relying party, where they are in a token.
struct DemoParty {
    let signing: PKCS11Key
    /// Nil where the profile encrypts nothing.
    let encryption: PKCS11Key?
}

extension PKCS11Key {
    /// The key as the profile publishes it, whose work the token does.
    fileprivate func held(for use: KeyUse, _ algorithm: String?) throws -> JWK {
        var key = publicKey
        (key.use, key.algorithm) = (use, algorithm)
        return try key.held(by: self, rule: HeldKeys.rule)
    }
}

/// A certification authority for a sandbox, which nobody else trusts.
struct DemoAuthority {
    static let name = "Demo Root"

    let trust: TrustStore
    private let key: JWK
    private let start: NumericDate
    private let end: NumericDate

    init(at now: NumericDate) throws {
        start = now
        end = now.advanced(by: .seconds(365 * 86_400))
        key = try JWK.generate(use: .signature, algorithm: "RS256")
            .selfSignedAuthority(
                subject: CertificateSubject(commonName: DemoAuthority.name), from: start,
                until: end)
        trust = try TrustStore(anchors: key.certificateChain ?? [])
    }

    func certified(_ key: JWK, _ name: String) throws -> JWK {
        try key.issued(
            by: self.key, subject: CertificateSubject(commonName: name), from: start, until: end)
    }
}

/// Both sides, prepared.
struct DemoWorld {
    static let clientID = "client-1"
    static let callback = "https://rp.example/callback"

    let row: DemoProfile
    let now: NumericDate
    let metadata: ProviderMetadata
    let authority: DemoAuthority
    let providerKeys: DemoKeys
    let clientKeys: DemoKeys
    /// What both know, where the profile uses HTTP Basic.
    let secret = ClientSecret("made for the demo")
    let provider: OpenIDProvider
    /// The client as the provider sees it.
    let client: RegisteredClient
    let party: AsyncRelyingParty
    /// What tokens are bound to, and where they are used; nil where the profile binds none.
    let bound: DemoBinding?

    var profile: OpenIDProfile { row.profile }

    /// - Parameter held: The party's keys in a token; without them its keys are made here.
    init(_ row: DemoProfile, held: DemoParty? = nil, at now: NumericDate = .now) throws {
        self.row = row
        self.now = now
        let issuer = row.issuer
        let offered = try ProviderMetadata(
            issuer: issuer, authorizationEndpoint: issuer + "/authorization",
            tokenEndpoint: issuer + "/token", userInfoEndpoint: issuer + "/userinfo",
            keySetAddress: issuer + "/jwkSet",
            pushedRequestEndpoint: row.profile.pushedRequests.isRequired ? issuer + "/par" : nil,
            profile: row.profile,
            additional: row.profile.signsAnswers
                ? ["introspection_endpoint": .string(issuer + "/introspect")] : [:])
        authority = try DemoAuthority(at: now)
        providerKeys = try .made("provider", row.profile, authority)
        clientKeys =
            if let held {
                try .held(held, "client", row.profile, authority)
            } else {
                try .made("client", row.profile, authority)
            }
        provider = try OpenIDProvider(
            profile: row.profile, metadata: offered, keys: providerKeys.own,
            replays: MemoryReplayStore(), pushedRequests: MemoryPushedRequestStore(),
            proofReplays: MemoryReplayStore(), nonces: DPoPNonces())
        // The party knows what was published, no more.
        metadata = try ProviderMetadata(
            json: provider.discoveryDocument(), issuer: issuer, profile: row.profile)
        client = try provider.client(
            DemoWorld.registration(secret), keys: clientKeys.published)
        party = try AsyncRelyingParty(
            profile: row.profile, metadata: metadata, clientID: DemoWorld.clientID,
            redirectURI: DemoWorld.callback, keys: clientKeys.own, secret: secret,
            source: providerKeys.published)
        bound =
            row.profile.accessToken.requiresBinding
            ? try DemoBinding(row.profile, metadata, clientKeys.own, providerKeys.published) : nil
    }

    static func registration(
        _ secret: ClientSecret, _ clientID: String = clientID
    ) -> ClientRegistration {
        var registration = ClientRegistration(
            clientID: clientID, redirectURIs: [callback], secret: secret)
        registration.resources = [DemoProfile.resource]
        return registration
    }

    /// The ID Token of a whole login of another client of the provider.
    func idToken(
        clientID: String, _ user: (ReceivedAuthorization) -> UserAuthentication
    ) async throws -> String {
        let party = try AsyncRelyingParty(
            profile: profile, metadata: metadata, clientID: clientID,
            redirectURI: DemoWorld.callback, keys: clientKeys.own, secret: secret,
            source: providerKeys.published)
        let client = try provider.client(
            DemoWorld.registration(secret, clientID), keys: clientKeys.published)
        let request = try await begin(party, client).received
        return try await client.answers().idToken(for: request, user(request), at: now)
    }

    /// The makers of answers of a provider with other keys or rules, for the same client.
    func answers(
        keys: JWKSet? = nil, _ change: (inout OpenIDProfile) -> Void = { _ in }
    ) throws -> ClientAnswers {
        var rules = profile
        change(&rules)
        let other = try OpenIDProvider(
            profile: rules, metadata: metadata, keys: keys ?? providerKeys.own,
            replays: MemoryReplayStore(), pushedRequests: MemoryPushedRequestStore(),
            proofReplays: MemoryReplayStore())
        return try other.answers(
            for: DemoWorld.registration(secret), keys: clientKeys.published)
    }
}

extension OpenIDProfile {
    /// Whether answers at the redirect address are signed tokens.
    var signsAnswers: Bool { authorization.responseModes.contains(where: \.isSigned) }

    /// Whether any message is encrypted.
    var encrypts: Bool {
        idToken.layers == .signedThenEncrypted || userInfo.layers == .signedThenEncrypted
            || requestObject.layers == .signedThenEncrypted
            || client.authentication == .assertion(.signedThenEncrypted)
    }
}
