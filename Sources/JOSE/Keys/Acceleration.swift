// Which ways of computing a key may use beside OpenSSL's EVP interface.

import JOSECrypto

/// How a key computes. Whatever the way, results are the same: what a kernel does not accept, EVP judges once more.
///
/// `docs/kernels.md` says what the vector kernels are and why they may be trusted.
public enum Acceleration: Sendable, Hashable {
    /// Vector kernels for verification, where the processor has the instructions: the default.
    case automatic
    /// Vector kernels also for encryption to a public key and for the content of A128CBC-HS256. There the operand
    /// is secret; EVP judges the first message of a key and one of every 256, of contents one of every 4,096.
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

extension Acceleration {
    /// The vector kernels of `docs/kernels.md` that this process may use: `rsa`, `rsa-x8`, `content`. The first call asks
    /// them their known answers, some hundred microseconds.
    public static var kernelsInUse: [String] {
        VectorKernel.allCases.filter(\.isInUse).map(\.rawValue)
    }

    /// Has `handler` called once for each vector kernel whose known answers were wrong and that is off for the life of
    /// the process; results are OpenSSL's. Nothing that comes from outside leads to it. Its argument is the kernel's name in `docs/kernels.md`: `rsa`, `rsa-x8` or
    /// `content`.
    ///
    /// A kernel that is off already is told before this returns. There is one handler in a process: a later call takes
    /// its place, nil takes it away. It is called on the thread that found the fault and should only note it.
    public static func onSwitchedOff(_ handler: (@Sendable (_ kernel: String) -> Void)?) {
        guard let handler else { return VectorKernel.watch(nil) }
        VectorKernel.watch { handler($0.rawValue) }
    }
}

extension JWK {
    /// The same key, computing in another way; operations are prepared anew at first use.
    ///
    /// - Parameter acceleration: The way.
    public func using(_ acceleration: Acceleration) -> JWK {
        let kept = prepared.options.intersection(.checksEverySignature)
        return computing(acceleration.options.union(kept))
    }

    /// The same key, which verifies each ECDSA and EdDSA signature by a public copy held apart before it leaves: a fault
    /// of the machine then gives an error and no wrong signature, from which the key might be found.
    ///
    /// Costs one verification for each signature. RSA takes no notice: its signatures are always looked at, which costs
    /// 2 to 7 % of one. Nor does HMAC: a shared secret has no public copy, and a wrong MAC tells nothing of it.
    public func checkingEverySignature() -> JWK {
        computing(prepared.options.union(.checksEverySignature))
    }

    private func computing(_ options: OperationOptions) -> JWK {
        var key = self
        key.prepared = PreparedKey(prepared.material, options: options)
        return key
    }
}

extension JWKSet {
    /// The same keys, each computing in another way; see `JWK.using(_:)`.
    public func using(_ acceleration: Acceleration) -> JWKSet {
        JWKSet(keys.map { $0.using(acceleration) }, skipped: skipped)
    }
}
