// HTTPS through libcurl. Each transport has a thread that waits for the network.

internal import CJOSERemote
public import JOSE

/// Fetches with libcurl. Allows only `https` (`http` too with `AddressPolicy.loopbackAddresses`),
/// with TLS 1.2 or newer. Uses no redirects, proxies, netrc or cookies.
///
/// A transport has one thread, which ends with it; share one transport among all sets. A child of
/// `fork` must `exec` before it uses a transport. `@unchecked Sendable`: the C pointer is set once,
/// and the functions of cjoseremote.h may be called from any thread.
@safe
public final class CurlTransport: JWKSetTransport, @unchecked Sendable {
    private let client: OpaquePointer
    /// The documents that all `SSRFSafeFetcher`s with this transport are fetching.
    let ssrfSafeFetches = FetchSlots()
    /// The requests of `send(_:)` in progress. Key sets are not counted: each has one at a time.
    private let sends = FetchSlots()
    private let maxRequests: Int
    private let maxRequestsPerHost: Int

    private static let headerLimitBytes = 32_768

    /// Creates a transport and starts its thread.
    ///
    /// - Parameters:
    ///   - certificateAuthorities: The path of a PEM file with the only CAs to trust; nil trusts
    ///     the system's. The file is read at each request, which fails as `untrusted` if the file
    ///     cannot be read.
    ///   - maxRequests: The maximum number of concurrent requests of `send(_:)`; at least 1.
    ///   - maxRequestsPerHost: The maximum number of these requests to one host, at least 1, so
    ///     that a silent host does not block the others.
    /// - Throws: `internal` if the thread cannot be started.
    public init(
        certificateAuthorities: String? = nil, maxRequests: Int = 256,
        maxRequestsPerHost: Int = 128
    ) throws(JOSEError) {
        self.maxRequests = max(maxRequests, 1)
        self.maxRequestsPerHost = max(maxRequestsPerHost, 1)
        keepCryptographyAtExit()
        let opened =
            if let certificateAuthorities {
                // Safe: C copies the text.
                unsafe certificateAuthorities.withCString { unsafe jose_client_open($0) }
            } else {
                unsafe jose_client_open(nil)
            }
        guard let opened = unsafe opened else { throw .internalFailure }
        unsafe client = opened
    }

    // Safe: pending requests keep the transport alive, so this is the last use of the client.
    deinit { unsafe jose_client_close(client) }

    /// Sends one GET request; see `JWKSetTransport`.
    ///
    /// - Throws: The reason why there is no response; `internal` also for a malformed request.
    public func fetch(
        _ request: JWKSetRequest
    ) async throws(JWKSetTransportError) -> JWKSetResponse {
        let request = HTTPSRequest(request)
        guard request.isWellFormed else { throw .internal }
        let response = try await exchange(request)
        return JWKSetResponse(
            status: response.status, body: response.body, entityTag: response.header("etag"),
            cacheControl: response.header("cache-control"), age: response.header("age"))
    }

    /// Sends a request with headers and perhaps a body, such as a `TokenRequest` of JOSEOpenID.
    /// Each request has its own connection and is never repeated.
    ///
    /// - Returns: The response, with any HTTP status.
    /// - Throws: The reason why there is no response; `internal` also for a malformed request,
    ///   `tooManyRequests` at once if `maxRequests` or `maxRequestsPerHost` are in progress.
    public func send(
        _ request: HTTPSRequest
    ) async throws(JWKSetTransportError) -> HTTPSResponse {
        guard request.isWellFormed else { throw .internal }
        let host = RemoteURL.host(of: request.url) ?? ""
        guard sends.take(host, max: maxRequests, maxPerHost: maxRequestsPerHost) == nil else {
            throw .tooManyRequests
        }
        defer { sends.giveBack(host) }
        return try await exchange(request)
    }

    private func exchange(
        _ request: HTTPSRequest
    ) async throws(JWKSetTransportError) -> HTTPSResponse {
        try await withCheckedContinuation { continuation in
            start(request, Pending(self, continuation))
        }.get()
    }

