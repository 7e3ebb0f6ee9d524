// The configuration that provider and client share. In reality: registration and contract.

import Foundation
package import JOSE
package import JOSEOpenID
package import JOSERemote

/// One client at one provider, both on this machine.
package struct Agreement: Sendable {
    package let profile: OpenIDProfile
    /// The issuer, which is also the URL of the provider.
    package let issuer: String
    /// The URL of the relying party.
    package let site: String
    package let clientID: String
    /// Where documents and keys may be fetched from. In production use `.publicAddresses`, so that
    /// a URL of the remote side cannot reach your internal network.
    package let addressPolicy: AddressPolicy
    /// Whether requests are sent by reference.
    package let requestsByReference: Bool
    package let providerPort: UInt16
    package let sitePort: UInt16
    /// The command-line options.
    package let options: Options
    /// The value of `--profile`.
    package let profileName: String
    /// The folder with keys and certificates.
    private let folder: URL

    package var redirectURI: String { site + "/callback" }
    /// The URL of the client's key set.
    package var clientKeys: String { site + "/jwks" }
    /// The URL prefix of the client's request objects.
    package var requestObjects: String { site + "/request-objects/" }

    /// The resource of DPoP-bound access tokens.
    package var accounts: String { issuer + "/accounts" }
    /// Whether access tokens are bound to keys.
    package var bindsTokens: Bool { profile.accessToken.requiresBinding }

    /// The provider metadata that the profile does not define.
    package var additionalMetadata: [String: JSONValue] {
        var members: [String: JSONValue] = ["authorization_response_iss_parameter_supported": true]
        guard bindsTokens else { return members }
        // The resource server has its own scope.
        let scopes = ["openid"] + ["address", "email", "phone", "profile"] + ["accounts"]
        members["scopes_supported"] = .array(scopes.map(JSONValue.string))
        return members
    }

    /// The origin of the provider's forms: its URL without a path.
    package var providerOrigin: String {
        issuer.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3)
            .joined(separator: "/")
    }

    /// - Parameter arguments: The command line without the program's name.
    package init(_ arguments: some Sequence<String>) throws {
        options = try Options(arguments)
        let name = options["profile"] ?? "itsme2"
        guard let profile = Agreement.profiles.first(where: { $0.key == name })?.value else {
            let known = Agreement.profiles.map(\.key).joined(separator: ", ")
            throw Disagreement(description: "--profile \(name): use one of \(known)")
        }
        profileName = name
        requestsByReference = name.hasPrefix("itsme") && profile.requestObject.allowsReference
        var agreed = try Agreement.onThisMachine(profile).with(options)
        // Publish only keys with complete chains.
        agreed.publishedCertificates = .completeChain
        // Browsers resolve every name below localhost to this machine.
        providerPort = try options.port("provider-port", usual: 8443)
        sitePort = try options.port("site-port", usual: 8444)
        issuer = options["issuer"] ?? "https://idp.localhost:\(providerPort)"
        // A local provider for development. `ProviderMetadata` accepts http only for this machine.
        agreed.allowsLoopbackHTTP = issuer.hasPrefix("http://")
        addressPolicy = agreed.allowsLoopbackHTTP ? .loopbackAddresses : .anyAddress
        self.profile = agreed
        guard issuer.hasPrefix("https://") || agreed.allowsLoopbackHTTP else {
            throw Disagreement(
                description: "--issuer \(issuer): an issuer must begin with https://")
        }
        clientID = options["client-id"] ?? "login-client"
        site = "https://rp.localhost:\(sitePort)"
        folder = URL(fileURLWithPath: options["keys"] ?? ".")
    }

    static let profiles: KeyValuePairs<String, OpenIDProfile> = [
        "itsme0": .itsme0, "itsme1": .itsme1, "itsme2": .itsme2,
        "signicat": .signicatMobileID, "nets": .netsEIDBroker, "openid": .openID,
        "nested": .nested, "pushed": .pushed, "fapi2": .fapi2,
        "fapi2-message-signing": .fapi2MessageSigning,
    ]

    /// Changes the rules that cannot be kept on one machine without privileges.
    private static func onThisMachine(_ profile: OpenIDProfile) -> OpenIDProfile {
        var profile = profile
        profile.requestObject.requiresRequestURIPort443 = false
        profile.requestObject.allowsLocalReference = true
        return profile
    }

    // MARK: Files

    /// Returns the private keys of one side with their certificates.
    package func keys(_ side: String) throws -> JWKSet {
        let keys = try JWKSet(json: text(side + ".jwks"))
        let signs = side == "provider" || profile.client.authentication != .basic
        guard signs, let name = options["algorithm"],
            let algorithm = profile.algorithms.signature.first
        else { return keys }
        guard keys.keys.contains(where: { (try? JWTIssuer(key: $0, algorithm: algorithm)) != nil })
        else {
            throw Disagreement(
                description:
                    "--algorithm \(name): no key in \(side).jwks supports it; create one with "
                    + "josectl keys new --alg \(name)")
        }
        return keys
    }

    /// Returns the trust anchors of the certificates of signing and encryption keys.
    package func keyRoots() throws -> TrustStore {
        try TrustStore(anchors: [Array(text("keys-root.pem").utf8)])
    }

    /// Returns the client secret without trailing line breaks; nil if the profile uses none.
    package func secret() throws -> ClientSecret? {
        guard
            profile.client.authentication == .basic
                || profile.idToken.signature == .clientSecretHS256
        else { return nil }
        var secret = try text("client-secret")
        while secret.last?.isNewline == true { secret.removeLast() }
        return ClientSecret(secret)
    }

    /// Returns the file with the trusted CAs of TLS connections.
    package func connectionAuthorities() throws -> String {
        try Agreement.readable(folder.appendingPathComponent("tls-root.pem").path)
    }

    /// Returns the path of a readable file. Checked at start rather than at the first login.
    static func readable(_ path: String) throws -> String {
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw Disagreement(description: "\(path) cannot be read")
        }
        return path
    }

    /// Returns the TLS certificate and key of a host, PEM.
    package func tls(_ host: String) throws -> (certificate: String, key: String) {
        (try text(host + ".tls.pem"), try text(host + ".tls.key"))
    }

    private func text(_ name: String) throws -> String {
        let path = try Agreement.readable(folder.appendingPathComponent(name).path)
        return try String(contentsOfFile: path, encoding: .utf8)
    }
}
