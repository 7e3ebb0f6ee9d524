// Explains why a claim was rejected: what was found, what was expected, and the distance of a date.

import JOSEBytes

struct ClaimDiagnosis {
    let check: ClaimsCheck
    let policy: ClaimsPolicy
    let expectation: ClaimsExpectation
    let trace: Trace

    private var document: JSONDocument { check.document }

    func explain(_ error: JOSEError) {
        guard error.code == .claimRejected, let name = error.claim else { return }
        switch name {
        case "iss":
            explainString(
                "iss", policy.issuer.texts ?? [],
                missing: "The sender must write iss, its issuer identifier.",
                similar: """
                    The issuer must be equal character by character (RFC 7519, 4.1.1): write it in \
                    the policy as in the provider's tokens and discovery document.
                    """,
                """
                The token is from another issuer: compare the test and production issuers of the \
                provider and its tenants, and take the issuer from its discovery document.
                """)
        case "aud": explainAudience()
        case "sub":
            explainString(
                "sub", [expectation.subject].compactMap { $0 },
                "The token is about another subject than the expected one.")
        case "nonce":
            explainString(
                "nonce", [expectation.nonce].compactMap { $0 },
                missing: """
                    The sender must write the nonce of the request into the token (OpenID Connect \
                    Core, 3.1.3.7): without it, the token may be a replay.
                    """,
                """
                The token belongs to another request than the one with this nonce: a session was \
                mixed up, or it is a replay.
                """)
        case "azp":
            explainString(
                "azp", [policy.authorizedParty].compactMap { $0 },
                "The token was issued to another client.")
        case "exp", "nbf", "iat": explainDate(name)
        default:
            guard let value = shown(name) else { return noteMissing(name) }
            note("\(printable(name)) is \(value)")
        }
    }

    private func note(_ text: String) { trace.note(.claims, text) }

    /// A value as JSON, at most 128 bytes; nil if the claim is absent.
    private func shown(_ name: String) -> String? {
        document.member(named: name).map { Trace.json(document, at: $0, atMost: 128) }
    }

    private func noteMissing(_ name: String) {
        var names: [String] = []
        document.forEachMember { (member, _) in
            if names.count < 24 {
                names.append(printable(document.string(at: member) ?? "", atMost: 40))
            }
        }
        let list = names.isEmpty ? "none" : names.joined(separator: ", ")
        note("\(printable(name)) is missing; the token has \(list)")
    }
}

// MARK: strings

extension ClaimDiagnosis {
    /// `expected` is empty if any string is accepted. `similar` is advice for a small difference.
    private func explainString(
        _ name: StaticString, _ expected: [String], missing: String? = nil,
        similar: String? = nil, _ advice: String
    ) {
        guard let node = document.member(name) else {
            noteMissing(name.description)
            if !expected.isEmpty { note("expected \(name) \(ClaimDiagnosis.oneOf(expected))") }
            return trace.advise(
                missing ?? "The sender must write \(name): it was requested or is required.")
        }
        guard let found = document.string(at: node) else { return explainType(name.description) }
        guard !expected.isEmpty else {
            return note("\(name) is \(Trace.quoted(found)) (\(found.utf8.count) bytes)")
        }
        note("\(name) is \(Trace.quoted(found)), expected \(ClaimDiagnosis.oneOf(expected))")
        let difference = expected.prefix(16).lazy.compactMap {
            ClaimDiagnosis.difference(found, $0)
        }.first
        if let difference { note("they differ only in \(difference)") }
        trace.advise(difference == nil ? advice : similar ?? advice)
    }

    private func explainAudience() {
        let expected = policy.audience.texts ?? []
        guard let node = document.member("aud") else {
            noteMissing("aud")
            return trace.advise(
                "The sender must write aud, the service that the token is for.")
        }
        note(
            "aud is \(Trace.json(document, at: node, atMost: 128)), "
                + "expected \(ClaimDiagnosis.oneOf(expected))")
        var texts: [String] = []
        switch document.kind(at: node) {
        case .string: document.string(at: node).map { texts.append($0) }
        case .array:
            document.forEachElement(of: node) { document.string(at: $0).map { texts.append($0) } }
        default:
            return trace.advise("aud must be a string or an array of strings (RFC 7519, 4.1.3).")
        }
        for text in texts.prefix(16) {
            for name in expected.prefix(16) {
                guard let difference = ClaimDiagnosis.difference(text, name) else { continue }
                note("\(Trace.quoted(text)) and \(Trace.quoted(name)) differ only in \(difference)")
                return trace.advise("An audience must be equal character by character.")
            }
        }
        trace.advise(
            """
            The token is for another audience. An ID Token names the client_id, an access token \
            the API, a Request Object and a client assertion what the provider's guide says.
            """)
    }

