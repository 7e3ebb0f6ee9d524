// What a provider publishes about itself, read strictly and checked against a profile.

public import JOSE
import JOSEBytes

/// A provider's metadata (OpenID Connect Discovery 1.0, 3); having one is the proof that it fits its profile.
public struct ProviderMetadata: Sendable {
    /// `issuer`: the exact `iss` of its tokens.
    public let issuer: String
    /// `authorization_endpoint`.
    public let authorizationEndpoint: String
    /// `token_endpoint`.
    public let tokenEndpoint: String
    /// `userinfo_endpoint`, where there is one.
    public let userInfoEndpoint: String?
    /// `jwks_uri`: where its key set is.
    public let jwksURI: String
    /// `pushed_authorization_request_endpoint`, where there is one (RFC 9126, 5).
    public let pushedRequestEndpoint: String?
    /// `backchannel_authentication_endpoint`, where there is one (CIBA Core 1.0, 4).
    public let backchannelEndpoint: String?
    /// Every member of the document, known or not, without those that are null or in `ignored`.
    public var members: JSONObject { check.members }
    /// The members of the document that cannot be used: an optional endpoint that is empty or by
    /// `http`, a flag that is no boolean, such as `"true"`. They are treated as absent. Write them
    /// to the log: the provider's configuration has an error. At most 64 are listed.
    public let ignored: [IgnoredMember]
    /// The checks of the members, for the messages that a party or a provider makes later.
    let check: MetadataCheck

    /// Where a provider publishes its document.
    public static func address(issuer: String) -> String {
        return issuer + (issuer.ends(with: "/") ? "" : "/") + ".well-known/openid-configuration"
    }

    /// Reads a discovery document.
    ///
    /// - Parameters:
    ///   - json: The document.
    ///   - issuer: The issuer that was asked for it; the document must name exactly this one.
    ///   - profile: The rules that the provider must be able to keep.
    /// - Throws: `malformed` or `limitExceeded` for the text; `claimRejected` with the member that is missing, is no
    ///   https URL, names another issuer, or does not offer what the profile needs.
    ///
    /// A member that is null is absent. An optional endpoint that cannot be used is in `ignored`;
    /// one that the profile's own flow needs is an error.
    public init(json: String, issuer: String, profile: OpenIDProfile) throws(JOSEError) {
        let message = try JSONMessage(Array(json.utf8), limits: profile.limits)
        try self.init(try message.members(), issuer: issuer, profile: profile, isOwn: false)
    }

    /// Reads the discovery document of an issuer that a peer, a user or a tenant chose: as
    /// `init(json:issuer:profile:)`, and no address in it is one of this machine or the network
    /// around it.
    ///
    /// Requests to the endpoints carry secrets and tokens, and are sent from inside your network.
    /// This looks at names only: a public name may still lead to a private address, so the HTTP
    /// client needs an address policy too.
    ///
    /// - Parameters:
    ///   - json: The document.
    ///   - issuer: The issuer that was asked for it.
    ///   - profile: The rules that the provider must be able to keep.
    /// - Throws: As there; `claimRejected` with the endpoint, `jwks_uri` or `issuer` whose host is
    ///   an IP address, a name without a dot, or one under a domain of local names such as
    ///   `internal` and `localhost`.
    public init(
        json: String, untrustedIssuer issuer: String, profile: OpenIDProfile
    ) throws(JOSEError) {
        try self.init(json: json, issuer: issuer, profile: profile)
        try check.namesPublicHosts()
    }

