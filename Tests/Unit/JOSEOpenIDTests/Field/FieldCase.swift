// One input from the field: its description, and the library's result in one line.

import Foundation
import JOSE
import JOSEOpenID
import Testing

/// A case of `Vectors/openid-field.json`: an input of a real provider or client, or one that only
/// resembles it.
struct FieldCase: Sendable, Decodable, CustomTestStringConvertible {
    let id: String
    let kind: String
    /// A regular expression over the line: `ok …` with what was read, or `ERR code step claim
    /// message`.
    let expect: String
    let json: String?
    private let query: String?
    let redirect: String?
    let form: String?
    let body: String?
    let token: String?
    let rules: String?
    private let letters: Int?

    var testDescription: String { id }

    /// The query, with a code of `letters` letters where it has an `@`.
    var text: String {
        (query ?? "").replacing("@", with: String(repeating: "a", count: letters ?? 0))
    }

    private struct File: Decodable {
        let keys: JSONObject
        let session: AuthorizationSession
        let cases: [FieldCase]
    }

    private static let file: File = {
        do {
            let url = TestKeys.vectors.appending(path: "openid-field.json")
            return try JSONDecoder().decode(File.self, from: Data(contentsOf: url))
        } catch {
            preconditionFailure("openid-field.json cannot be read: \(error)")
        }
    }()

    static let all = file.cases
    static var session: AuthorizationSession { file.session }
    static let issuer = "https://op.example"
    static let now = NumericDate(exactly: 1_790_000_010) ?? .earliest

    static func keys() throws -> PublicJWKSet {
        try PublicJWKSet(json: String(decoding: JSONEncoder().encode(file.keys), as: UTF8.self))
    }
}

/// The relying party that receives the inputs.
struct FieldParty {
    let party: RelyingParty

    init(_ profile: OpenIDProfile = .openID) throws {
        let metadata = try ProviderMetadata(
            issuer: FieldCase.issuer, authorizationEndpoint: FieldCase.issuer + "/auth",
            tokenEndpoint: FieldCase.issuer + "/token",
            userInfoEndpoint: FieldCase.issuer + "/userinfo",
            jwksURI: FieldCase.issuer + "/jwks", profile: profile)
        party = try TestEnvironment.party(
            profile, metadata, clientID: "client-1", redirectURI: "https://rp.example/callback",
            keys: JWKSet(keys: []), secret: ClientSecret("s"), providerKeys: FieldCase.keys())
    }
}

extension FieldCase {
    /// The library's result for the input.
    func line() async throws -> String {
        do {
            switch kind {
            case "metadata": return try metadata()
            case "token": return try tokenResponse()
            case "token-error": return try tokenError()
            case "callback": return try await callback()
            case "userinfo": return try await userInfo()
            case "logout": return try await logout()
            case "authorization": return try await authorization()
            default: return "no such kind"
            }
        } catch let error as JOSEError {
            return FieldCase.line(error)
        }
    }

    private static func line(_ error: JOSEError) -> String {
        "ERR \(error.code.name) \(error.step) \(error.claim ?? "-") \(error.message)"
    }

    private func metadata() throws -> String {
        let read = try ProviderMetadata(
            json: need(json), issuer: FieldCase.issuer, profile: .openID)
        return "ok ignored=" + read.ignored.map(\.member).joined(separator: ",")
    }

    private func tokenResponse() throws -> String {
        let read = try TokenResponse(json: need(json))
        return "ok expires=\(read.expiresIn.map { "\($0.components.seconds)" } ?? "nil")"
            + " refresh=\(read.refreshToken ?? "nil")"
            + " scopes=\(read.scopes?.joined(separator: ",") ?? "nil")"
    }

    private func tokenError() throws -> String {
        let read = try TokenError(json: need(json))
        return "ok \(read.code) description=\(read.description ?? "nil") uri=\(read.uri ?? "nil")"
    }

    private func callback() async throws -> String {
        func line(_ error: AuthorizationError) -> String {
            "error=\(error.code) description=\(error.description ?? "nil") uri=\(error.uri ?? "nil")"
        }
        let response = try await FieldParty().party.authorizationResponse(
            query: text, for: FieldCase.session, at: FieldCase.now)
        return switch response {
        case .code(let code): "ok code=\(code)"
        case .error(let error): "ok " + line(error)
        case .unauthenticatedError(let error): "ok unauthenticated " + line(error)
        }
    }

    private func userInfo() async throws -> String {
        let party = try FieldParty().party
        let idToken = try await party.verifyIDToken(
            need(token), for: FieldCase.session, at: FieldCase.now)
        let user = try await party.verifyUserInfo(
            need(body), for: idToken, contentType: "application/json", at: FieldCase.now)
        func value(_ name: String, _ read: () throws -> (some Any)?) -> String {
            do {
                return try read().map { "\(name)=Optional(\($0))" } ?? "\(name)=nil"
            } catch let error as JOSEError {
                return "\(name)=" + FieldCase.line(error).replacing(" claims ", with: " ")
            } catch {
                return "\(name)=\(error)"
            }
        }
        return [
            "ok", value("email_verified") { try user.emailVerified },
            value("phone_number_verified") { try user.phoneNumberVerified },
            value("updated_at") { try user.updatedAt?.seconds },
            value("address") { try user.address?.formatted },
            value("birthdate") { try user.birthdate },
            value("email") { try user.email }, value("name") { try user.name },
        ].joined(separator: " ")
    }

    private func logout() async throws -> String {
        var profile = OpenIDProfile.openID
        if rules == "lenient" { profile.logout = .withoutTypeOrExpiration }
        let read = try await FieldParty(profile).party.verifyLogout(
            form: need(form), once: MemoryReplayStore(), at: FieldCase.now)
        return "ok sub=\(read.subject ?? "nil") sid=\(read.sessionID ?? "nil")"
    }

    private func authorization() async throws -> String {
        let env = try TestEnvironment(.openID)
        let registration = try ClientRegistration(
            clientID: TestEnvironment.clientID, redirectURIs: [need(redirect)],
            secret: ClientSecret(TestEnvironment.secret))
        let client = try env.provider.client(registration, keys: PublicJWKSet(keys: []))
        switch try await client.browse(text) {
        case .accepted(let request): return "ok redirect=\(request.redirectURI)"
        case .rejected(let rejected): throw rejected.cause
        }
    }
}
