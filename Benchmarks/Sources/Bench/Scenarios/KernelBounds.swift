// The bounds of RSA verification and of private keys that opted in to kernels, by kind of
// processor.

@_spi(Bench) import JOSEBenchmark
import Foundation

/// Upper limits on ratios to EVP's time. Single private operations are compared with EVP's best
/// ones, which renew no blinding.
struct KernelBounds {
    let name: String
    /// Verification of a token with 2048 bits, alone and in a batch.
    let verify, verifyBatch: Double
    /// Signing and decryption with 2048 bits.
    let one: Double
    /// Making and opening a nested token.
    let nested: Double
    /// Each of a batch, for kernels with lanes.
    let batch, nestedBatch: Double?
    /// Signing with 3072 bits, alone and in a batch; infinite with a libcrypto after 3.0, which has
    /// such a kernel itself.
    var large, largeBatch: Double?

    /// Those of this processor, or nil if it has no kernel for private keys.
    static var here: KernelBounds? {
        if hasDoubles { return doubles }
        guard hasKernels else { return nil }
        var bounds = hasFullWidthMultipliers ? fullWidth : halfWidth
        if bounds.large != nil, !libcryptoVersion().hasPrefix("3.0.") {
            (bounds.large, bounds.largeBatch) = (.infinity, .infinity)
        }
        return bounds
    }

    private static let fullWidth = KernelBounds(
        name: "52-bit multipliers of 512 bits", verify: 0.22, verifyBatch: 0.18, one: 0.58,
        nested: 0.60, batch: 0.36, nestedBatch: 0.40, large: 0.29, largeBatch: 0.18)
    /// Verification took 0.29 and 0.25 on a Zen 4, with kernels that were slower. Private keys were
    /// not measured: their bounds were set for a Zen 4.
    private static let halfWidth = KernelBounds(
        name: "52-bit multipliers of 256 bits, or not known", verify: 0.30, verifyBatch: 0.26,
        one: 0.72, nested: 0.75, batch: 0.60, nestedBatch: 0.64, large: 0.40, largeBatch: 0.28)
    private static let doubles = KernelBounds(
        name: "doubles", verify: 0.60, verifyBatch: 0.45, one: 0.60, nested: 0.62, batch: nil,
        nestedBatch: nil, large: nil, largeBatch: nil)
}

/// Says once, on standard error, which bounds hold and which scenarios are left out.
func noteKernelBounds() { _ = noted }

private let noted: Void = {
    var note = "left out: no kernel for private keys here"
    if let bounds = KernelBounds.here {
        note = "bounds of \(bounds.name)"
        if bounds.batch == nil { note += "; 3072 bits and batches left out: no lanes" }
        if bounds.large == .infinity { note += "; none for 3072 bits: libcrypto has a kernel" }
    }
    FileHandle.standardError.write(Data("private/: \(note)\n".utf8))
}()

/// Whether the processor is known to begin two 52-bit multiplications of 512 bits in a cycle: Zen 5
/// other than Strix Point, Intel's servers from Ice Lake on.
private var hasFullWidthMultipliers: Bool {
    guard let kind = processorKind() else { return false }
    return switch (kind.vendor, kind.family, kind.model) {
    case ("AuthenticAMD", 0x1a, 0x00...0x1f), ("AuthenticAMD", 0x1a, 0x40...0x4f): true
    case ("GenuineIntel", 6, 0x6a), ("GenuineIntel", 6, 0x6c), ("GenuineIntel", 6, 0x8f),
        ("GenuineIntel", 6, 0xcf), ("GenuineIntel", 6, 0xad), ("GenuineIntel", 6, 0xae):
        true
    default: false
    }
}
