// Makes the signed answers of one client (JWT Secured Authorization Response Mode).

import JOSE

/// Signs an answer's parameters; prepared once.
struct JARMIssuer: Sendable {
    private let issuer: JWTIssuer
    private let issuerName: String
    private let clientID: String

    init(
        _ provider: OpenIDProvider, _ registration: ClientRegistration, _ profile: OpenIDProfile,
        ours keys: JWKSet
    ) throws(JOSEError) {
        var algorithms = profile.algorithms
        if let wanted = registration.jarmAlgorithm {
            guard algorithms.signature.contains(wanted) else {
                throw .misuse("the client's algorithm for signed answers is none of the profile's")
            }
            algorithms.signature = [wanted]
        }
        guard let signer = LocalSigningKey.find(keys, algorithms) else {
            throw .keyNotFound("no key of ours can sign")
        }
        issuer = try signer.issuer(
            profile.jarm.lifetimeSeconds, profile.jarm.header, profile.limits)
        issuerName = provider.metadata.issuer
        clientID = registration.clientID
    }

    /// The token: the answer's parameters and whose answer it is to whom (JARM, 2.1). The key may
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
