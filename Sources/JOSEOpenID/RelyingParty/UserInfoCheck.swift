// Checks that a UserInfo response is for the ID Token's user and for this client.

import JOSE
import JOSEBytes

struct UserInfoCheck {
    let configuration: RelyingPartyConfiguration

    /// Accepts `userInfo.otherMediaTypes` and, depending on `userInfo.layers`, `application/jwt` or
    /// `application/json`. Parameters of the type are ignored.
    func checkMediaType(_ contentType: String?) throws(JOSEError) {
        guard let contentType else { return }
        let rules = configuration.profile.userInfo
        let name = MediaType.name(contentType)
        guard !rules.acceptedMediaTypes.contains(where: name.isExactly) else { return }
        let known: [StaticString] = ["application/json", "application/jwt"]
        let expected = rules.layers == nil ? known[0] : known[1]
        guard let found = known.first(where: { name.isExactly($0) }) else {
            throw .malformed(
                .message, "the media type of the UserInfo response is not {}", .name(expected))
        }
        throw .malformed(
            .message,
            "the media type of the UserInfo response is {}, not {} (userInfo.layers)",
            .name(found), .name(expected))
    }

    func token(_ verified: VerifiedJWT) throws(JOSEError) -> VerifiedUserInfo {
        if configuration.profile.userInfo.requiresIssuerAndAudience {
            let names = ["iss", "aud"]
            for (name, index) in zip(names, verified.document.members(named: names))
            where index == nil {
                throw .claimRejected(
                    name, "it is missing in a signed UserInfo response, which {} requires",
                    "userInfo.requiresIssuerAndAudience")
            }
        }
        try checkRequired(verified.document)
        try checkIssuerAndAudience(verified.document)
        try checkACR(verified.document)
        return VerifiedUserInfo(
            document: verified.document, names: configuration.profile.userInfo.names)
    }

    func json(_ body: String, _ idToken: VerifiedIDToken) throws(JOSEError) -> VerifiedUserInfo {
        let document = try JSONMessage(Array(body.utf8), limits: configuration.profile.limits)
            .document
        try checkRequired(document)
        guard let subject = document.member("sub").flatMap({ document.string(at: $0) }),
            subject.equalsConstantTime(idToken.subject)
        else { throw .claimRejected("sub", "it is not the subject of the ID Token") }
        try checkIssuerAndAudience(document)
        try checkACR(document)
        return VerifiedUserInfo(document: document, names: configuration.profile.userInfo.names)
    }

    private func checkRequired(_ document: JSONDocument) throws(JOSEError) {
        for name in configuration.profile.userInfo.requiredClaims where document.isAbsent(name) {
            throw .claimRejected(name, "it is required and missing")
        }
    }

    /// Rejects an `acr` that is not one of the profile's values. It may be absent.
    private func checkACR(_ document: JSONDocument) throws(JOSEError) {
        let rule = configuration.profile.authorization.acr
        guard !rule.weakestFirst.isEmpty, let index = document.member("acr"),
            !document.isNull(at: index)
        else { return }
        guard let acr = document.string(at: index) else {
            throw .claimRejected("acr", "it is not a string")
        }
        try rule.check(acr, requested: [])
    }

    /// Rejects an ID Token, and an `iss` or `aud` that is present but wrong.
    private func checkIssuerAndAudience(_ document: JSONDocument) throws(JOSEError) {
        for name in configuration.profile.userInfo.absentClaims
        where document.member(named: name) != nil {
            throw .claimRejected(name, "it belongs to an ID Token")
        }
        if let index = document.member("iss") {
            guard let issuer = document.string(at: index),
                issuer.isExactly(configuration.metadata.issuer)
            else { throw .claimRejected("iss", "it is not the expected issuer") }
        }
        guard let index = document.member("aud") else { return }
        var isFound = document.string(at: index)?.isExactly(configuration.clientID) ?? false
        document.forEachElement(of: index) { element in
            if document.string(at: element)?.isExactly(configuration.clientID) ?? false {
                isFound = true
            }
        }
        guard isFound else { throw .claimRejected("aud", "the client_id is not in it") }
    }
}
