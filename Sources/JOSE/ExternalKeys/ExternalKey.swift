// The protocol of an external key, whose private part is in a device or service.

/// A device or service that computes with a private key: an HSM, a PKCS#11 token, a key service.
///
/// One value represents one private key. The library does the rest: header, policy, digests and
/// content encryption. Each signature is verified with the pinned public key before it is returned.
/// The methods are called concurrently and must not block the threads of Swift's concurrency.
public protocol ExternalKey: Sendable {
    /// The algorithms that the key supports. `JWK.withExternalKey(_:options:)` reads them once.
    var capabilities: ExternalKeyCapabilities { get }

    /// Signs with the private key.
    ///
    /// - Parameter request: The algorithm, and the digest or the message to sign.
    /// - Throws: `unavailable` for an outage, which the request did not cause; else `failed`.
    func sign(
        _ request: ExternalSigningRequest
    ) async throws(ExternalKeyError) -> ExternalSignature

    /// Decrypts an encrypted key (RFC 7518, 4.3) with the private key.
    ///
    /// - Parameter request: The algorithm, and the encrypted key of as many bytes as the modulus.
    /// - Throws: `unavailable` for an outage, which the request did not cause; else `failed`.
    func unwrap(
        _ request: ExternalUnwrappingRequest
    ) async throws(ExternalKeyError) -> ExternalUnwrappedKey

    /// Computes the shared secret with a public key (RFC 7518, 4.6).
    ///
    /// - Parameter request: The other party's public key, on the curve of this key.
    /// - Throws: `unavailable` for an outage, which the request did not cause; else `failed`.
    /// - Returns: The x coordinate of the shared point, or the output of X25519 or X448 (RFC 7748).
    ///   It has as many bytes as the curve's field.
    func agree(
        _ request: ExternalAgreementRequest
    ) async throws(ExternalKeyError) -> ExternalKeySecret
}

extension ExternalKey {
    /// Throws `failed`: the default for a key that does not sign.
    public func sign(
        _ request: ExternalSigningRequest
    ) async throws(ExternalKeyError) -> ExternalSignature {
        throw .failed
    }
    /// Throws `failed`: the default for a key that does not unwrap.
    public func unwrap(
        _ request: ExternalUnwrappingRequest
    ) async throws(ExternalKeyError) -> ExternalUnwrappedKey {
        throw .failed
    }
    /// Throws `failed`: the default for a key without key agreement.
    public func agree(
        _ request: ExternalAgreementRequest
    ) async throws(ExternalKeyError) -> ExternalKeySecret {
        throw .failed
    }
}

/// An external key that itself returns at `request.deadline` and on cancellation.
///
/// `ExternalKeyBinding` awaits its calls directly, without the task and the clock that end calls of
/// other keys. If it has a queue of its own, it must bound that queue. It must retain
/// `request.permit` until the operation ends, even if the call returned earlier, and then call
/// `giveBack()`. Otherwise cancelled calls would exceed `ExternalKeyOptions.maxConcurrent`.
package protocol DeadlineKeepingExternalKey: ExternalKey {}

/// Why an external key returned no result.
public enum ExternalKeyError: Error, Sendable {
    /// The key cannot be used now, and the input is not the cause: an outage, a timeout, a quota,
    /// or a lost connection, session, login or PKCS#11 token. The caller may try again.
    case unavailable
    /// The key rejected the input, or computed no result.
    case failed
}