    private func start(_ request: HTTPSRequest, _ pending: Pending) {
        let lines = request.headers.map { "\($0.name): \($0.value)" }
        let context = unsafe Unmanaged.passRetained(pending)
        // Safe: `jose_client_fetch` copies the strings and the body. It calls back once if it
        // returns JOSE_FETCH_OK, otherwise never.
        let status = unsafe withCStrings(lines[...], []) { lines in
            unsafe withOptionalBytes(request.body) { body in
                unsafe request.url.withCString { url in
                    var wanted = unsafe jose_fetch_request(
                        url: url, lines: lines.baseAddress, line_count: lines.count,
                        body: body?.baseAddress, body_len: body?.count ?? 0,
                        time_limit_ms: Int(request.timeLimit / .milliseconds(1)),
                        body_limit: request.bodyLimitBytes,
                        header_limit: CurlTransport.headerLimitBytes,
                        addresses: request.addressPolicy.rule)
                    return unsafe jose_client_fetch(
                        client, &wanted,
                        { context, response in
                            guard let context = unsafe context, let response = unsafe response
                            else {
                                return
                            }
                            unsafe Unmanaged<Pending>.fromOpaque(context).takeRetainedValue()
                                .end(response.pointee)
                        }, context.toOpaque())
                }
            }
        }
        guard status != .JOSE_FETCH_OK else { return }
        unsafe context.release()
        pending.continuation.resume(returning: .failure(.internal))
    }

    private func withOptionalBytes<Result>(
        _ text: String?, _ body: (UnsafeBufferPointer<UInt8>?) -> Result
    ) -> Result {
        guard let text else { return body(nil) }
        // The zero byte gives an empty body a pointer: without a pointer, C would send a GET.
        let bytes = Array(text.utf8) + [0]
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe body(UnsafeBufferPointer(rebasing: bytes.dropLast()))
        }
    }

    private func withCStrings<Result>(
        _ texts: ArraySlice<String>, _ pointers: [UnsafePointer<CChar>?],
        _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        guard let first = texts.first else {
            return unsafe pointers.withUnsafeBufferPointer { unsafe body($0) }
        }
        return unsafe first.withCString {
            unsafe withCStrings(texts.dropFirst(), pointers + [$0], body)
        }
    }
}

/// A pending request: its waiting caller, and its transport, which must outlive it.
private final class Pending {
    let transport: CurlTransport
    let continuation: CheckedContinuation<Result<HTTPSResponse, JWKSetTransportError>, Never>

    init(
        _ transport: CurlTransport,
        _ continuation: CheckedContinuation<Result<HTTPSResponse, JWKSetTransportError>, Never>
    ) {
        self.transport = transport
        self.continuation = continuation
    }

    func end(_ response: jose_fetch_response) {
        let result: Result<HTTPSResponse, JWKSetTransportError>
        switch unsafe response.status {
        case .JOSE_FETCH_OK:
            // Safe: both buffers live until this call returns.
            let lines = unsafe [UInt8](
                UnsafeBufferPointer(start: response.header, count: response.header_len))
            let body = unsafe [UInt8](
                UnsafeBufferPointer(start: response.body, count: response.body_len))
            result = .success(
                HTTPSResponse(
                    status: unsafe response.http_status, body: body,
                    fields: ResponseHeader(lines.span)))
        case .JOSE_FETCH_UNREACHABLE: result = .failure(.unreachable)
        case .JOSE_FETCH_UNTRUSTED: result = .failure(.untrusted)
        case .JOSE_FETCH_TIMED_OUT: result = .failure(.timeLimit)
        case .JOSE_FETCH_TOO_LARGE: result = .failure(.sizeLimit)
        case .JOSE_FETCH_BROKEN: result = .failure(.broken)
        case .JOSE_FETCH_INTERNAL: result = .failure(.internal)
        case .JOSE_FETCH_FORBIDDEN: result = .failure(.forbiddenAddress)
        }
        continuation.resume(returning: result)
    }
}
