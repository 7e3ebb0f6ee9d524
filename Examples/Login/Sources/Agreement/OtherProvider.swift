// A provider that is not the one of this folder: what the relying party is told of it by its options.

import Foundation
package import JOSE
internal import JOSEOpenID

extension Agreement {
    private var isOther: Bool { options["issuer"] != nil }

    /// The file with the only CAs that connections to the provider may be trusted by; nil for those of the system.
    ///
    /// `--authorities FILE`; without it those of the system for a provider that `--issuer` names, else of our folder.
    package func providerAuthorities() throws -> String? {
        if let file = options["authorities"] { return try Agreement.readable(file) }
        return isOther ? nil : try connectionAuthorities()
    }

    /// What is demanded of the certificates in the provider's key set.
    ///
    /// `--key-roots FILE`: what the certificates of its keys must lead to, where that was agreed on. Without it OpenID Connect's
    /// own rule counts for a provider that `--issuer` names: the keys are as good as the connection that they came by.
    package func providerCertificates() throws -> CertificateRule {
        guard let file = options["key-roots"] else {
            return isOther ? .ignore : .require(try keyRoots())
        }
        let roots = try String(contentsOfFile: Agreement.readable(file), encoding: .utf8)
        return .require(try TrustStore(anchors: [Array(roots.utf8)]))
    }
}

extension OpenIDProfile {
    /// OpenID Connect with every request pushed in a signed object, and every answer a signed token in a form.
    static let pushed: OpenIDProfile = {
        var profile = OpenIDProfile.openID
        profile.name = "pushed"
        profile.pushedRequests.isRequired = true
        profile.requestObject = .jar()
        profile.client.authentication = .assertion(.signed)
        profile.authorization.responseModes = [.formPostJWT, .queryJWT]
        profile.authorization.defaultResponseMode = .formPostJWT
        return profile
    }()

    /// OpenID Connect with every message signed, then encrypted: how a preset becomes the rules of your provider.
    static let nested: OpenIDProfile = {
        var profile = OpenIDProfile.openID
        profile.name = "nested"
        profile.requestObject.layers = .signedThenEncrypted
        profile.requestObject.delivery = .byValue
        profile.client.authentication = .assertion(.signedThenEncrypted)
        profile.idToken.layers = .signedThenEncrypted
        profile.userInfo.layers = .signedThenEncrypted
        // What glewlwyd wants besides.
        profile.client.sendsClientID = true
        profile.client.audience = .tokenEndpoint
        profile.userInfo.header.type = .jwtOr(["token-userinfo+jwt"])
        // It writes no aud into it.
        profile.userInfo.requiresIssuerAndAudience = false
        return profile
    }()
}
