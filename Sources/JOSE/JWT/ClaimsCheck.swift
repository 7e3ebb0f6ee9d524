// Checks the registered claims of a verified payload.

import JOSEBytes

struct ClaimsCheck {
    let document: JSONDocument
    let claims: RegisteredClaims
    let now: NumericDate

    init(_ document: JSONDocument, at now: NumericDate) {
        self.document = document
        claims = RegisteredClaims(document)
        self.now = now
    }

    /// Throws `claimRejected` with the name of the first claim that breaks a rule.
    func check(
        _ policy: ClaimsPolicy, _ required: [RequiredClaim], _ expectation: ClaimsExpectation,
        _ trace: Trace?
    ) throws(JOSEError) {
        for required in required {
            // `policy.nullIsAbsent` is for claims that `RegisteredClaims.Name` lacks.
            guard let index = claims.index(of: required, in: document),
                document.kind(at: index) != .null
                    || !(required.known?.mayBeNull ?? policy.nullIsAbsent)
            else { throw .claimRejected(required.text, "it is required and missing") }
            trace?.passed(.claims, "\(printable(required.text)) is required and present")
        }
        try checkIssuer(policy.issuer)
        trace?.checked("iss", policy.issuer != .any, "is the expected issuer")
        try checkAudience(policy)
        trace?.checked("aud", policy.audience != .any, "names the expected audience")
        try checkTimes(policy)
        trace?.times(claims, policy)
        try checkSubject(expectation.subject, policy.maxSubjectBytes)
        trace?.checked("sub", expectation.subject != nil, "is the expected subject")
        try checkNonce(expectation.nonce)
        trace?.checked("nonce", expectation.nonce != nil, "is the nonce that was sent")
        if let client = policy.authorizedParty {
            try checkAuthorizedParty(client, policy.trustedAudiences)
        }
        trace?.checked(
            "azp", policy.authorizedParty != nil, "is absent, or the client or a trusted audience")
        _ = try string(.jti)
    }

    private func checkIssuer(_ rule: IssuerRule) throws(JOSEError) {
        let index = try string(.iss)
        guard let texts = rule.texts else { return }
        guard let index else { throw .claimRejected("iss", "it is missing") }
        guard isOne(of: texts, index) else {
            throw .claimRejected("iss", "it is not the expected issuer")
        }
    }

    private func checkAudience(_ policy: ClaimsPolicy) throws(JOSEError) {
        let rule = policy.audience
        guard let index = claims[.aud] else {
            if rule.texts == nil { return }
            throw .claimRejected("aud", "it is missing")
        }
        let expected = rule.texts ?? []
        var isFound = rule.texts == nil
        // With an authorized party all other audiences must be trusted ones (OpenID Connect Core,
        // 3.1.3.7, step 3). The rule `.any` trusts all audiences.
        let trustsAllAudiences = rule.texts == nil || policy.authorizedParty == nil
        var isTrusted = true
        switch document.kind(at: index) {
        case .string:
            if isOne(of: expected, index) { isFound = true }
        case .array:
            var element = index + 1
            while element < document.nodes[index].next {
                guard document.kind(at: element) == .string else {
                    throw .claimRejected("aud", "its array has an element that is not a string")
                }
                if isOne(of: expected, element) {
                    isFound = true
                } else if !trustsAllAudiences, !isOne(of: policy.trustedAudiences, element) {
                    isTrusted = false
                }
                element = document.nodes[element].next
            }
        default:
            throw .claimRejected("aud", "it is neither a string nor an array of strings")
        }
        guard isFound else { throw .claimRejected("aud", "the expected audience is not in it") }
        guard isTrusted else {
            throw .claimRejected(
                "aud", "it also names an audience that is not trusted (trustedAudiences)")
        }
    }

    private func isOne(of texts: [String], _ index: Int) -> Bool {
        for text in texts where equals(index, text) { return true }
        return false
    }