    private static func oneOf(_ texts: [String]) -> String {
        let more = texts.count > 4 ? " or one of \(texts.count - 4) others" : ""
        return texts.prefix(4).map(Trace.quoted).joined(separator: " or ") + more
    }

    private func explainType(_ name: String) {
        guard let value = shown(name) else { return noteMissing(name) }
        note("\(printable(name)) is \(kind(name)) \(value), expected a string")
        trace.advise("The sender must write \(printable(name)) as a string.")
    }

    private func kind(_ name: String) -> String {
        guard let node = document.member(named: name) else { return "absent" }
        return switch document.kind(at: node) {
        case .string: "the string"
        case .number: "the number"
        case .object: "the object"
        case .array: "the array"
        case .null: "the value"
        default: "the boolean"
        }
    }

    /// Names a difference in only case, white space, scheme or final slashes. Nil for equal values
    /// and for any other difference.
    static func difference(_ found: String, _ expected: String) -> String? {
        guard !found.isExactly(expected) else { return nil }
        func plain(_ text: String) -> [UInt8] {
            var bytes = text.lowercasedASCII.utf8.filter { $0 > 0x20 }
            while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
            for scheme in ["https://", "http://"] where bytes.starts(with: scheme.utf8) {
                bytes.removeFirst(scheme.utf8.count)
                break
            }
            return bytes
        }
        guard plain(found) == plain(expected), !plain(found).isEmpty else { return nil }
        func trimmed(_ text: String) -> [UInt8] { text.utf8.filter { $0 > 0x20 } }
        func slashless(_ text: String) -> [UInt8] {
            var bytes = Array(text.utf8)
            while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
            return bytes
        }
        if trimmed(found) == trimmed(expected) { return "white space" }
        if slashless(found) == slashless(expected) { return "a slash at the end" }
        if found.lowercasedASCII.isExactly(expected.lowercasedASCII) {
            return "upper and lower case"
        }
        let haveScheme = found.begins(with: "http") && expected.begins(with: "http")
        if haveScheme, found.begins(with: "http:") != expected.begins(with: "http:") {
            return "http and https, or a slash at the end"
        }
        return "case, white space, the scheme or a slash at the end"
    }
}

// MARK: dates

extension ClaimDiagnosis {
    private func explainDate(_ name: String) {
        guard let node = document.member(named: name) else {
            noteMissing(name)
            return trace.advise("The sender must write \(name), in seconds since 1970.")
        }
        guard document.kind(at: node) == .number else {
            note(
                "\(name) is \(kind(name)) \(Trace.json(document, at: node, atMost: 128)), "
                    + "expected a JSON number"
            )
            return trace.advise(
                "The sender must write \(name) as a number of seconds since 1970, without "
                    + "quotation marks (RFC 7519, 2)."
            )
        }
        guard let date = document.date(at: node) else {
            let parts = JSON.fixedPoint(document.nodes[node], in: document.bytes.span)
            return explainNotADate(name, node, parts?.whole)
        }
        explain(name, date)
    }

    private func explainNotADate(_ name: String, _ node: Int, _ whole: Int64?) {
        let text = Trace.json(document, at: node, atMost: 64)
        let scales: [(String, Double)] = [
            ("milliseconds", 1e3), ("microseconds", 1e6), ("nanoseconds", 1e9),
        ]
        let value =
            whole.map(Double.init) ?? JSON.double(document.nodes[node], in: document.bytes.span)
        for (unit, scale) in scales {
            guard let value, value > 0, value / scale <= Double(NumericDate.latest.seconds),
                let date = NumericDate(exactly: Int64(value / scale))
            else { continue }
            note("\(name) is \(text): that is \(date.utc) in \(unit), not a date in seconds")
            return trace.advise(
                "The sender must write \(name) in seconds since 1970, not in \(unit) (RFC 7519, 2)."
            )
        }
        note("\(name) is \(text), which is not a date from 1970 to 9999 in seconds")
        trace.advise("The sender must write \(name) in seconds since 1970 (RFC 7519, 2).")
    }

