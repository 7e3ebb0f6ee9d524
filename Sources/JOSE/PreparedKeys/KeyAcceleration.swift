// Which ways of computing a key may use beside OpenSSL's EVP interface.

import JOSECrypto

/// How a key computes. Whatever the way, results are the same: what a kernel does not accept, EVP judges once more.
///
/// `docs/kernels.md` says what the vector kernels are and why they may be trusted.
public enum KeyAcceleration: Sendable, Hashable {
    /// Vector kernels for verification, where the processor has the instructions: the default.
    case automatic
    /// Vector kernels also for encryption to a public key. There the operand is secret; EVP checks the
    /// first message of a key and one of every 256.
    case withEncryption
    /// No vector kernel: OpenSSL's functions, the low-level ones among them, and libsodium's for the curves of 25519.
    case noKernels
    /// OpenSSL's EVP interface alone, by its default provider: a FIPS provider of the host is not used. A little slower. Outside of
    /// EVP stay what is checked when a key is read (points of curves, a private key's numbers) and digests that stand for
    /// themselves: thumbprints, `at_hash`, what an external key is asked to sign.
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
    /// Of two, the one that rules out more: what either rules out stays so.
    package func strictest(_ other: KeyAcceleration) -> KeyAcceleration {
        let byRank: [KeyAcceleration] = [.openSSLOnly, .noKernels, .automatic]
        return byRank.first { $0 == self || $0 == other } ?? .withEncryption
    }

    /// The vector kernels of `docs/kernels.md` that this process may use: `rsa`, `rsa-x8`, `rsa-fma`,
    /// `rsa-fma-x4`. The first call asks them their known answers, one to three milliseconds. A debug
    /// build has none: C that is not optimised would be slower by them.
    public static var kernelsInUse: [String] {
        VectorKernel.allCases.filter(\.isInUse).map(\.rawValue)
    }

    /// Has `handler` told, by a `KernelEvent`, once of each vector kernel whose known answers were wrong and that is off for
    /// the life of the process; results are the next way's. Nothing that comes from outside leads to it.
    ///
    /// A kernel that is off already is told before this returns. There is one handler in a process, as kernels are the
    /// process's: a later call takes its place, nil takes it away. It is called on the thread that found the fault and should
    /// only note it.
    public static func observe(_ handler: JOSEEventHandler?) {
        guard let handler else { return VectorKernel.watch(nil) }
        VectorKernel.watch { handler(KernelEvent(kernel: $0.rawValue)) }
    }
}

/// A vector kernel was switched off.
public struct KernelEvent: JOSEEvent {
    /// Its name, as `KeyAcceleration.kernelsInUse` has it.
    public let kernel: String

    package static let row = (name: "jose.kernel.off", level: JOSEEventLevel.error)

    package init(kernel: String) { self.kernel = kernel }

    /// `jose.kernel.off`.
    public var name: String { KernelEvent.row.name }
    /// `error`: the processor or the memory is not what it was.
    public var level: JOSEEventLevel { KernelEvent.row.level }
    /// The kernel.
    public var values: [(name: String, value: JOSEEventValue)] { [("kernel", .string(kernel))] }
}