    private func checkTimes(_ policy: ClaimsPolicy) throws(JOSEError) {
        let leeway = policy.leewaySeconds
        let expiry = try date(.exp)
        let issued = try date(.iat)
        if let expiry {
            // At `exp` plus leeway the token has already expired (RFC 7519, 4.1.4).
            guard now < expiry.later(bySeconds: leeway) else {
                throw .claimRejected(
                    "exp", "the token has expired; the leeway is {} s", .number(leeway))
            }
        }
        let latest = now.later(bySeconds: leeway)
        if let start = try date(.nbf), start > latest {
            throw .claimRejected(
                "nbf", "the token is not valid yet; the leeway is {} s", .number(leeway))
        }
        if let issued, issued > latest {
            throw .claimRejected(
                "iat", "the token was issued in the future; the leeway is {} s", .number(leeway))
        }
        if let issued, let expiry, expiry < issued {
            throw .claimRejected("exp", "the token expires before it was issued")
        }
        guard let max = policy.maxLifetimeSeconds else { return }
        guard let issued else { throw .claimRejected("iat", "it is required and missing") }
        guard let expiry else { throw .claimRejected("exp", "it is required and missing") }
        guard expiry <= issued.later(bySeconds: max) else {
            throw .claimRejected(
                "exp", "the token's lifetime is over {} s (ClaimsPolicy.maxLifetime)",
                .number(max))
        }
    }

    private func checkSubject(_ expected: String?, _ limit: Int?) throws(JOSEError) {
        guard let index = try string(.sub) else {
            guard expected == nil else { throw .claimRejected("sub", "it is missing") }
            return
        }
        let node = document.nodes[index]
        guard node.end > node.start else { throw .claimRejected("sub", "it is empty") }
        // Unescaping never lengthens a string: one within the limit need not be counted.
        if let limit, node.end - node.start > limit {
            let count =
                node.hasEscapes
                ? JSON.string(node, in: document.bytes.span).utf8.count : node.end - node.start
            guard count <= limit else {
                throw .claimRejected(
                    "sub", "it has {} bytes; at most {} are allowed (ClaimsPolicy.maxSubjectBytes)",
                    .number(count), .number(limit))
            }
        }
        guard let expected else { return }
        guard document.equalsConstantTime(expected, at: index) else {
            throw .claimRejected("sub", "it is not the expected subject")
        }
    }

    private func checkNonce(_ expected: String?) throws(JOSEError) {
        let index = try string(.nonce)
        guard let expected else { return }
        guard let index else { throw .claimRejected("nonce", "it is required and missing") }
        guard document.equalsConstantTime(expected, at: index) else {
            throw .claimRejected("nonce", "it is not the nonce that was sent")
        }
    }

    private func checkAuthorizedParty(_ client: String, _ trusted: [String]) throws(JOSEError) {
        guard let index = try string(.azp) else { return }
        guard equals(index, client) || isOne(of: trusted, index) else {
            throw .claimRejected(
                "azp", "it is neither the client nor trusted (trustedAudiences)")
        }
    }
}

extension ClaimsCheck {
    /// Returns the node of a string; nil if the claim is absent, or null and allowed to be.
    @inline(__always)
    func string(_ name: RegisteredClaims.Name) throws(JOSEError) -> Int? {
        guard let index = claims[name] else { return nil }
        guard document.kind(at: index) == .string else {
            try checkAbsence(name, index)
            return nil
        }
        return index
    }

    @inline(never)
    private func checkAbsence(_ name: RegisteredClaims.Name, _ index: Int) throws(JOSEError) {
        guard name.mayBeNull, document.kind(at: index) == .null else {
            throw .claimRejected(name.text.description, "it is not a string")
        }
    }

    /// Returns nil for an absent claim. Throws if it is not a number from 0 to 253402300799.
    private func date(_ name: RegisteredClaims.Name) throws(JOSEError) -> NumericDate? {
        guard let index = claims[name] else { return nil }
        guard let date = document.date(at: index) else { throw notADate(name, index) }
        return date
    }

    @inline(never)
    private func notADate(_ name: RegisteredClaims.Name, _ index: Int) -> JOSEError {
        let claim = name.text.description
        guard document.kind(at: index) == .number else {
            return .claimRejected(
                claim, "it is {}; a date is a JSON number of seconds from 0 to 253402300799",
                .kind(of: document.nodes[index]))
        }
        guard JSON.double(document.nodes[index], in: document.bytes.span) ?? 0 <= 253_402_300_799
        else {
            return .claimRejected(
                claim, "it is after the year 9999; is it in milliseconds?")
        }
        return .claimRejected(
            claim, "it is not a date, which is a JSON number of seconds from 0 to 253402300799")
    }

    func equals(_ index: Int, _ text: String) -> Bool {
        JSON.equals(document.nodes[index], text.utf8.span, in: document.bytes.span)
    }
}
