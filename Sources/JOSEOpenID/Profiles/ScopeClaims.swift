// The claims that scopes request.

import JOSEBytes

/// The claims that a provider's scopes request from UserInfo (OpenID Connect Core, 5.4).
public struct ScopeClaims: Sendable, Hashable {
    private var claims: [ExactString: [ExactString]] = [:]

    /// Creates a table without scopes.
    public init() {}

    /// The claims of a scope, in the order of the provider's documentation; empty for other scopes.
    public subscript(scope: String) -> [String] {
        get { (claims[ExactString(scope)] ?? []).map(\.text) }
        set { claims[ExactString(scope)] = newValue.map { ExactString($0) } }
    }

    /// Returns the claims of several scopes, without duplicates, in the order of the scopes.
    public func claims(of scopes: [String]) -> [String] {
        var seen: Set<ExactString> = []
        return scopes.flatMap { self[$0] }.filter { seen.insert(ExactString($0)).inserted }
    }

    var scopes: [String] {
        claims.filter { !$0.value.isEmpty }.keys.map(\.text)
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

extension ScopeClaims {
    /// The standard scopes (OpenID Connect Core, 5.4).
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

    /// itsme's scopes, in all three guides: `profile` has fewer claims.
    public static let itsme: ScopeClaims = {
        var claims = ScopeClaims.openID
        claims["profile"] = ["family_name", "given_name", "gender", "birthdate", "locale"]
        return claims
    }()
}
