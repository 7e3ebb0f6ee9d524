// The implementations that a key may use: vector kernels, OpenSSL's functions, or EVP alone.

import JOSECrypto

/// The implementations that a key may use. The results are the same for all of them: EVP checks
/// again what a kernel does not accept.
///
/// `docs/kernels.md` describes the vector kernels and how they are tested.
public enum KeyAcceleration: Sendable, Hashable {
    /// Vector kernels for verification, if the processor supports them. The default.
    case automatic
    /// Vector kernels for encryption to a public key too. Its operand is secret, so EVP checks the
    /// first message of a key and one of every 256.
    case withEncryption
    /// No vector kernel: OpenSSL's functions, low-level ones included, and libsodium's for
    /// Curve25519.
    case noKernels
    /// OpenSSL's EVP interface and its default provider alone; a FIPS provider of the host is not
    /// used. A little slower.
    ///
    /// Checks at the reading of a key (points of curves, numbers of a private key) and standalone
    /// digests (thumbprints, `at_hash`, requests to an external key) do not use EVP.
    case openSSLOnly

    var options: OperationOptions {
        switch self {
        case .automatic: []
        case .withEncryption: .acceleratesEncryption
        case .noKernels: .noKernels
        case .openSSLOnly: .openSSLOnly
        }
    }
}

extension KeyAcceleration {
    /// Returns the stricter of two: what either excludes stays excluded.
    package func strictest(_ other: KeyAcceleration) -> KeyAcceleration {
        let byRank: [KeyAcceleration] = [.openSSLOnly, .noKernels, .automatic]
        return byRank.first { $0 == self || $0 == other } ?? .withEncryption
    }

    /// The vector kernels in use by this process, of `rsa`, `rsa-x8`, `rsa-fma` and `rsa-fma-x4`.
    ///
    /// The first call runs their known-answer tests, in one to three milliseconds. A debug build
    /// uses none, since unoptimised kernels would be slower.
    public static var kernelsInUse: [String] {
        VectorKernel.allCases.filter(\.isInUse).map(\.rawValue)
    }

    /// Sets the process-wide handler of a `KernelEvent`. It is called once for each vector kernel
    /// that failed its known-answer test.
    ///
    /// Such a kernel is off for the life of the process, and the next implementation takes its
    /// place. No input can cause this. Kernels that are off already are reported before this
    /// function returns. A later call replaces the handler, nil removes it. The handler runs on the
    /// thread that detected the failure and should return quickly.
    public static func observe(_ handler: JOSEEventHandler?) {
        guard let handler else { return VectorKernel.watch(nil) }
        VectorKernel.watch { handler(KernelEvent(kernel: $0.rawValue)) }
    }
}

/// Reports that a vector kernel failed its known-answer test and was switched off.
public struct KernelEvent: JOSEEvent {
    /// The kernel's name, as in `KeyAcceleration.kernelsInUse`.
    public let kernel: String

    package static let row = (name: "jose.kernel.off", level: JOSEEventLevel.error)

    package init(kernel: String) { self.kernel = kernel }

    /// `jose.kernel.off`.
    public var name: String { KernelEvent.row.name }
    /// `error`: the processor or the memory does not compute correctly.
    public var level: JOSEEventLevel { KernelEvent.row.level }
    /// The kernel's name.
    public var values: [(name: String, value: JOSEEventValue)] { [("kernel", .string(kernel))] }
}