    private func explain(_ name: String, _ date: NumericDate) {
        let now = check.now
        let distance = now.seconds - date.seconds
        let span = NumericDate.durationText(distance.magnitude)
        let facts = "\(name) \(date.utc), now \(now.utc), leeway \(policy.leewaySeconds) s"
        let isExpiry = name.isExactly("exp")
        if isExpiry, date.seconds < 315_360_000 {
            note("exp is \(date.seconds) seconds: a lifetime as in expires_in, not a date")
            return trace.advise(
                "The sender must write exp as the date of expiry: iat plus the lifetime.")
        }
        if isExpiry, now >= date.later(bySeconds: policy.leewaySeconds) {
            note("expired \(span) ago (\(facts))")
            return trace.advise(
                distance <= 600
                    ? """
                    The token has just expired: compare the clocks of both machines, or fetch a \
                    new token. The leeway may be up to 300 s.
                    """
                    : "Fetch a new token: this one has expired. If it is new, compare the clocks "
                        + "of both machines."
            )
        }
        if !isExpiry, date > now.later(bySeconds: policy.leewaySeconds) {
            note(
                name.isExactly("nbf")
                    ? "not valid for another \(span) (\(facts))"
                    : "issued \(span) in the future (\(facts))")
            return trace.advise(
                """
                The sender's clock is ahead of ours by more than the leeway, which may be up to \
                300 s: compare the clocks of both machines\
                \(name.isExactly("nbf") ? ". Or the token is for later" : "").
                """)
        }
        explainLifetime(name, date)
    }

    private func explainLifetime(_ name: String, _ date: NumericDate) {
        guard let issued = self.date("iat") else { return note("\(name) is \(date.utc)") }
        let expiry = self.date("exp") ?? date
        let lifetime = expiry.seconds - issued.seconds
        let span = NumericDate.durationText(lifetime.magnitude)
        guard lifetime >= 0 else {
            note("exp \(expiry.utc) is \(span) before iat \(issued.utc)")
            return trace.advise("The sender must write exp as a date after iat.")
        }
        let max = policy.maxLifetimeSeconds.map {
            ", at most \(NumericDate.durationText(UInt64($0.magnitude))) is allowed"
        }
        note("the token's lifetime is \(span), from iat to exp\(max ?? "")")
        trace.advise(
            """
            The sender must issue tokens with a shorter lifetime, or the policy must allow this \
            lifetime.
            """)
    }

    private func date(_ name: String) -> NumericDate? {
        document.member(named: name).flatMap { document.date(at: $0) }
    }
}

// MARK: the claims and what the policy expects

extension ClaimDiagnosis {
    /// Lists the claims of `names` that are present, expected or required.
    func facts() -> [TokenExplanation.Claim] {
        ClaimDiagnosis.names.compactMap { name in
            let value = document.member(named: name).map {
                Trace.json(document, at: $0, atMost: 200)
            }
            let expected = expected(name)
            guard
                value != nil || expected != nil
                    || policy.requiredClaims.contains(where: name.isExactly)
            else { return nil }
            return TokenExplanation.Claim(
                name: name, value: value,
                remark: expected.map { "expected: \(printable($0, atMost: 200))" }
                    ?? dateText(name))
        }
    }

    private static let names = [
        "iss", "sub", "aud", "azp", "exp", "nbf", "iat", "auth_time", "nonce", "jti", "acr",
        "at_hash", "c_hash",
    ]

    private func expected(_ name: String) -> String? {
        switch name {
        case "iss": policy.issuer.texts.map { $0.joined(separator: " or ") }
        case "aud": policy.audience.texts.map { $0.joined(separator: " or ") }
        case "nonce": expectation.nonce
        case "sub": expectation.subject
        case "azp": policy.authorizedParty
        default: nil
        }
    }

    /// A date in UTC, and its distance from now.
    private func dateText(_ name: String) -> String? {
        guard ["exp", "nbf", "iat", "auth_time"].contains(where: name.isExactly) else { return nil }
        return date(name).map { date in
            let distance = date.seconds - check.now.seconds
            let span = NumericDate.durationText(distance.magnitude)
            return "\(date.utc), \(distance < 0 ? "\(span) ago" : "in \(span)")"
        }
    }
}
