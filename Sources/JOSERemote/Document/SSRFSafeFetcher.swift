// Fetches documents at URLs that other parties choose.

public import JOSE
import JOSEBytes
import Synchronization

/// Fetches discovery documents and request objects at URLs that other parties choose.
///
/// A fetch uses `https` with TLS 1.2 or newer, or `http` with `loopbackAddresses`. It uses no
/// proxy, follows no redirects, accepts only status 200, and has time and size limits. The IP
/// address is checked just before the connection. By default, a public name that resolves to this
/// machine, its network or a cloud's metadata service is rejected before a byte is sent.
public struct SSRFSafeFetcher: Sendable {
    private let transport: CurlTransport
    private let addressPolicy: AddressPolicy
    private let time: Duration
    private let limits: JOSELimits
    /// The maximum number of concurrent fetches of all fetchers with this transport; at least 1.
    /// Each occupies a connection for up to `requestTime`.
    public var maxRequests = 128
    /// The maximum number of concurrent fetches from one host; at least 1.
    public var maxRequestsPerHost = 16

    /// Creates a fetcher.
    ///
    /// - Parameters:
    ///   - transport: The transport, shared by any number of sets and fetchers.
    ///   - addressPolicy: The allowed IP addresses; `anyAddress` for documents in your own network,
    ///     `loopbackAddresses` for `http` on this machine.
    ///   - requestTime: The maximum time from the call to the last byte, clamped to 100
    ///     milliseconds to 60 seconds.
    ///   - limits: `tokenBytes` is the maximum size of a document.
    public init(
        transport: CurlTransport, addressPolicy: AddressPolicy = .publicAddresses,
        requestTime: Duration = .seconds(5), limits: JOSELimits = .standard
    ) {
        self.transport = transport
        self.addressPolicy = addressPolicy
        time = min(max(requestTime, .milliseconds(100)), .seconds(60))
        self.limits = limits
    }

    /// Fetches the discovery document of a provider.
    ///
    /// - Parameter url: The URL, such as `ProviderMetadata.discoveryURL(issuer:)`.
    /// - Throws:
    ///   - `malformed`: the URL is not allowed, its host is `127.1`, `0x7f000001`, `example.com.`
    ///     or similar, or the response is cut off, not HTTP, not UTF-8, or not of status 200
    ///   - `unsupported`: the address policy allows no address of the host
    ///   - `untrustedKey`: TLS failed
    ///   - `limitExceeded`: the document is too large
    ///   - `unavailable`: no timely response, status 429 or 5xx, or more concurrent fetches than
    ///     `maxRequests` or `maxRequestsPerHost`
    ///   - `internal`: memory, a thread or libcurl failed
    public func discoveryDocument(at url: String) async throws(JOSEError) -> String {
        try await text(url, "application/json")
    }

    /// Fetches the request object at a `request_uri`, for the `fetch` closure of `OpenIDProvider`.
    ///
    /// - Parameter url: The URL. The provider has checked that the client registered it.
    /// - Throws: As `discoveryDocument(at:)`.
    public func requestObject(at url: String) async throws(JOSEError) -> String {
        try await text(url, "application/oauth-authz-req+jwt, application/jwt")
    }

    private func text(_ url: String, _ mediaTypes: String) async throws(JOSEError) -> String {
        guard RemoteURL.isAllowed(url, addressPolicy) else {
            throw .malformed(
                .message, "the URL is not an absolute https URL without user and fragment")
        }
        guard let host = RemoteURL.host(of: url) else {
            throw .malformed(
                .message,
                "the host is neither a name without a trailing dot nor a complete IP address")
        }
        let request = JWKSetRequest(
            url: url, mediaTypes: mediaTypes, timeLimit: time, bodyLimitBytes: limits.tokenBytes,
            addressPolicy: addressPolicy)
        try takeSlot(host)
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
            throw .malformed(.message, "the document is not UTF-8")
        }
        return text
    }

    private func takeSlot(_ host: String) throws(JOSEError) {
        let bound = transport.ssrfSafeFetches.take(
            host, max: max(maxRequests, 1), maxPerHost: max(maxRequestsPerHost, 1))
        switch bound {
        case .all:
            throw .unavailable(
                .message, "too many documents are being fetched (SSRFSafeFetcher.maxRequests)")
        case .host:
            throw .unavailable(
                .message,
                "too many documents are being fetched from this host (maxRequestsPerHost)")
        case nil: break
        }
    }

    /// The transport's response, or `timeLimit` one second after the limit if a resolver hangs.
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
                // Not freed at the deadline: a hanging resolver occupies its slot until it returns.
                transport.ssrfSafeFetches.giveBack(host)
                first.give(response)
                deadline.cancel()
            }
        }
    }

    /// Messages are static, so there is one for each kind of status.
    private static func error(status: Int) -> JOSEError {
        switch status {
        case 429: .unavailable(.message, "the server received too many requests (status 429)")
        case 500...599: .unavailable(.message, "the server failed (status 500 to 599)")
        case 404, 410: .malformed(.message, "the server has no document there (status 404 or 410)")
        case 401, 403: .malformed(.message, "the server denied access (status 401 or 403)")
        case 300...399:
            .malformed(
                .message, "the server redirects (status 300 to 399): redirects are not followed")
        default: .malformed(.message, "the server responded with another status than 200")
        }
    }

    private static func error(_ failure: JWKSetTransportError) -> JOSEError {
        switch failure {
        case .forbiddenAddress:
            .unsupported(.message, "the address policy allows no address of the host")
        case .untrusted:
            .untrustedKey("TLS failed: check the certificate, its name, its CA and the CA file")
        case .sizeLimit: .limitExceeded(.message, "the document is too large")
        case .broken:
            .malformed(.message, "the response is not valid HTTP, or the connection broke")
        case .internal: .internalFailure
        default: .unavailable(.message, "the server does not respond")
        }
    }
}

/// Resumes its caller once, with the first response.
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
