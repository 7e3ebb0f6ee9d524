// Makes JWT-secured authorization responses (JARM) for one client.

import JOSE

struct JARMIssuer: Sendable {
    private let issuer: JWTIssuer
    private let issuerName: String
    private let clientID: String

    init(
        _ provider: OpenIDProvider, _ registration: ClientRegistration, _ profile: OpenIDProfile,
        keys: JWKSet
    ) throws(JOSEError) {
        var algorithms = profile.algorithms
        if let registered = registration.jarmAlgorithm {
            guard algorithms.signature.contains(registered) else {
                throw .misuse("the client's registered JARM algorithm is not in the profile")
            }
            algorithms.signature = [registered]
        }
        guard let signer = OwnSigningKey.find(keys, algorithms) else {
            throw .noSigningKey
        }
        issuer = try signer.makeIssuer(
            profile.jarm.lifetimeSeconds, profile.jarm.header, profile.limits)
        issuerName = provider.metadata.issuer
        clientID = registration.clientID
    }

    /// Makes a JWT of the response's parameters, `iss` and `aud` (JARM, 2.1). The signing key may
    /// be external.
    func make(
        _ parameters: OpenIDParameters, for recipient: JWTRecipient?, at now: NumericDate
    ) async throws(JOSEError) -> String {
        var members: JSONObject = ["iss": .string(issuerName), "aud": .string(clientID)]
        for parameter in parameters.all { members[parameter.name] = .string(parameter.value) }
        let claims = try issuer.payload(JSONValue.object(members), now)
        return try await issuer.issue(
            checked: claims, encryptedFor: recipient, at: now, before: nil)
    }
}