    /// The metadata of a provider of our own, with all that the profile says.
    ///
    /// - Parameters:
    ///   - issuer: The issuer.
    ///   - authorizationEndpoint: The authorization endpoint.
    ///   - tokenEndpoint: The token endpoint.
    ///   - userInfoEndpoint: The UserInfo endpoint.
    ///   - jwksURI: Where the key set is.
    ///   - pushedRequestEndpoint: The pushed authorization request endpoint.
    ///   - backchannelEndpoint: The backchannel authentication endpoint.
    ///   - profile: The rules that the provider keeps; they become members.
    ///   - clientProfiles: The rules of clients that have their own (`ClientRegistration.profile`); their lists are joined.
    ///   - additional: Further members; they replace those of the profile.
    /// - Throws: `claimRejected` as for a document that was read.
    public init(
        issuer: String, authorizationEndpoint: String, tokenEndpoint: String,
        userInfoEndpoint: String? = nil, jwksURI: String,
        pushedRequestEndpoint: String? = nil, backchannelEndpoint: String? = nil,
        profile: OpenIDProfile, clientProfiles: [OpenIDProfile] = [],
        additional: [String: JSONValue] = [:]
    ) throws(JOSEError) {
        var members = profile.metadataMembers
        for other in clientProfiles { members.join(other.metadataMembers) }
        members["issuer"] = .string(issuer)
        members["authorization_endpoint"] = .string(authorizationEndpoint)
        members["token_endpoint"] = .string(tokenEndpoint)
        members["userinfo_endpoint"] = userInfoEndpoint.map(JSONValue.string)
        members["jwks_uri"] = .string(jwksURI)
        if additional["introspection_endpoint"] != nil {
            profile.addIntrospection(to: &members)
        }
        members["pushed_authorization_request_endpoint"] =
            pushedRequestEndpoint.map(JSONValue.string)
        if let backchannelEndpoint {
            members["backchannel_authentication_endpoint"] = .string(backchannelEndpoint)
            profile.addBackchannel(clientProfiles, to: &members)
        }
        for (name, value) in additional { members[name] = value }
        try self.init(members, issuer: issuer, profile: profile, isOwn: true)
    }

    /// - Parameter isOwn: Whether the document is written by us: then every endpoint must be right.
    private init(
        _ document: JSONObject, issuer expected: String, profile: OpenIDProfile, isOwn: Bool
    ) throws(JOSEError) {
        var members = document
        for (name, value) in document where !isOwn && value == .null { members[name] = nil }
        let read = MetadataCheck(members)
        let unusable = isOwn ? [] : read.unusableMembers() + read.unusedAlgorithms(profile)
        for member in unusable { members[member.member] = nil }
        ignored = Array(unusable.prefix(MetadataCheck.maxIgnored))
        let check = MetadataCheck(members)
        self.check = check
        issuer = try check.issuer(expected)
        authorizationEndpoint = try check.address("authorization_endpoint")
        tokenEndpoint = try check.address("token_endpoint")
        userInfoEndpoint =
            members["userinfo_endpoint"] == nil ? nil : try check.address("userinfo_endpoint")
        jwksURI = try check.address("jwks_uri")
        pushedRequestEndpoint =
            members["pushed_authorization_request_endpoint"] == nil
            ? nil : try check.address("pushed_authorization_request_endpoint")
        backchannelEndpoint =
            members["backchannel_authentication_endpoint"] == nil
            ? nil : try check.address("backchannel_authentication_endpoint")
        try check.otherEndpoints()
        try check.fits(profile)
    }

    /// Any member.
    public subscript(name: String) -> JSONValue? { members[name] }

    /// The words of a member that is a list; nil where it is absent.
    public func list(_ name: String) -> [String]? { members[name]?.array?.compactMap(\.string) }

    /// Whether answers at the redirect address name the issuer (RFC 9207).
    public var sendsIssuerInResponse: Bool {
        members["authorization_response_iss_parameter_supported"]?.bool ?? false
    }

    /// The document to publish.
    ///
    /// - Throws: `misuse` where a member cannot be written.
    public func json() throws(JOSEError) -> String { try JSONValue.object(members).text() }
}

/// A member of a discovery document that was not used, and why.
public struct IgnoredMember: Sendable, Hashable {
    /// The member, such as `end_session_endpoint`. The document chose it: `description` has it
    /// escaped.
    public var member: String { exactMember.text }
    /// What is wrong with it, a part of an English sentence.
    public var reason: String { exactReason.text }
    private let exactMember: ExactString
    private let exactReason: ExactString

    init(member: String, reason: StaticString) {
        exactMember = ExactString(member)
        exactReason = ExactString(reason.description)
    }
}

extension IgnoredMember: CustomStringConvertible {
    /// Member and reason, for a log.
    public var description: String { "\(printable(member, atMost: 128)): \(reason)" }
}
