// Which ways of computing a key may use beside OpenSSL's EVP interface.

import JOSECrypto

/// How a key computes. Whatever the way, results are the same: what a kernel does not accept, EVP judges once more.
///
/// `docs/kernels.md` says what the vector kernels are and why they may be trusted.
public enum Acceleration: Sendable, Hashable {
    /// Vector kernels for verification, where the processor has the instructions: the default.
    case automatic
    /// Vector kernels also for encryption to a public key and for the content of A128CBC-HS256. There the operand
    /// is secret and no second judge looks at the result.
    case includingEncryption
    /// OpenSSL's functions alone, the low-level ones among them.
    case portable
    /// OpenSSL's EVP interface alone, as a FIPS provider wants it; a little slower.
    case providerOnly

    var options: OperationOptions {
        switch self {
        case .automatic: []
        case .includingEncryption: .acceleratesEncryption
        case .portable: .portable
        case .providerOnly: .providerOnly
        }
    }
}

extension JWK {
    /// The same key, computing in another way; operations are prepared anew at first use.
    ///
    /// - Parameter acceleration: The way.
    public func using(_ acceleration: Acceleration) -> JWK {
        var key = JWK(PreparedKey(prepared.material, options: acceleration.options))
        key.keyID = keyID
        key.use = use
        key.keyOperations = keyOperations
        key.algorithm = algorithm
        return key
    }
}
