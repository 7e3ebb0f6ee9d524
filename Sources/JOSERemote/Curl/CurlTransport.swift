// HTTPS by libcurl, on a thread that waits for the network so that no other does.

internal import CJOSERemote
public import JOSE

/// Fetches by libcurl: https alone, no redirect, no proxy, no netrc, no cookie, TLS 1.2 or newer.
///
/// Owns one thread, which ends with the transport; share one among many sets. The conformance is unchecked because
/// of the C pointer, which is set once and documented as safe to use from any thread. A process that forks makes a
/// new transport in the child.
@safe
public final class CurlTransport: JWKSetTransport, @unchecked Sendable {
    private let client: OpaquePointer
    /// The documents that are being fetched: bounded by `SSRFSafeFetcher`, together for all that share
    /// this transport.
    let ssrfSafeFetches = FetchSlots()

    private static let headerLimitBytes = 32_768

    /// A transport.
    ///
    /// - Parameter certificateAuthorities: The path of a PEM file with the only CAs to trust; nil trusts the system's.
    ///   It is read at each request; one that cannot be read makes requests fail as `untrusted`.
    /// - Throws: `internal` if the thread cannot be had.
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

    // Safe: requests under way keep the transport alive, so this is the last use.
    deinit { unsafe jose_client_close(client) }

    /// Sends one GET.
    ///
    /// - Throws: `internal` for a request that is not well-formed, too.
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
        // Safe: C copies the texts and takes the context once, exactly if it says JOSE_FETCH_OK.
        let status = unsafe request.url.withCString { url in
            unsafe withOptionalCString(request.entityTag) { tag in
                unsafe request.mediaTypes.withCString { types in
                    var wanted = unsafe jose_fetch_request(
                        url: url, etag: tag, accept: types, time_limit_ms: milliseconds,
                        body_limit: request.bodyLimitBytes,
                        header_limit: CurlTransport.headerLimitBytes,
                        public_only: request.addressPolicy == .publicAddresses)
                    return unsafe jose_client_fetch(
                        client, &wanted,
                        { context, response in
                            guard let context = unsafe context, let response = unsafe response else {
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

/// A request under way: who waits, and the transport that must live until then.
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

    /// Copies what C lends.
    func end(_ response: jose_fetch_response) {
        let result: Result<JWKSetResponse, JWKSetTransportError>
        switch unsafe response.status {
        case .JOSE_FETCH_OK:
            // Safe: C lends both until this call returns.
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
