// Which vector kernels this process uses.

internal import CJOSECrypto
import JOSEBytes
import Synchronization

/// A way of computing RSA public operations, and what was measured of it on this machine (docs/kernels.md).
package struct MeasuredWay: Sendable {
    /// `ifma`, `fma`, `bn` or `evp`.
    package let name: String
    /// Of one operation at best; 0 where it took no part.
    package let nanoseconds: Int
    /// Goes before the others.
    package let isFirst: Bool

    /// Lets the ways race for moduli of so many bits (2048, 3072, 4096), unless they did: less than a millisecond. In
    /// the order in which ways are taken where nothing was measured.
    package static func all(bits: UInt32) -> [MeasuredWay] {
        var found = unsafe [jose_rsa_measured](
            repeating: jose_rsa_measured(), count: Int(JOSE_RSA_MEASURED))
        _ = unsafe found.withUnsafeMutableBufferPointer {
            unsafe jose_rsa_measure($0.baseAddress, bits)
        }
        return unsafe found.compactMap { way in
            guard let name = unsafe way.name else { return nil }
            return unsafe MeasuredWay(
                name: String(cString: name), nanoseconds: Int(way.nanoseconds),
                isFirst: way.is_first)
        }
    }
}

/// The vector kernels of docs/kernels.md.
package enum VectorKernel: String, CaseIterable, Sendable {
    case rsa, rsaEight = "rsa-x8", content
    case rsaDoubles = "rsa-fma", rsaFour = "rsa-fma-x4"

    private var native: jose_kernel_set {
        switch self {
        case .rsa: .JOSE_USES_RSA
        case .rsaEight: .JOSE_USES_RSA_X8
        case .content: .JOSE_USES_CONTENT
        case .rsaDoubles: .JOSE_USES_RSA_FMA
        case .rsaFour: .JOSE_USES_RSA_FMA_X4
        }
    }

    /// Whether the processor has it, its known answers were right and it was not switched off.
    package var isInUse: Bool { jose_kernels().contains(native) }
    /// Whether it gave a wrong answer and is off for the life of the process.
    package var hasFailed: Bool { jose_kernels_off().contains(native) }

    /// Ends its use for the life of the process, as a wrong known answer does.
    package func switchOff() { jose_kernels_switch_off(native) }

    private static let listener = Lock<(@Sendable (VectorKernel) -> Void)?>(nil)

    /// Has `handler` called once for each kernel that is switched off, on the thread that found it
    /// wrong; for those that are off already before this returns. A later call takes its place.
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
