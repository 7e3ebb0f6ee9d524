// Three routes that differ in the verification of an RS256 bearer token: none, this library's with
// policy and typed claims, and jwt-kit's with the same checks. usage: Routes PORT KEY-FILE

import Foundation
import Hummingbird
import JOSE
import JWTKit

struct Failure: Error {}

extension IDTokenClaims: JWTPayload {
    func verify(using algorithm: some JWTAlgorithm) async throws {
        try ExpirationClaim(value: Date(timeIntervalSince1970: TimeInterval(exp)))
            .verifyNotExpired()
        guard iss == IDTokenClaims.issuer, aud == IDTokenClaims.audience else { throw Failure() }
    }
}

let port = Int(CommandLine.arguments[1]) ?? 8080
let key = try String(contentsOfFile: CommandLine.arguments[2], encoding: .utf8)

let verifier = try JWTVerifier(
    issuer: IDTokenClaims.issuer, audience: IDTokenClaims.audience,
    signature: .required(key: JOSE.JWK(json: key), algorithms: [.rs256]))
let collection = JWTKeyCollection()
try await collection.add(jwk: JWTKit.JWK(json: key))

extension Request {
    /// The token of the header, as both libraries take it.
    func bearer() throws -> String {
        guard let header = headers[.authorization], header.hasPrefix("Bearer ") else {
            throw HTTPError(.unauthorized)
        }
        return String(header.dropFirst(7))
    }
}

let router = Router()
router.get("none") { request, _ in
    _ = try request.bearer()
    return "Zoë van den Berg"
}
router.get("swift-jose") { request, _ in
    do {
        return try verifier.verify(request.bearer(), as: IDTokenClaims.self).name
    } catch {
        throw HTTPError(.unauthorized)
    }
}
router.get("jwt-kit") { request, _ in
    do {
        return try await collection.verify(request.bearer(), as: IDTokenClaims.self).name
    } catch {
        throw HTTPError(.unauthorized)
    }
}
let application = Application(
    router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)))
try await application.runService()
