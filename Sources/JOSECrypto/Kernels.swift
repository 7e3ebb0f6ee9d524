// The vector kernels that this process uses, and events about them.

internal import CJOSECrypto
import JOSEBytes
import Synchronization

/// The vector kernels of docs/kernels.md.
package enum VectorKernel: String, CaseIterable, Sendable {
    case rsa, rsaEight = "rsa-x8"
    case rsaDoubles = "rsa-fma", rsaFour = "rsa-fma-x4"
    case rsaPrivate = "rsa-private", rsaPrivateFour = "rsa-private-x4"
    case rsaPrivateDoubles = "rsa-private-fma"

    package static let publicOperations: [VectorKernel] = [
        .rsa, .rsaEight, .rsaDoubles, .rsaFour,
    ]

    private var native: jose_kernel_set {
        switch self {
        case .rsa: .JOSE_USES_RSA
        case .rsaEight: .JOSE_USES_RSA_X8
        case .rsaDoubles: .JOSE_USES_RSA_FMA
        case .rsaFour: .JOSE_USES_RSA_FMA_X4
        case .rsaPrivate: .JOSE_USES_RSA_PRIVATE
        case .rsaPrivateFour: .JOSE_USES_RSA_PRIVATE_X4
        case .rsaPrivateDoubles: .JOSE_USES_RSA_PRIVATE_FMA
        }
    }

    /// The implementations of RSA public operations, in the order in which they are tried.
    package static var rsaOrder: [String] {
        (rsa.isInUse ? ["ifma"] : []) + (rsaDoubles.isInUse ? ["fma"] : []) + ["bn", "evp"]
    }

    /// Whether the processor supports the kernel, its known answers are right and it is not off.
    /// The first call runs the known-answer tests.
    package var isInUse: Bool {
        let isPublic = VectorKernel.publicOperations.contains(self)
        return (isPublic ? jose_kernels() : jose_private_kernels()).contains(native)
    }
    /// Whether a known answer was wrong, or `switchOff` was called.
    package var isOff: Bool { jose_kernels_off().contains(native) }

    /// Switches the kernel off for the life of the process.
    package func switchOff() { jose_kernels_switch_off(native) }

    private static let listener = Lock<(@Sendable (VectorKernel) -> Void)?>(nil)

    /// Sets the handler that is called once for each kernel that is switched off, on the thread
    /// that does it. Kernels that are off and not reported yet are reported before this returns.
    package static func watch(_ handler: (@Sendable (VectorKernel) -> Void)?) {
        listener.withLock { $0 = handler }
        guard handler != nil else { return jose_kernels_watch(nil) }
        jose_kernels_watch { set in
            let handler = VectorKernel.listener.withLock { $0 }
            for kernel in VectorKernel.allCases where set.contains(kernel.native) {
                handler?(kernel)
            }
        }
    }
}

package enum LockedMemory {
    private static let listener = Lock<(@Sendable (_ bits: Int) -> Void)?>(nil)

    /// Sets the handler that is called, on the thread that uses the key, if a private key opted in
    /// to kernels but gets no locked memory. OpenSSL then computes. Usual causes are
    /// `RLIMIT_MEMLOCK` or 4,096 prepared operations in the process.
    package static func watch(_ handler: (@Sendable (_ bits: Int) -> Void)?) {
        listener.withLock { $0 = handler }
        guard handler != nil else { return jose_unlocked_keys_watch(nil) }
        jose_unlocked_keys_watch { bits in
            LockedMemory.listener.withLock { $0 }?(Int(bits))
        }
    }
}
