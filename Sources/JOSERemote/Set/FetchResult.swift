// Turns a response or a failure into an outcome for `RefreshMachine` and an event.

import JOSE
import JOSEBytes

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

    /// Accepts status 200 with a set, or 304 to a request with an ETag. Anything else is a failure.
    /// If the body equals the text of the cached set, that set and its prepared keys are kept.
    init(
        _ response: JWKSetResponse, to request: JWKSetRequest, after cached: PublicJWKSet?,
        _ settings: RemoteJWKSetSettings, at now: NumericDate
    ) {
        let status = response.status
        do throws(Rejection) {
            let outcome = try FetchResult.outcome(response, request, cached, settings, now)
            var kind = RemoteJWKSetEvent.Kind.unchanged
            if case .fetched(let keys, _, _, _) = outcome, keys.storage !== cached?.storage {
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

    private static func outcome(
        _ response: JWKSetResponse, _ request: JWKSetRequest, _ cached: PublicJWKSet?,
        _ settings: RemoteJWKSetSettings, _ now: NumericDate
    ) throws(Rejection) -> RefreshMachine.Outcome {
        let freshness = CacheControl.freshness(response.cacheControl, age: response.age)
        if response.status == 304, let tag = request.entityTag, let cached {
            return try accepted(tag, freshness, now) { () throws(JOSEError) in
                try cached.withCertificateRule(settings.certificates, at: now)
            }
        }
        guard response.status == 200 else { throw Rejection(failure: "status") }
        // A transport other than `CurlTransport` may not enforce the limit.
        guard response.body.count <= request.bodyLimitBytes else {
            throw Rejection(failure: JWKSetTransportError.sizeLimit.description)
        }
        let tag = response.entityTag.flatMap { isSafe($0) ? $0 : nil }
        return try accepted(tag, freshness, now) { () throws(JOSEError) in
            if let cached, cached.storage.isRead(from: response.body.span) {
                return try cached.withCertificateRule(settings.certificates, at: now)
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
            // A chain is valid through its last second.
            let end = keys.trust?.validUntil.map { Duration.seconds($0.seconds + 1 - now.seconds) }
            return .fetched(keys, entityTag: tag, freshness: freshness, validFor: end)
        } catch {
            throw Rejection(failure: error.code.name)
        }
    }

    /// Whether an ETag may be sent back: quoted ASCII (RFC 9110, 8.8.3), at most 256 bytes.
    private static func isSafe(_ tag: String) -> Bool {
        let body = tag.removingPrefix("W/") ?? tag
        return tag.utf8.count <= 256 && body.utf8.count >= 2 && body.begins(with: "\"")
            && body.ends(with: "\"")
            && body.utf8.dropFirst().dropLast().allSatisfy {
                0x21...0x7e ~= $0 && $0 != UInt8(ascii: "\"")
            }
    }
}
