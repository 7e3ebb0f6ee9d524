// A provider, a relying party and a resource server with certified keys, all in memory.

import JOSE
import JOSEOpenID
import JOSEPKCS11

/// The time limit of a PKCS#11 operation, such as creating a key.
let keyTimeout = Duration.seconds(300)

/// A certification authority that only the demo trusts.
struct Authority {
    let trust: TrustStore
    private let key: JWK
    private let start: NumericDate
    private let end: NumericDate

    init(at now: NumericDate) throws {
        (start, end) = (now, now.advanced(by: .seconds(365 * 86_400)))
        key = try JWK.generate(.rsa, use: .signature, algorithm: .rs256).selfSignedAuthority(
            subject: CertificateSubject(commonName: "Demo Root"), from: start, until: end)
        trust = try TrustStore(anchors: key.certificateChain ?? [])
    }

    func certified(_ key: JWK, _ name: String) throws -> JWK {
        try key.withCertificate(
            issuedBy: self.key, subject: CertificateSubject(commonName: name), from: start,
            until: end)
    }
}

/// The keys of one side.
struct Keys {
    let own: JWKSet
    /// The published set, read back with its chains verified.
    let published: PublicJWKSet
    let publishedBytes: Int

    init(_ keys: [JWK], _ name: String, _ authority: Authority) throws {
        own = JWKSet(keys: try keys.map { try authority.certified($0, name) })
        let text = try own.publicKeys.json()
        publishedBytes = text.utf8.count
        published = try PublicJWKSet(json: text, certificates: .require(authority.trust))
    }

    /// Creates a signing key and, if the profile encrypts, an encryption key.
    ///
    /// - Parameters:
    ///   - token: A PKCS#11 token that creates and holds the keys; nil for keys in memory.
    ///   - keyIDs: Each key's `kid`; nil for the library's.
    static func make(
        _ rules: OpenIDProfile, in token: PKCS11Token? = nil, keyIDs: [String?] = [nil, nil]
    ) async throws -> [JWK] {
        let management = rules.encrypts ? rules.algorithms.keyManagement.first : nil
        let algorithms = [
            (KeyUse.signature, rules.algorithms.signature.first.map { JOSEAlgorithm($0) }),
            (.encryption, management.map { JOSEAlgorithm($0) }),
        ]
        var keys: [JWK] = []
        for (keyID, (use, algorithm)) in zip(keyIDs, algorithms) {
            guard let algorithm else { continue }
            let isCurve = algorithm == .es256
            if let token {
                let made = try await token.makeKey(
                    isCurve ? .curve(.p256) : .rsa(bits: 2048), use: use,
                    label: "demo \(rules.name) \(NumericDate.now.seconds), \(algorithm)",
                    timeout: keyTimeout)
                var key = made.publicKey
                (key.use, key.algorithm) = (use, algorithm)
                keys.append(
                    try key.withExternalKey(
                        made, options: ExternalKeyOptions(timeout: keyTimeout)))
            } else if isCurve {
                keys.append(
                    try .generate(.curve(.p256), keyID: keyID, use: use, algorithm: algorithm))
            } else {
                keys.append(try .generate(.rsa, keyID: keyID, use: use, algorithm: algorithm))
            }
        }
        return keys
    }
}

/// Provider and relying party.
struct DemoEnvironment {
    static let clientID = "client-1"
    static let callback = "https://rp.example/callback"
    static let resource = "https://api.example"
    /// The client secret of profiles with HTTP Basic.
    private static let secret = ClientSecret("made for the demo")

    let profile: Profile
    let now: NumericDate
    let metadata: ProviderMetadata
    let providerKeys: Keys
    let clientKeys: Keys
    let provider: OpenIDProvider
    /// The provider's view of the client.
    let client: RegisteredClient
    let party: RelyingParty
    /// The key and resource server of bound access tokens; nil for bearer tokens.
    let bound: Binding?

    var rules: OpenIDProfile { profile.rules }

