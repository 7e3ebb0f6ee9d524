// vapor/jwt-kit: keys in a JWTKeyCollection, an actor. It has no JWE.

import Foundation
import JWTKit

/// A payload of which nothing is read.
private struct Nothing: JWTPayload {
    func verify(using algorithm: some JWTAlgorithm) async throws {}
}

extension IDTokenClaims: JWTPayload {
    func verify(using algorithm: some JWTAlgorithm) async throws {
        try ExpirationClaim(value: Date(timeIntervalSince1970: TimeInterval(exp)))
            .verifyNotExpired()
        guard iss == IDTokenClaims.issuer, aud == IDTokenClaims.audience else {
            throw Failure("iss or aud")
        }
    }
}

func jwtKitOperations(_ inputs: Inputs) async throws -> [Operation] {
    let verifying = JWTKeyCollection()
    try await verifying.add(jwk: JWK(json: inputs.text("sig-public.json")))
    let signing = JWTKeyCollection()
    try await signing.add(jwk: JWK(json: inputs.text("sig-private.json")))
    let token = try inputs.text("jws.txt")
    let set = try inputs.text("jwks10.json")
    let claims = try JSONDecoder().decode(IDTokenClaims.self, from: inputs.data("claims.json"))
    return [
        ("verify", { _ = try await verifying.verify(token, as: Nothing.self) }),
        ("claims", { _ = try await verifying.verify(token, as: IDTokenClaims.self) }),
        ("sign", { _ = try await signing.sign(claims, kid: "sig-2048") }),
        (
            "set-pick",
            { _ = try await JWTKeyCollection().add(jwksJSON: set).getKey(for: "sig-2048") }
        ),
    ]
}
