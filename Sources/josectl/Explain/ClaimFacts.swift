// The claims of a token whose layers were accepted, beside what was wanted of them.

import JOSE
import JOSEBytes

/// A claim as it is and as it should be, in words.
struct ClaimFact {
    let name: String
    /// The value, as JSON; nil where the claim is absent.
    let value: String?
    /// What the policy wants, or what a date means.
    let remark: String?

    /// The claims that have rules.
    static func of(_ claims: JSONDocument, _ job: OpenJob) -> [ClaimFact] {
        names.compactMap { name in
            let value = claims.member(named: name).map {
                String(decoding: printable(json: claims.json(at: $0), atMost: 200), as: UTF8.self)
            }
            let wish = job.wish(name)
            guard value != nil || wish != nil || job.policy.requiredClaims.contains(name) else {
                return nil
            }
            return ClaimFact(
                name: name, value: value,
                remark: wish.map { "wanted: \(printable($0, atMost: 200))" }
                    ?? date(name, claims, job.now ?? .now))
        }
    }

    private static let names = [
        "iss", "sub", "aud", "azp", "exp", "nbf", "iat", "auth_time", "nonce", "jti", "acr",
        "at_hash", "c_hash",
    ]

    /// A date for people, and how far it is.
    private static func date(_ name: String, _ claims: JSONDocument, _ now: NumericDate) -> String?
    {
        guard ["exp", "nbf", "iat", "auth_time"].contains(name),
            let node = claims.member(named: name), claims.kind(at: node) == .number,
            let parts = JSON.fixedPoint(claims.nodes[node], in: claims.bytes.span),
            let date = NumericDate(exactly: parts.whole)
        else { return nil }
        let distance = date.seconds - now.seconds
        let span = duration(distance.magnitude)
        let relation = distance < 0 ? "\(span) ago" : "in \(span)"
        return "\(Timestamp.write(date)), \(relation)"
    }
}

/// A length of time in its largest unit.
private func duration(_ seconds: UInt64) -> String {
    switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7_200: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3_600) h"
    default: "\(seconds / 86_400) days"
    }
}

extension OpenJob {
    /// What this job wants of a claim; nil where it wants nothing particular.
    fileprivate func wish(_ name: String) -> String? {
        switch name {
        case "iss": policy.issuer.text
        case "aud": policy.audience.texts?.first
        case "nonce": expectation.nonce
        case "sub": expectation.subject
        case "azp": policy.authorizedParty
        default: nil
        }
    }

    /// The claims, once decryption and signature were accepted, whatever they say.
    nonisolated(nonsending) func claims(
        _ token: String, _ held: HeldKeys?
    ) async -> JSONDocument? {
        try? await asking(held) { try openedClaims(token) }
    }

    private func openedClaims(_ token: String) throws -> JSONDocument? {
        var inner = Array(token.utf8)
        if layers != .signed {
            guard let opened = try decryption?.run(token) else { return nil }
            inner = opened.unauthenticatedPlaintext
        }
        if layers != .encrypted {
            let token = String(decoding: inner, as: UTF8.self)
            guard let verified = try verification?.run(token) else { return nil }
            inner = verified.payload
        }
        return try JSONDocument(inner, maximumDepth: limits.jsonDepth)
    }
}
