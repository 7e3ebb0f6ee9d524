// What keeps a private key elsewhere: a device or a service that answers one question at a time.

/// A device or service that keeps a private key and works with it: an HSM, a PKCS#11 token, a key service.
///
/// It answers for one key. Everything around an operation is done here: header, policy, digests, content encryption, and
/// the look at each signature with the public key that was pinned; so an external key that lies does no harm. Its calls must
/// not block the threads of Swift's concurrency; they may be made many at a time.
public protocol ExternalKey: Sendable {
    /// What the external key can do with its key; asked once, when the key is made.
    var capabilities: ExternalKeyCapabilities { get }

    /// Signs with the private key.
    ///
    /// - Parameter request: The algorithm, and the digest or the message to sign.
    /// - Throws: Why there is no signature.
    func sign(_ request: ExternalSigningRequest) async throws(ExternalKeyError) -> ExternalSignature

    /// Decrypts an encrypted key (RFC 7518, 4.3) with the private key.
    ///
    /// - Parameter request: The algorithm, and the encrypted key: as many bytes as the modulus has.
    /// - Throws: `unavailable` only where the question was not looked at; everything else is `failed`.
    func unwrap(_ request: ExternalUnwrappingRequest) async throws(ExternalKeyError) -> ExternalUnwrappedKey

    /// Agrees with a public key on a shared secret (RFC 7518, 4.6).
    ///
    /// - Parameter request: The other side's public key, on the curve of ours.
    /// - Throws: `unavailable` only where the question was not looked at; everything else is `failed`.
    /// - Returns: The x coordinate of the shared point (RFC 7748: the output of X25519 or X448), as many bytes as the
    ///   curve's field has.
    func agree(_ request: ExternalAgreementRequest) async throws(ExternalKeyError) -> ExternalKeySecret
}

extension ExternalKey {
    /// `failed`, for an external key that signs nothing.
    public func sign(_ request: ExternalSigningRequest) async throws(ExternalKeyError) -> ExternalSignature
    {
        throw .failed
    }
    /// `failed`, for an external key that unwraps nothing.
    public func unwrap(
        _ request: ExternalUnwrappingRequest
    ) async throws(ExternalKeyError) -> ExternalUnwrappedKey {
        throw .failed
    }
    /// `failed`, for an external key that agrees with nobody.
    public func agree(_ request: ExternalAgreementRequest) async throws(ExternalKeyError) -> ExternalKeySecret
    {
        throw .failed
    }
}

/// An external key of ours that comes back at the deadline and when the task is cancelled, whatever its device does, and bounds
/// by itself what the device has to do; so it is asked without a task and a clock around it.
package protocol DeadlineKeepingExternalKey: ExternalKey {}

/// Why an external key has no answer.
public enum ExternalKeyError: Error, Sendable {
    /// It cannot be asked now: outage, time-out, a quota, a session, login or token that is gone. Nothing was done.
    case unavailable
    /// It was asked and gave no result.
    case failed
}