    /// - Parameter token: The PKCS#11 token with the client's private keys; nil for keys in memory.
    init(
        _ profile: Profile, token: PKCS11Token? = nil, at now: NumericDate = .now
    ) async throws {
        (self.profile, self.now) = (profile, now)
        let (issuer, rules) = (profile.issuer, profile.rules)
        let authority = try Authority(at: now)
        providerKeys = try await Keys(Keys.make(rules), "provider", authority)
        clientKeys = try await Keys(Keys.make(rules, in: token), "client", authority)
        provider = try OpenIDProvider(
            profile: rules,
            metadata: ProviderMetadata(
                issuer: issuer, authorizationEndpoint: issuer + "/authorization",
                tokenEndpoint: issuer + "/token", userInfoEndpoint: issuer + "/userinfo",
                jwksURI: issuer + "/jwkSet",
                pushedRequestEndpoint: rules.pushedRequests.isRequired ? issuer + "/par" : nil,
                profile: rules,
                additional: rules.signsResponses
                    ? ["introspection_endpoint": .string(issuer + "/introspect")] : [:]),
            keys: providerKeys.own, replays: MemoryReplayStore(),
            pushedRequests: MemoryPushedRequestStore(), proofReplays: MemoryReplayStore(),
            nonces: DPoPNonces())
        // The relying party knows only published documents.
        metadata = try ProviderMetadata(
            json: provider.discoveryDocument(), issuer: issuer, profile: rules)
        client = try provider.client(DemoEnvironment.registration(), keys: clientKeys.published)
        party = try DemoEnvironment.party(rules, metadata, clientKeys, providerKeys)
        bound =
            rules.accessToken.requiresBinding
            ? try Binding(rules, metadata, clientKeys.own, providerKeys.published) : nil
    }

    private static func registration(_ clientID: String = clientID) -> ClientRegistration {
        var registration = ClientRegistration(
            clientID: clientID, redirectURIs: [callback], secret: secret)
        registration.resources = [resource]
        return registration
    }

    private static func party(
        _ rules: OpenIDProfile, _ metadata: ProviderMetadata, _ keys: Keys, _ providerKeys: Keys,
        clientID: String = clientID
    ) throws -> RelyingParty {
        try RelyingParty(
            profile: rules, metadata: metadata, clientID: clientID, redirectURI: callback,
            keys: keys.own, secret: secret, providerKeys: providerKeys.published)
    }

    // MARK: For attacks

    /// Creates the relying party with other rules.
    func party(_ change: (inout OpenIDProfile) -> Void) throws -> RelyingParty {
        var other = rules
        change(&other)
        return try DemoEnvironment.party(other, metadata, clientKeys, providerKeys)
    }

    /// Creates another client of the provider with its relying party.
    func other(clientID: String) throws -> (party: RelyingParty, client: RegisteredClient) {
        (
            try DemoEnvironment.party(
                rules, metadata, clientKeys, providerKeys, clientID: clientID),
            try provider.client(DemoEnvironment.registration(clientID), keys: clientKeys.published)
        )
    }

    /// Creates the responses of a provider with other keys or rules.
    func tokenIssuer(
        keys: JWKSet? = nil, _ change: (inout OpenIDProfile) -> Void = { _ in }
    ) throws -> ClientTokenIssuer {
        var other = rules
        change(&other)
        return try OpenIDProvider(
            profile: other, metadata: metadata, keys: keys ?? providerKeys.own,
            replays: MemoryReplayStore(), pushedRequests: MemoryPushedRequestStore(),
            proofReplays: MemoryReplayStore()
        ).tokenIssuer(for: DemoEnvironment.registration(), keys: clientKeys.published)
    }
}

/// The client's DPoP key, and a resource server that accepts tokens bound to it.
struct Binding {
    static let url = DemoEnvironment.resource + "/accounts"

    let prover: DPoPProver
    let server: ResourceServer
    /// The resource server's introspection client; nil if the profile does not sign responses.
    let introspector: Introspector?

    init(
        _ rules: OpenIDProfile, _ metadata: ProviderMetadata, _ clientKeys: JWKSet,
        _ providerKeys: PublicJWKSet
    ) throws {
        prover = try .fresh()
        server = try ResourceServer(
            issuer: metadata.issuer, audiences: [DemoEnvironment.resource], keys: providerKeys,
            rules: .fapi2,
            proofs: DPoPVerifier(
                server: DemoEnvironment.resource, replays: MemoryReplayStore(), rules: .fapi2))
        introspector =
            rules.signsResponses
            ? try Introspector(
                profile: rules, metadata: metadata, clientID: DemoEnvironment.clientID,
                keys: clientKeys, providerKeys: providerKeys) : nil
    }
}
