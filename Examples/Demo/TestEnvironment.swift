// A provider and its relying party with certified keys, and what access tokens are bound to: all in
// memory.

import JOSE
import JOSEOpenID
import JOSEPKCS11

/// How long a token may take for one operation, or to make a key.
let patience = Duration.seconds(300)

/// A certification authority for a sandbox, which nobody else trusts.
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

/// A party's keys, as it has them and as others read them.
struct Keys {
    let own: JWKSet
    /// The published set, read back with chains that lead to the authority.
    let published: PublicJWKSet
    let publishedBytes: Int

    init(_ keys: [JWK], _ name: String, _ authority: Authority) throws {
        own = JWKSet(keys: try keys.map { try authority.certified($0, name) })
        let text = try own.publicKeys.json()
        publishedBytes = text.utf8.count
        published = try PublicJWKSet(json: text, certificates: .require(authority.trust))
    }

    /// A signing key and, where the profile encrypts anything, a key for that.
    ///
    /// - Parameters:
    ///   - token: A PKCS#11 token that makes the keys and does the work of the private ones.
    ///   - keyIDs: Their `kid`, instead of those that the library chooses.
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
                    timeout: patience)
                var key = made.publicKey
                (key.use, key.algorithm) = (use, algorithm)
                keys.append(
                    try key.withExternalKey(made, options: ExternalKeyOptions(timeout: patience)))
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

/// Both sides, prepared.
struct TestEnvironment {
    static let clientID = "client-1"
    static let callback = "https://rp.example/callback"
    static let resource = "https://api.example"
    /// What both sides know, where the profile uses HTTP Basic.
    private static let secret = ClientSecret("made for the demo")

    let profile: Profile
    let now: NumericDate
    let metadata: ProviderMetadata
    let providerKeys: Keys
    let clientKeys: Keys
    let provider: OpenIDProvider
    /// The client as the provider sees it.
    let client: RegisteredClient
    let party: RelyingParty
    /// What access tokens are bound to, and where they are used; nil where the profile binds none.
    let bound: Binding?

    var rules: OpenIDProfile { profile.rules }

    /// - Parameter token: Where the client's private keys are; without it in memory.
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
        // The party knows what was published, no more.
        metadata = try ProviderMetadata(
            json: provider.discoveryDocument(), issuer: issuer, profile: rules)
        client = try provider.client(TestEnvironment.registration(), keys: clientKeys.published)
        party = try TestEnvironment.party(rules, metadata, clientKeys, providerKeys)
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

    // MARK: what attacks need

    /// The same relying party under other rules.
    func party(_ change: (inout OpenIDProfile) -> Void) throws -> RelyingParty {
        var other = rules
        change(&other)
        return try TestEnvironment.party(other, metadata, clientKeys, providerKeys)
    }

    /// Another client of the provider, with its relying party.
    func other(clientID: String) throws -> (party: RelyingParty, client: RegisteredClient) {
        (
            try TestEnvironment.party(
                rules, metadata, clientKeys, providerKeys, clientID: clientID),
            try provider.client(TestEnvironment.registration(clientID), keys: clientKeys.published)
        )
    }

    /// What a provider with other keys or rules makes for the same client.
    func tokenIssuer(
        keys: JWKSet? = nil, _ change: (inout OpenIDProfile) -> Void = { _ in }
    ) throws -> ClientTokenIssuer {
        var other = rules
        change(&other)
        return try OpenIDProvider(
            profile: other, metadata: metadata, keys: keys ?? providerKeys.own,
            replays: MemoryReplayStore(), pushedRequests: MemoryPushedRequestStore(),
            proofReplays: MemoryReplayStore()
        ).tokenIssuer(for: TestEnvironment.registration(), keys: clientKeys.published)
    }
}

/// The client's key for proofs, and a resource server that takes tokens bound to it.
struct Binding {
    static let url = TestEnvironment.resource + "/accounts"

    let prover: DPoPProver
    let server: ResourceServer
    /// The resource server as the provider's client; nil where the profile signs no responses.
    let introspector: Introspector?

    init(
        _ rules: OpenIDProfile, _ metadata: ProviderMetadata, _ clientKeys: JWKSet,
        _ providerKeys: PublicJWKSet
    ) throws {
        prover = try .fresh()
        server = try ResourceServer(
            issuer: metadata.issuer, audiences: [TestEnvironment.resource], keys: providerKeys,
            rules: .fapi2,
            proofs: DPoPVerifier(
                server: TestEnvironment.resource, replays: MemoryReplayStore(), rules: .fapi2))
        introspector =
            rules.signsResponses
            ? try Introspector(
                profile: rules, metadata: metadata, clientID: TestEnvironment.clientID,
                keys: clientKeys,
                providerKeys: providerKeys) : nil
    }
}
