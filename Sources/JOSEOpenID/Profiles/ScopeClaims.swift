// Which claims a scope asks for.

import JOSEBytes

/// The claims behind the scopes of a provider (OpenID Connect Core, 5.4); they come with the UserInfo answer.
public struct ScopeClaims: Sendable, Hashable {
    private var claims: [ExactString: [ExactString]] = [:]

    /// No scope asks for anything.
    public init() {}

    /// The claims of a scope, in the order of the provider's documents; none for a scope that asks for none.
    public subscript(scope: String) -> [String] {
        get { (claims[ExactString(scope)] ?? []).map(\.text) }
        set { claims[ExactString(scope)] = newValue.map { ExactString($0) } }
    }

    /// The claims of several scopes, each once, in the order of the scopes.
    public func claims(of scopes: [String]) -> [String] {
        var seen: Set<ExactString> = []
        return scopes.flatMap { self[$0] }.filter { seen.insert(ExactString($0)).inserted }
    }

    /// The scopes that ask for claims, in the order of their bytes.
    var scopes: [String] {
        claims.filter { !$0.value.isEmpty }.keys.map(\.text)
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

extension ScopeClaims {
    /// OpenID Connect Core, 5.4.
    public static let openID: ScopeClaims = {
        var claims = ScopeClaims()
        claims["profile"] = [
            "name", "family_name", "given_name", "middle_name", "nickname", "preferred_username",
            "profile", "picture", "website", "gender", "birthdate", "zoneinfo", "locale",
            "updated_at",
        ]
        claims["email"] = ["email", "email_verified"]
        claims["address"] = ["address"]
        claims["phone"] = ["phone_number", "phone_number_verified"]
        return claims
    }()

    /// itsme's, in all generations: a shorter `profile`.
    public static let itsme: ScopeClaims = {
        var claims = ScopeClaims.openID
        claims["profile"] = ["family_name", "given_name", "gender", "birthdate", "locale"]
        return claims
    }()
}
