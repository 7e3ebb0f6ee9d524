// HTTPS by libcurl. Its own thread waits for the network.

internal import CJOSERemote
public import JOSE

/// Fetches by libcurl: only `https` (`http` with `AddressPolicy.loopbackAddresses`), TLS 1.2 or newer, without redirects, proxies, netrc and
/// cookies.
///
/// A transport has one thread, which ends with it; share one transport among all sets. After
/// `fork`, make a new one in the child. `@unchecked Sendable`: the C pointer is set once, and its
/// header allows use from any thread.
@safe
public final class CurlTransport: JWKSetTransport, @unchecked Sendable {
    private let client: OpaquePointer
    /// The documents that all `SSRFSafeFetcher`s with this transport are fetching.
    let ssrfSafeFetches = FetchSlots()

    private static let headerLimitBytes = 32_768

    /// Creates a transport and starts its thread.
    ///
    /// - Parameter certificateAuthorities: The path of a PEM file with the only CAs to trust; nil
    ///   trusts the system's. It is read at each request. Requests fail as `untrusted` if it cannot
    ///   be read.
    /// - Throws: `internal` if the thread cannot be started.
    public init(certificateAuthorities: String? = nil) throws(JOSEError) {
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

    // Safe: pending requests keep the transport alive, so this is the last use.
    deinit { unsafe jose_client_close(client) }

    /// Sends one GET request; see `JWKSetTransport`.
    ///
    /// - Throws: The reason why there is no response; `internal` also for a malformed request.
    public func fetch(
        _ request: JWKSetRequest
    ) async throws(JWKSetTransportError) -> JWKSetResponse {
        guard request.isWellFormed else { throw .internal }
        let milliseconds = request.timeLimit / .milliseconds(1)
        return try await withCheckedContinuation { continuation in
            start(request, Int(milliseconds), Pending(self, continuation))
        }.get()
    }

    private func start(_ request: JWKSetRequest, _ milliseconds: Int, _ pending: Pending) {
        let context = unsafe Unmanaged.passRetained(pending)
        // Safe: C copies the strings, and takes the context once if and only if it returns
        // JOSE_FETCH_OK.
        let status = unsafe request.url.withCString { url in
            unsafe withOptionalCString(request.entityTag) { tag in
                unsafe request.mediaTypes.withCString { types in
                    var wanted = unsafe jose_fetch_request(
                        url: url, etag: tag, accept: types, time_limit_ms: milliseconds,
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

    private func withOptionalCString<Result>(
        _ text: String?, _ body: (UnsafePointer<CChar>?) -> Result
    ) -> Result {
        guard let text else { return body(nil) }
        return unsafe text.withCString { unsafe body($0) }
    }
}

/// A pending request: the waiting caller, and the transport that must live until it ends.
private final class Pending {
    let transport: CurlTransport
    let continuation: CheckedContinuation<Result<JWKSetResponse, JWKSetTransportError>, Never>

    init(
        _ transport: CurlTransport,
        _ continuation: CheckedContinuation<Result<JWKSetResponse, JWKSetTransportError>, Never>
    ) {
        self.transport = transport
        self.continuation = continuation
    }

    /// Copies the response, which C owns.
    func end(_ response: jose_fetch_response) {
        let result: Result<JWKSetResponse, JWKSetTransportError>
        switch unsafe response.status {
        case .JOSE_FETCH_OK:
            // Safe: both buffers live until this call returns.
            let lines = unsafe [UInt8](
                UnsafeBufferPointer(start: response.header, count: response.header_len))
            let body = unsafe [UInt8](
                UnsafeBufferPointer(start: response.body, count: response.body_len))
            let header = ResponseHeader(lines.span)
            result = .success(
                JWKSetResponse(
                    status: unsafe response.http_status, body: body, entityTag: header["etag"],
                    cacheControl: header["cache-control"], age: header["age"]))
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
