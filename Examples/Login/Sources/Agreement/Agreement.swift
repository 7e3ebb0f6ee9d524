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
    /// Where documents of the other side may be fetched from: on one machine from it, in production `.publicAddresses`, so that
    /// no name of the other side leads into our own network.
    package let reach = AddressReach.anyAddress
    /// Whether the client's requests stand at an address of the client, not in the browser's.
    package let requestsByReference: Bool
    /// The ports of this machine.
    package let providerPort: UInt16
    package let sitePort: UInt16
    /// The folder with keys and certificates.
    private let folder: URL
    private let arguments: [String]

    /// Where the browser comes back to.
    package var redirectURI: String { site + "/callback" }
    /// Where the client publishes its keys.
    package var clientKeys: String { site + "/jwks" }
    /// What the addresses of the client's request objects begin with.
    package var requestObjects: String { site + "/request-objects/" }

    /// Reads `--profile NAME --provider-port N --site-port N --keys FOLDER`, and for a provider of your own the options of
    /// `OtherProvider.swift`.
    package init(_ arguments: [String]) throws {
        func option(_ name: String, _ usual: String) -> String {
            Agreement.option(name, arguments) ?? usual
        }
        let name = option("profile", "itsme2")
        guard let profile = Agreement.profiles.first(where: { $0.key == name })?.value else {
            let known = Agreement.profiles.map(\.key).joined(separator: ", ")
            throw Disagreement(description: "no such profile; there are \(known)")
        }
        requestsByReference = name.hasPrefix("itsme") && profile.requestObject.allowsReference
        var agreed = Agreement.onThisMachine(profile)
        // Both publish no key whose chain is not whole.
        agreed.publishedCertificates = .completeChain
        self.profile = agreed
        // Browsers take every name below localhost for this machine.
        providerPort = UInt16(option("provider-port", "")) ?? 8443
        sitePort = UInt16(option("site-port", "")) ?? 8444
        issuer = option("issuer", "https://idp.localhost:\(providerPort)")
        clientID = option("client-id", "login-client")
        site = "https://rp.localhost:\(sitePort)"
        folder = URL(fileURLWithPath: option("keys", "."))
        self.arguments = arguments
    }

    /// The number behind `--NAME`.
    package func number(_ name: String, usual: Int64) -> Int64 {
        option(name).flatMap { Int64($0) } ?? usual
    }

    /// What stands behind `--NAME`.
    package func option(_ name: String) -> String? { Agreement.option(name, arguments) }

    private static func option(_ name: String, _ arguments: [String]) -> String? {
        zip(arguments, arguments.dropFirst()).first { $0.0 == "--" + name }?.1
    }

    private static let profiles: KeyValuePairs<String, OpenIDProfile> = [
        "itsme0": .itsme0, "itsme1": .itsme1, "itsme2": .itsme2,
        "signicat": .signicatMobileID, "nets": .netsEIDBroker, "openid": .openID,
        "nested": .nested,
    ]

    /// What cannot be as in production where both sides run on one machine without privileges.
    private static func onThisMachine(_ profile: OpenIDProfile) -> OpenIDProfile {
        var profile = profile
        profile.requestObject.referenceNeedsPort443 = false
        profile.requestObject.allowsLocalReference = true
        return profile
    }

    // MARK: Files

    /// The private keys of one side, with their certificates.
    package func keys(_ side: String) throws -> JWKSet {
        try JWKSet(json: text(side + ".jwks"))
    }

    /// The roots that the certificates of signing and encryption keys must lead to.
    package func keyRoots() throws -> TrustStore {
        try TrustStore(anchors: [Array(text("keys-root.pem").utf8)])
    }

    /// The client's secret, where the profile has one.
    package func secret() throws -> ClientSecret { ClientSecret(try text("client-secret")) }

    /// The file with the only CAs that connections to the other side may be trusted by.
    package var connectionAuthorities: String { folder.appendingPathComponent("tls-root.pem").path }

    /// What a host shows in TLS: its certificate and key, PEM.
    package func tls(_ host: String) throws -> (certificate: String, key: String) {
        (try text(host + ".tls.pem"), try text(host + ".tls.key"))
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    /// What keeps a program from starting.
    package struct Disagreement: Error, CustomStringConvertible {
        package let description: String
        package init(description: String) { self.description = description }
    }
}
