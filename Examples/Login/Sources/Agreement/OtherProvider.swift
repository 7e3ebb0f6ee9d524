// The configuration of the relying party for another provider than this folder's.

import Foundation
package import JOSE
internal import JOSEOpenID

extension Agreement {
    private var isOther: Bool { options["issuer"] != nil }

    /// Returns the file with the trusted CAs of TLS connections; nil for the system's.
    ///
    /// The value of `--authorities`. The default is the system's CAs with `--issuer`, otherwise
    /// the folder's.
    package func providerAuthorities() throws -> String? {
        if let file = options["authorities"] { return try Agreement.readable(file) }
        return isOther ? nil : try connectionAuthorities()
    }

    /// Returns the rule for certificates in the provider's key set.
    ///
    /// `--key-roots` sets trust anchors. Without it and with `--issuer`, the keys are trusted by
    /// their TLS connection, as OpenID Connect defines.
    package func providerCertificates() throws -> CertificateRule {
        guard let file = options["key-roots"] else {
            return isOther ? .ignore : .require(try keyRoots())
        }
        let roots = try String(contentsOfFile: Agreement.readable(file), encoding: .utf8)
        return .require(try TrustStore(anchors: [Array(roots.utf8)]))
    }
}

extension OpenIDProfile {
    /// OpenID Connect with pushed request objects and JWT-secured responses in a form.
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

    /// OpenID Connect with signed and encrypted messages. An example of a modified preset.
    static let nested: OpenIDProfile = {
        var profile = OpenIDProfile.openID
        profile.name = "nested"
        profile.requestObject.layers = .signedThenEncrypted
        profile.requestObject.delivery = .byValue
        profile.client.authentication = .assertion(.signedThenEncrypted)
        profile.idToken.layers = .signedThenEncrypted
        profile.userInfo.layers = .signedThenEncrypted
        // Requirements of glewlwyd.
        profile.client.sendsClientID = true
        profile.client.audience = .tokenEndpoint
        profile.userInfo.header.type = .jwtOr(["token-userinfo+jwt"])
        // Its UserInfo has no aud.
        profile.userInfo.requiresIssuerAndAudience = false
        return profile
    }()
}
