// Judges a UserInfo answer: whose it is and for whom.

import JOSE
import JOSEBytes

struct UserInfoCheck {
    private let setup: RelyingPartyConfiguration

    init(_ setup: RelyingPartyConfiguration) { self.setup = setup }

    /// Throws `misuse` for an ID Token of another client or provider: its `sub` says nothing here.
    func check(_ idToken: VerifiedIDToken) throws(JOSEError) {
        guard idToken.clientID.isExactly(setup.clientID),
            idToken.issuer.isExactly(setup.metadata.issuer)
        else { throw .misuse("the ID Token is of another client or provider") }
    }

    func expectation(_ idToken: VerifiedIDToken) -> ClaimsExpectation {
        ClaimsExpectation(subject: idToken.subject)
    }

    /// `application/jwt` where the profile has layers, `application/json` where it has none, or another of the profile's;
    /// parameters are ignored.
    func checkMediaType(_ contentType: String?) throws(JOSEError) {
        guard let contentType else { return }
        let rules = setup.profile.userInfo
        let name = MediaType.name(contentType)
        guard
            rules.acceptedMediaTypes.contains(where: name.isExactly)
        else {
            let known: [StaticString] = ["application/json", "application/jwt"]
            let wanted: StaticString = rules.layers == nil ? known[0] : known[1]
            guard let found = known.first(where: { name.isExactly($0) }) else {
                throw .malformed(
                    .message, "the UserInfo response has another media type than {}",
                    .name(wanted))
            }
            throw .malformed(
                .message, "the UserInfo response is {}, not {} (userInfo.layers)", .name(found),
                .name(wanted))
        }
    }

    /// A token that the engine accepted.
    func token(_ verified: VerifiedJWT) throws(JOSEError) -> VerifiedUserInfo {
        if setup.profile.userInfo.requiresIssuerAndAudience {
            let names = ["iss", "aud"]
            for (name, index) in zip(names, verified.document.members(named: names))
            where index == nil {
                throw .claimRejected(
                    name, "it is missing in a signed UserInfo response ({})",
                    "userInfo.requiresIssuerAndAudience")
            }
        }
        try checkRequired(verified.document)
        try checkParties(verified.document)
        try checkContext(verified.document)
        return VerifiedUserInfo(document: verified.document, names: setup.profile.userInfo.names)
    }

    /// Plain JSON.
    func json(_ body: String, _ idToken: VerifiedIDToken) throws(JOSEError) -> VerifiedUserInfo {
        let document = try JSONMessage(Array(body.utf8), limits: setup.profile.limits).document
        try checkRequired(document)
        guard let subject = document.member("sub").flatMap({ document.string(at: $0) }),
            subject.isSecretly(idToken.subject)
        else { throw .claimRejected("sub", "it is not the subject of the ID Token") }
        try checkParties(document)
        try checkContext(document)
        return VerifiedUserInfo(document: document, names: setup.profile.userInfo.names)
    }

    /// Claims that must be there; null is not there.
    private func checkRequired(_ document: JSONDocument) throws(JOSEError) {
        for name in setup.profile.userInfo.requiredClaims where document.isAbsent(name) {
            throw .claimRejected(name, "it is required and missing")
        }
    }

    /// An `acr` need not be there; where the profile defines the values, it is one of them.
    private func checkContext(_ document: JSONDocument) throws(JOSEError) {
        let rule = setup.profile.authorization.acr
        guard !rule.weakestFirst.isEmpty, let index = document.member("acr"),
            !document.isNull(at: index)
        else { return }
        guard let acr = document.string(at: index) else {
            throw .claimRejected("acr", "it is not a string")
        }
        try rule.check(acr, requested: [])
    }

    /// `iss` and `aud` must fit where they are; an ID Token is no answer.
    private func checkParties(_ document: JSONDocument) throws(JOSEError) {
        for name in setup.profile.userInfo.absentClaims where document.member(named: name) != nil {
            throw .claimRejected(name, "it belongs to an ID Token")
        }
        if let index = document.member("iss") {
            guard let issuer = document.string(at: index), issuer.isExactly(setup.metadata.issuer)
            else { throw .claimRejected("iss", "it is not the expected issuer") }
        }
        guard let index = document.member("aud") else { return }
        var isFound = document.string(at: index)?.isExactly(setup.clientID) ?? false
        document.forEachElement(of: index) { element in
            if document.string(at: element)?.isExactly(setup.clientID) ?? false { isFound = true }
        }
        guard isFound else { throw .claimRejected("aud", "the expected audience is not in it") }
    }
}
