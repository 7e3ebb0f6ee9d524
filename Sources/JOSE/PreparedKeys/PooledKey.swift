// A local private key whose operations run on the threads of a `PrivateKeyPool`.

import JOSECrypto

/// The private key of `JWK.served(by:options:)`, as an external key.
package struct PooledKey: DeadlineKeepingExternalKey {
    /// A pool serves no keys with these options.
    static let unsupported: OperationOptions = [.openSSLOnly, .fips]

    package let capabilities: ExternalKeyCapabilities
    private let key: PreparedKey
    /// The options when the pool got the key. They must not change (`PreparedKey.native`).
    var options: OperationOptions { key.publicOptions }
    /// Keeps the pool's threads running.
    private let pool: PrivateKeyPool

    package init(
        _ key: PreparedKey, _ capabilities: ExternalKeyCapabilities, _ pool: PrivateKeyPool
    ) {
        self.key = key
        self.capabilities = capabilities
        self.pool = pool
    }

    package func sign(
        _ request: ExternalSigningRequest
    ) async throws(ExternalKeyError) -> ExternalSignature {
        guard case .digest(let digest) = request.input,
            let operation = try? key.signature(request.algorithm, signing: true),
            case .signature(let signature) = try await pool.threads.run(
                .sign(operation, digest: digest), before: request.deadline, permit: request.permit)
        else { throw .failed }
        return .plain(signature)
    }

    package func unwrap(
        _ request: ExternalUnwrappingRequest
    ) async throws(ExternalKeyError) -> ExternalUnwrappedKey {
        // The key supports the algorithm, so only memory or libcrypto can fail.
        guard let operation = try? key.keyManagement(request.algorithm, wrapping: false) else {
            throw .unavailable
        }
        guard
            case .block(let block) = try await pool.threads.run(
                .unwrap(operation, encryptedKey: request.encryptedKey), before: request.deadline,
                permit: request.permit)
        else { throw .failed }
        return .block(ExternalKeySecret(block))
    }
}

extension JOSEError {
    static let unsupportedByPool = JOSEError.misuse(
        "a PrivateKeyPool cannot serve a key with openSSLOnly or a FIPS provider")
    static let acceleratedInPool = JOSEError.misuse(
        "a PrivateKeyPool serves the key, so its acceleration cannot change any more")
}
