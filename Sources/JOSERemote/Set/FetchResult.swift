// From a server's answer to what it means for the set.

import JOSE
import JOSEBytes

/// How one request ended.
struct FetchResult: Sendable {
    let outcome: RefreshMachine.Outcome
    let kind: RemoteJWKSetEvent.Kind
    let failure: String?
    let status: Int?

    private init(
        _ outcome: RefreshMachine.Outcome, _ kind: RemoteJWKSetEvent.Kind, failure: String?,
        status: Int?
    ) {
        self.outcome = outcome
        self.kind = kind
        self.failure = failure
        self.status = status
    }

    init(failure: String, status: Int? = nil) {
        self.init(.failed, .failed, failure: failure, status: status)
    }

    /// Judges an answer: 200 with a set, or 304 to a request that named a tag; all else is a failure.
    ///
    /// A body with the text of the set that we have keeps that set, and with it the keys that are prepared.
    init(
        _ response: JWKSetResponse, to request: JWKSetRequest, after held: PublicJWKSet?,
        _ settings: RemoteJWKSetSettings, at now: NumericDate
    ) {
        let status = response.status
        do throws(Rejection) {
            let outcome = try FetchResult.judge(response, request, held, settings, now)
            var kind = RemoteJWKSetEvent.Kind.unchanged
            if case .fetched(let keys, _, _, _) = outcome, keys.storage !== held?.storage {
                kind = .replaced
            }
            self.init(outcome, kind, failure: nil, status: status)
        } catch {
            self.init(failure: error.failure, status: status)
        }
    }

    private struct Rejection: Error {
        let failure: String
    }

    private static func judge(
        _ response: JWKSetResponse, _ request: JWKSetRequest, _ held: PublicJWKSet?,
        _ settings: RemoteJWKSetSettings, _ now: NumericDate
    ) throws(Rejection) -> RefreshMachine.Outcome {
        let freshness = CacheControl.freshness(response.cacheControl, age: response.age)
        if response.status == 304, let tag = request.entityTag, let held {
            return try accepted(tag, freshness, now) { () throws(JOSEError) in
                try held.withCertificateRule(settings.certificates, at: now)
            }
        }
        guard response.status == 200 else { throw Rejection(failure: "status") }
        // Transports of others may not keep the limit.
        guard response.body.count <= request.bodyLimitBytes else {
            throw Rejection(failure: JWKSetTransportError.sizeLimit.description)
        }
        let tag = response.entityTag.flatMap { isSafe($0) ? $0 : nil }
        return try accepted(tag, freshness, now) { () throws(JOSEError) in
            if let held, held.storage.isRead(from: response.body.span) {
                return try held.withCertificateRule(settings.certificates, at: now)
            }
            return try PublicJWKSet(
                json: response.body, limits: settings.limits, certificates: settings.certificates,
                at: now
            ).withAcceleration(settings.acceleration)
        }
    }

    private static func accepted(
        _ tag: String?, _ freshness: Duration?, _ now: NumericDate,
        _ make: () throws(JOSEError) -> PublicJWKSet
    ) throws(Rejection) -> RefreshMachine.Outcome {
        do {
            let keys = try make()
            // A chain holds through its last second.
            let end = keys.trust?.validUntil.map { Duration.seconds($0.seconds + 1 - now.seconds) }
            return .fetched(keys, entityTag: tag, freshness: freshness, validFor: end)
        } catch {
            throw Rejection(failure: error.code.name)
        }
    }

    /// Whether a tag may be sent back: RFC 9110 8.8.3, printable ASCII in quotes, not long.
    private static func isSafe(_ tag: String) -> Bool {
        let body = tag.removingPrefix("W/") ?? tag
        return tag.utf8.count <= 256 && body.utf8.count >= 2 && body.begins(with: "\"")
            && body.ends(with: "\"")
            && body.utf8.dropFirst().dropLast().allSatisfy {
                0x21...0x7e ~= $0 && $0 != UInt8(ascii: "\"")
            }
    }
}
