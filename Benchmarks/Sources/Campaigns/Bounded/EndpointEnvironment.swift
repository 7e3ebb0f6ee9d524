// A provider that keeps nothing, and what is posted to its endpoints beside the right secret.

import JOSE
import JOSEOpenID

/// A provider, a client with a secret, and the same client as a party that is answered.
final class EndpointEnvironment {
    enum Endpoint {
        case pushed, backchannel
    }

    static let issuer = "https://idp.example"
    let party: RelyingParty
    let session: AuthorizationSession
    let now = NumericDate.now
    private let client: RegisteredClient
    private let signer: JWSSigner
    private let thread = CallingThread()

    init() throws {
        var profile = OpenIDProfile.openID
        profile.authorization.responseModes = [.query, .queryJWT]
        let issuer = EndpointEnvironment.issuer
        // One key for both sides: what signs is not what is measured.
        let signing = try JWK.generate(.rsa, keyID: "op", use: .signature, algorithm: "RS256")
        let keys = try JWKSet(keys: [signing]).publicKeys
        let metadata = try ProviderMetadata(
            issuer: issuer, authorizationEndpoint: issuer + "/a", tokenEndpoint: issuer + "/t",
            jwksURI: issuer + "/k", pushedRequestEndpoint: issuer + "/p",
            backchannelEndpoint: issuer + "/b", profile: profile)
        let provider = try OpenIDProvider(
            profile: profile, metadata: metadata, keys: JWKSet(keys: [signing]),
            replays: Forgetful(), pushedRequests: Forgetful())
        var registration = ClientRegistration(
            clientID: "c", redirectURIs: ["https://rp.example/cb"], secret: ClientSecret("s"))
        registration.backchannel = BackchannelRegistration()
        client = try provider.client(registration, keys: keys)
        party = try RelyingParty(
            profile: profile, metadata: metadata, clientID: "c",
            redirectURI: "https://rp.example/cb", keys: JWKSet(keys: []),
            secret: ClientSecret("s"), providerKeys: keys)
        var request = AuthorizationRequest()
        request.responseMode = .queryJWT
        session = try thread.run { [party, request] in try await party.start(request) }
            .session
        signer = try JWSSigner(key: signing, algorithm: .rs256)
    }

    /// What the party makes of an answer.
    func response(_ query: String) throws -> AuthorizationResponse {
        try thread.run { [party, session, now] in
            try await party.authorizationResponse(query: query, for: session, at: now)
        }
    }

    /// A form of the client with its right secret.
    func post(_ form: String, to endpoint: Endpoint) -> Sample {
        Sample(bytes: form.utf8.count) { [self] in _ = try? isAccepted(form, endpoint) }
    }

    /// One that is accepted.
    func accepted(_ form: String, at endpoint: Endpoint) throws -> Sample {
        guard try isAccepted(form, endpoint) else { throw Rejected() }
        return post(form, to: endpoint)
    }

    private func isAccepted(_ form: String, _ endpoint: Endpoint) throws -> Bool {
        try thread.run { [client, now] in
            let header = "Basic Yzpz"
            switch endpoint {
            case .pushed:
                let result = await client.receivePushedRequest(
                    form, authorization: header, at: now)
                if case .accepted = result { return true }
            case .backchannel:
                let result = await client.receiveBackchannelRequest(
                    form, authorization: header, at: now)
                if case .accepted = result { return true }
            }
            return false
        }
    }

    func signed(_ claims: String) throws -> String { try signer.sign(Array(claims.utf8)) }

    private struct Rejected: Error {}
}

/// Stores that take everything and keep nothing.
struct Forgetful: ReplayStore, PushedRequestStore {
    func markUsed(_ use: ReplayEntry, at now: NumericDate) async throws(ReplayStoreError) {}
    func store(_ request: PushedRequest, at now: NumericDate) async throws(PushedRequestStoreError)
    {
    }
    func find(
        _ reference: String, at now: NumericDate
    ) async throws(PushedRequestStoreError) -> PushedRequest? { nil }
    func remove(_ reference: String, at now: NumericDate) async throws(PushedRequestStoreError) {}
}
