// The in-memory FAPI 2.0 provider of its page, for the recipe's client.

import JOSE
import JOSEOpenID

/// Responds to the client's posts and to the user's browser.
actor RecipeBank {
    static let issuer = "https://bank.example"

    nonisolated let party: RelyingParty
    nonisolated let api: BankAPI
    private let bank: BankProvider
    nonisolated var metadata: ProviderMetadata { bank.provider.metadata }
    /// The number of proofs rejected for their nonce.
    private(set) var rejections = 0

    init(_ profile: OpenIDProfile) async throws {
        let (issuer, callback) = (RecipeBank.issuer, "https://rp.example/callback")
        let ours = JWKSet(keys: [try .generate(.curve(.p256), keyID: "rp", use: .signature)])
        let theirs = JWKSet(keys: [try .generate(.curve(.p256), keyID: "op", use: .signature)])
        bank = try BankProvider(issuer: issuer, keys: theirs, profile: profile)
        try await bank.register("MY_CLIENT", redirectURI: callback, keys: ours.publicKeys)
        party = try bankParty(
            bank.provider.discoveryResponse().body, issuer: issuer, ours, theirs.publicKeys,
            profile: profile)
        api = try BankAPI(issuer: issuer, keys: theirs.publicKeys)
    }

    /// The two endpoints that the client posts to.
    func post(_ request: TokenRequest) async throws -> OpenIDHTTPResponse {
        let proofs = request.headers.filter { $0.name == "DPoP" }.map(\.value)
        let response =
            request.url.hasSuffix("/par")
            ? try await bank.push(request.body, proofs)
            : try await bank.token(request.body, proofs)
        if response.status == 400 { rejections += 1 }
        return response
    }

    /// Posts any form to the token endpoint.
    func post(_ form: String) async throws -> OpenIDHTTPResponse { try await bank.token(form, []) }

    /// The browser: returns the callback query after the user's decision.
    func browse(_ url: String, says yes: Bool = true) async throws -> String {
        let response = try await bank.authorize(query(url)) { _ in
            yes ? UserAuthentication(subject: "zoe", time: .now) : nil
        }
        guard let address = response.header("Location") else { throw Rejected() }
        return query(address)
    }

    struct Rejected: Error {}
}
