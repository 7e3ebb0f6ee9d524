// Settings for a foreign provider that no preset has: the changes to a preset that a line may name.

import Foundation
import JOSE
import JOSEOpenID

extension Request {
    /// Changes a preset: `object`, `client`, `id_token` and `userinfo` are layers ("signed",
    /// "nested"). `key_alg` is the only algorithm for encrypted keys. `userinfo_types` are more
    /// `typ` values of a UserInfo token, and `userinfo_without_audience` accepts one without `iss`
    /// and `aud`. `token_audience` makes assertions for the token endpoint's URL.
    /// `endpoint_audiences` accepts the URL of the receiving endpoint, as several libraries send
    /// it. `proofs_of_possession` is "accepted" or "required". `signature_algs` are additional
    /// algorithms. `jar` applies RFC 9101 strictly.
    func change(_ profile: inout OpenIDProfile) throws {
        if let layers = try layers("object") { profile.requestObject.layers = layers }
        if let layers = try layers("client") {
            profile.client.authentication = .assertion(layers)
        }
        if members["token_audience"] as? Bool == true { profile.client.audience = .tokenEndpoint }
        if members["endpoint_audiences"] as? Bool == true {
            profile.client.otherAudiences = [.tokenEndpoint]
            profile.pushedRequests.otherAudiences = [.tokenEndpoint, .pushedRequestEndpoint]
            profile.backchannel.otherAudiences = [.tokenEndpoint, .backchannelEndpoint]
        }
        if let layers = try layers("id_token") { profile.idToken.layers = layers }
        if let layers = try layers("userinfo") { profile.userInfo.layers = layers }
        if let name = optional("key_alg") {
            profile.algorithms.keyManagement.removeAll { $0.name != name }
        }
        if !words("userinfo_types").isEmpty {
            profile.userInfo.header.type = .jwtOr(words("userinfo_types"))
        }
        if members["userinfo_without_audience"] as? Bool == true {
            profile.userInfo.requiresIssuerAndAudience = false
        }
        switch optional("proofs_of_possession") {
        case "accepted": profile.accessToken.proofs = .accepted
        case "required": profile.accessToken.proofs = .required
        default: break
        }
        for name in words("signature_algs") {
            guard let algorithm = SignatureAlgorithm(name: name) else { throw Missing(name: name) }
            profile.algorithms.signature.append(algorithm)
        }
        if members["jar"] as? Bool == true { profile.requestObject = .jar() }
        profile.requestObject.queryParameters += words("outer")
        // Both sides are on one machine.
        profile.requestObject.allowsLocalReference = true
        if members["raw_basic"] as? Bool == true { profile.client.encodesBasic = false }
        if members["client_in_body"] as? Bool == true { profile.client.sendsClientID = true }
    }

    private func layers(_ name: String) throws -> TokenLayers? {
        switch optional(name) {
        case nil: nil
        case "signed": .signed
        case "nested": .signedThenEncrypted
        default: throw Missing(name: name)
        }
    }
}
