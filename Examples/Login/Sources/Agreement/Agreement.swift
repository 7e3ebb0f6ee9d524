// What a provider and a client agree on before the first login; in real life on paper and in the provider's web forms.

import Foundation
package import JOSE
package import JOSEOpenID
package import JOSERemote

/// One client at one provider, both on this machine.
package struct Agreement: Sendable {
    /// The rules of the messages.
    package let profile: OpenIDProfile
    /// The provider's name, which is its address too.
    package let issuer: String
    /// The relying party's address.
    package let site: String
    /// The client's name at the provider.
    package let clientID: String
    /// Where documents and keys of the other side may be fetched from: on one machine from it, in production `.publicAddresses`,
    /// so that no name of the other side leads into our own network.
    package let addressPolicy = AddressPolicy.anyAddress
    /// Whether the client's requests stand at an address of the client, not in the browser's.
    package let requestsByReference: Bool
    /// The ports of this machine.
    package let providerPort: UInt16
    package let sitePort: UInt16
    /// The folder with keys and certificates.
    /// What the programs were told when they were started.
    package let options: Options
    /// The profile's word among the options.
    package let profileName: String
    private let folder: URL

    /// Where the browser comes back to.
    package var redirectURI: String { site + "/callback" }
    /// Where the client publishes its keys.
    package var clientKeys: String { site + "/jwks" }
    /// What the addresses of the client's request objects begin with.
    package var requestObjects: String { site + "/request-objects/" }

    /// What access tokens are for, where the profile binds them to keys: an interface behind the provider.
    package var accounts: String { issuer + "/accounts" }
    /// Whether it does.
    package var bindsTokens: Bool { profile.accessToken.requiresBinding }

    /// What the provider's document says besides the profile's rules.
    package var additionalMetadata: [String: JSONValue] {
        var members: [String: JSONValue] = ["authorization_response_iss_parameter_supported": true]
        guard bindsTokens else { return members }
        // Its resource server has a scope of its own.
        let scopes = ["openid"] + ["address", "email", "phone", "profile"] + ["accounts"]
        members["scopes_supported"] = .array(scopes.map(JSONValue.string))
        return members
    }

    /// Where a browser says that the provider's own forms come from: its address without a path.
    package var providerOrigin: String {
        issuer.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3)
            .joined(separator: "/")
    }

    /// - Parameter arguments: The words of the command line, without the program's.
    package init(_ arguments: some Sequence<String>) throws {
        options = try Options(arguments)
        let name = options["profile"] ?? "itsme2"
        guard let profile = Agreement.profiles.first(where: { $0.key == name })?.value else {
            let known = Agreement.profiles.map(\.key).joined(separator: ", ")
            throw Disagreement(description: "no such profile; there are \(known)")
        }
        profileName = name
        requestsByReference = name.hasPrefix("itsme") && profile.requestObject.allowsReference
        var agreed = try Agreement.onThisMachine(profile).with(options)
        // Both publish no key whose chain is not whole.
        agreed.publishedCertificates = .completeChain
        self.profile = agreed
        // Browsers take every name below localhost for this machine.
        providerPort = try options.port("provider-port", usual: 8443)
        sitePort = try options.port("site-port", usual: 8444)
        issuer = options["issuer"] ?? "https://idp.localhost:\(providerPort)"
        guard issuer.hasPrefix("https://") else {
            throw Disagreement(
                description: "--issuer \(issuer): an issuer begins with https://, in lower case")
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

    /// What cannot be as in production where both sides run on one machine without privileges.
    private static func onThisMachine(_ profile: OpenIDProfile) -> OpenIDProfile {
        var profile = profile
        profile.requestObject.requiresRequestURIPort443 = false
        profile.requestObject.allowsLocalReference = true
        return profile
    }

    // MARK: Files

    /// The private keys of one side, with their certificates.
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
                    "--algorithm \(name): no key in \(side).jwks signs by it; make one with "
                    + "josectl keys new --alg \(name)")
        }
        return keys
    }

    /// The roots that the certificates of signing and encryption keys must lead to.
    package func keyRoots() throws -> TrustStore {
        try TrustStore(anchors: [Array(text("keys-root.pem").utf8)])
    }

    /// The client's secret; nil where the profile has none. A line end behind it is an editor's.
    package func secret() throws -> ClientSecret? {
        guard
            profile.client.authentication == .basic
                || profile.idToken.signature == .clientSecretHS256
        else { return nil }
        var secret = try text("client-secret")
        while secret.last?.isNewline == true { secret.removeLast() }
        return ClientSecret(secret)
    }

    /// The file with the only CAs that connections to the other side may be trusted by.
    package func connectionAuthorities() throws -> String {
        try Agreement.readable(folder.appendingPathComponent("tls-root.pem").path)
    }

    /// The path of a file that can be read: a program that finds out at its first login has started too early.
    static func readable(_ path: String) throws -> String {
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw Disagreement(description: "\(path) cannot be read")
        }
        return path
    }

    /// What a host shows in TLS: its certificate and key, PEM.
    package func tls(_ host: String) throws -> (certificate: String, key: String) {
        (try text(host + ".tls.pem"), try text(host + ".tls.key"))
    }

    private func text(_ name: String) throws -> String {
        let path = try Agreement.readable(folder.appendingPathComponent(name).path)
        return try String(contentsOfFile: path, encoding: .utf8)
    }
}
