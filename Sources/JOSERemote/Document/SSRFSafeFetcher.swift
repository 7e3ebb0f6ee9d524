// Documents at addresses that others name: fetched once, within limits, from the public Internet alone.

public import JOSE
import JOSEBytes
import Synchronization

/// Fetches discovery documents and request objects.
///
/// `https` alone, no redirect, no proxy, TLS 1.2 or newer, status 200 alone, within time and size. It is the address that
/// the connection goes to which is judged, not one that the name led to at another time: a public name that leads to this
/// machine, to the network around it or to a cloud's metadata is rejected before a byte is sent.
public struct SSRFSafeFetcher: Sendable {
    private let transport: CurlTransport
    private let addressPolicy: AddressPolicy
    private let time: Duration
    private let limits: JOSELimits
    /// How many documents may be fetched at a time by all that share the transport; at least 1.
    /// Others choose how many are asked for, and each takes a connection until its server answers
    /// or its time ends.
    public var maxRequests = 128
    /// How many of them from one host; at least 1.
    public var maxRequestsPerHost = 16

    /// A fetch.
    ///
    /// - Parameters:
    ///   - transport: What sends; one may serve any number of sets and fetches.
    ///   - reach: Where it may connect to; `anyAddress` where documents lie in a network of one's own.
    ///   - requestTime: The time of one request, from the call to the last byte; kept within 100 milliseconds and 60 seconds.
    ///   - limits: `tokenBytes` is the most that is read of a document.
    public init(
        transport: CurlTransport, addressPolicy: AddressPolicy = .publicAddresses,
        requestTime: Duration = .seconds(5), limits: JOSELimits = .standard
    ) {
        self.transport = transport
        self.addressPolicy = addressPolicy
        time = min(max(requestTime, .milliseconds(100)), .seconds(60))
        self.limits = limits
    }

    /// The discovery document of a provider.
    ///
    /// - Parameter url: Such as `ProviderMetadata.discoveryURL(issuer:)`.
    /// - Throws: `malformed` for another URL than `https`, a host such as `127.1`, `0x7f000001` or
    ///   `example.com.`, another status than 200 or a text that is no UTF-8,
    ///   `unsupported` for an address beyond the reach, `untrustedKey` where TLS fails, `limitExceeded` for one that is too large,
    ///   `unavailable` where the server does not answer in time or says 429 or 5xx, and beyond
    ///   `maxRequests` or `maxRequestsPerHost`, at once; `internal`.
    public func discoveryDocument(at url: String) async throws(JOSEError) -> String {
        try await text(url, "application/json")
    }

    /// The request object at a `request_uri`; its fit for the provider's `fetch` closure.
    ///
    /// - Parameter url: The address; which ones are asked at all is the client's registration.
    /// - Throws: As for a discovery document.
    public func requestObject(at url: String) async throws(JOSEError) -> String {
        try await text(url, "application/oauth-authz-req+jwt, application/jwt")
    }

    private func text(_ url: String, _ mediaTypes: String) async throws(JOSEError) -> String {
        guard RemoteURL.isAllowed(url) else {
            throw .malformed(.message, "the address is no https address without user and fragment")
        }
        guard let host = RemoteURL.host(of: url) else {
            throw .malformed(
                .message,
                "the host is neither a name without a dot at its end nor an IP address in full")
        }
        let request = JWKSetRequest(
            url: url, mediaTypes: mediaTypes, timeLimit: time, bodyLimitBytes: limits.tokenBytes,
            addressPolicy: addressPolicy)
        try begin(host)
        let response: JWKSetResponse
        do throws(JWKSetTransportError) {
            response = try await fetched(request, host).get()
        } catch {
            throw SSRFSafeFetcher.error(error)
        }
        guard response.status == 200 else {
            throw SSRFSafeFetcher.error(status: response.status)
        }
        guard let text = String(validating: response.body, as: UTF8.self) else {
            throw .malformed(.message, "the document is no UTF-8")
        }
        return text
    }

    /// Throws `unavailable` where as many are under way as may be.
    private func begin(_ host: String) throws(JOSEError) {
        let bound = transport.ssrfSafeFetches.take(
            host, atMost: max(maxRequests, 1), fromHost: max(maxRequestsPerHost, 1))
        switch bound {
        case .all:
            throw .unavailable(
                .message, "too many documents are being fetched (maxRequests)")
        case .host:
            throw .unavailable(
                .message,
                "too many documents are being fetched from this host (maxRequestsPerHost)")
        case nil: break
        }
    }

    /// The transport's answer, or the end of the time: a resolver that hangs must not hang the caller.
    private func fetched(
        _ request: JWKSetRequest, _ host: String
    ) async -> Result<JWKSetResponse, JWKSetTransportError> {
        await withCheckedContinuation { continuation in
            let first = FirstResponse(continuation)
            let deadline = Task.detached { [time] in
                do { try await Task.sleep(for: time + .seconds(1)) } catch { return }
                first.give(.failure(.timeLimit))
            }
            Task.detached { [transport] in
                let response: FirstResponse.Response
                do throws(JWKSetTransportError) {
                    response = .success(try await transport.fetch(request))
                } catch {
                    response = .failure(error)
                }
                // Only now: a resolver that hangs takes its place for as long as it hangs.
                transport.ssrfSafeFetches.giveBack(host)
                first.give(response)
                deadline.cancel()
            }
        }
    }

    /// What a status other than 200 means: the error holds fixed words alone, so there is one sentence for each kind.
    private static func error(status: Int) -> JOSEError {
        switch status {
        case 429: .unavailable(.message, "the server has had too many requests (status 429)")
        case 500...599: .unavailable(.message, "the server has failed (status 500 to 599)")
        case 404, 410: .malformed(.message, "the server has no document there (status 404 or 410)")
        case 401, 403: .malformed(.message, "the server rejects us (status 401 or 403)")
        case 300...399:
            .malformed(.message, "the server leads elsewhere (status 300 to 399): none is followed")
        default: .malformed(.message, "the server answered with another status than 200")
        }
    }

    private static func error(_ failure: JWKSetTransportError) -> JOSEError {
        switch failure {
        case .forbiddenAddress:
            .unsupported(.message, "the address is not one that may be reached")
        case .untrusted:
            .untrustedKey("TLS failed: the certificate, its name, its authority, or the CA file")
        case .sizeLimit: .limitExceeded(.message, "the document is too large")
        case .broken: .malformed(.message, "the server broke HTTP or the connection")
        case .internal: .internalFailure
        default: .unavailable(.message, "the server does not answer")
        }
    }
}

/// Wakes its caller once, with the answer that comes first.
private final class FirstResponse: Sendable {
    typealias Response = Result<JWKSetResponse, JWKSetTransportError>
    private let waiting: Lock<CheckedContinuation<Response, Never>?>

    init(_ continuation: CheckedContinuation<Response, Never>) { waiting = Lock(continuation) }

    func give(_ response: Response) {
        let continuation = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(returning: response)
    }
}
