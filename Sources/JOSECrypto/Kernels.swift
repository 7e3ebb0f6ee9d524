// Which vector kernels this process uses.

internal import CJOSECrypto

/// The vector kernels of docs/kernels.md.
package enum VectorKernel: String, CaseIterable, Sendable {
    case rsa, rsaEight = "rsa-x8", content

    private var native: jose_kernel_set {
        switch self {
        case .rsa: .JOSE_USES_RSA
        case .rsaEight: .JOSE_USES_RSA_X8
        case .content: .JOSE_USES_CONTENT
        }
    }

    /// Whether the processor has it and its known answers were right.
    package var isInUse: Bool { jose_kernels().contains(native) }
    /// Whether it gave a wrong answer and is off for the life of the process.
    package var hasFailed: Bool { jose_kernels_off().contains(native) }
}
