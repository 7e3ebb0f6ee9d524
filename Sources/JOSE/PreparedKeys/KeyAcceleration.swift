// The implementations that a key may use: vector kernels, OpenSSL's functions, or EVP alone.

import JOSECrypto

/// The implementations that a key may use. For valid keys all of them have the same results. For
/// invalid keys a FIPS provider may have another result.
///
/// A vector kernel accepts a PKCS#1 signature only if its result equals the whole expected block
/// byte for byte. For RSA-PSS its result is decoded. OpenSSL checks every rejection again.
/// `docs/kernels.md` describes the kernels and their tests.
public enum KeyAcceleration: Sendable, Hashable {
    /// Vector kernels for verification, if the processor supports them. The default.
    case automatic
    /// What `automatic` allows, and vector kernels for encryption to a public RSA key. The sender
    /// cannot decrypt a ciphertext to check it. So EVP repeats the first encryption of a key and
    /// one in 256, and the result of EVP is used.
    case withEncryption
    /// What `withEncryption` allows, and vector kernels of integer instructions for signatures and
    /// decryption with an RSA private key. They take about half of OpenSSL's time, or less.
    ///
    /// Needs AVX-512 IFMA and a key of 2,048, 3,072 or 4,096 bits with two primes of equal size;
    /// other keys stay with OpenSSL. Each result is checked with the public key before it is used.
    /// The prepared key is in locked memory. If the process gets none (`RLIMIT_MEMLOCK`), the key
    /// stays with OpenSSL, and `observe(_:)` reports it. `SECURITY.md` says what you trust.
    case withPrivateKeys
    /// What `withPrivateKeys` allows, and kernels of floating-point instructions (AVX2 and FMA) for
    /// keys of 2,048 bits. We know of no processor vendor that promises that these instructions
    /// take the same time for all operands.
    case withPrivateKeysAndFloatingPoint
    /// No RSA kernel: OpenSSL's functions, also low-level ones, and libsodium's for Curve25519.
    case noKernels
    /// All operations on tokens use OpenSSL's EVP interface. A little slower.
    ///
    /// The provider is OpenSSL's default one, or the FIPS provider after
    /// `FIPSProvider.useForProcess()`. The host's configuration does not change that. With the
    /// default provider this does not cover two things: the checks when a key is read (points of
    /// curves, numbers of a private key), and standalone digests (thumbprints, `at_hash`, requests
    /// to an external key).
    case openSSLOnly
    /// The FIPS provider computes all operations with the key. It imports the key and checks it at
    /// its first use. An algorithm that it lacks is `unsupported`.
    ///
    /// Not covered: reading the key, its certificates and standalone digests. The provider of the
    /// process does these; `FIPSProvider.useForProcess()` covers everything.
    case fips(FIPSProvider)

    var options: OperationOptions {
        switch self {
        case .automatic: []
        case .withEncryption: .acceleratesEncryption
        case .withPrivateKeys: [.acceleratesEncryption, .acceleratesPrivateKeys]
        case .withPrivateKeysAndFloatingPoint:
            [.acceleratesEncryption, .acceleratesPrivateKeys, .allowsFloatingPoint]
        case .noKernels: .noKernels
        case .openSSLOnly: .openSSLOnly
        case .fips: .fips
        }
    }
}

extension KeyAcceleration {
    /// Returns `fips` if one of the two is that, otherwise the one that allows less.
    package func strictest(_ other: KeyAcceleration) -> KeyAcceleration {
        for one in [self, other] { if case .fips = one { return one } }
        let byRank: [KeyAcceleration] = [
            .openSSLOnly, .noKernels, .automatic, .withEncryption, .withPrivateKeys,
        ]
        return byRank.first { $0 == self || $0 == other } ?? .withPrivateKeysAndFloatingPoint
    }

    /// The vector kernels of public operations that this process uses: some of `rsa`, `rsa-x8`,
    /// `rsa-fma` and `rsa-fma-x4`.
    ///
    /// The first call runs their known-answer tests, in one to three milliseconds. Empty in a debug
    /// build, whose unoptimised kernels would be slower, and after `FIPSProvider.useForProcess()`.
    public static var kernelsInUse: [String] {
        guard !FIPSLibrary.isUsedByProcess else { return [] }
        return VectorKernel.publicOperations.filter(\.isInUse).map(\.rawValue)
    }

    /// Sets the process-wide handler of `KernelEvent` and `UnlockedKeyEvent`.
    ///
    /// A `KernelEvent` is sent once for each vector kernel that failed its known-answer test. The
    /// kernel is off for the life of the process, and the next implementation takes its place. No
    /// input can cause this. Failures not reported yet are reported before this function returns.
    ///
    /// Set the handler before keys are used: an earlier `UnlockedKeyEvent` is not sent again. A
    /// later call replaces the handler, nil removes it. The handler runs on the thread that
    /// detected the failure and should return quickly.
    public static func observe(_ handler: JOSEEventHandler?) {
        guard let handler else {
            VectorKernel.watch(nil)
            return LockedMemory.watch(nil)
        }
        LockedMemory.watch { handler(UnlockedKeyEvent(bits: $0)) }
        VectorKernel.watch { handler(KernelEvent(kernel: $0.rawValue)) }
    }
}

/// Reports that a vector kernel failed its known-answer test and was switched off.
public struct KernelEvent: JOSEEvent {
    /// The kernel's name, as in `KeyAcceleration.kernelsInUse`, or `rsa-private`, `rsa-private-x4`
    /// or `rsa-private-fma`.
    public let kernel: String

    package static let descriptor = (name: "jose.kernel.off", level: JOSEEventLevel.error)

    package init(kernel: String) { self.kernel = kernel }

    /// `jose.kernel.off`.
    public var name: String { KernelEvent.descriptor.name }
    /// `error`: the processor or the memory does not compute correctly.
    public var level: JOSEEventLevel { KernelEvent.descriptor.level }
    /// The kernel's name.
    public var values: [(name: String, value: JOSEEventValue)] { [("kernel", .string(kernel))] }
}

/// Reports that an RSA private key with `KeyAcceleration.withPrivateKeys` stays with OpenSSL: this
/// process gets no locked memory for it, or has 4,096 prepared operations.
///
/// Sent once for each prepared operation of a key. Raise `RLIMIT_MEMLOCK` (`LimitMEMLOCK=` of
/// systemd): each operation needs a page. The operation tries again at use 256, 512, 1,024 and
/// so on, so a temporary shortage needs no action.
public struct UnlockedKeyEvent: JOSEEvent {
    /// The size of the key's modulus in bits.
    public let bits: Int

    package static let descriptor = (
        name: "jose.private-key.not-locked", level: JOSEEventLevel.warning
    )

    package init(bits: Int) { self.bits = bits }

    /// `jose.private-key.not-locked`.
    public var name: String { UnlockedKeyEvent.descriptor.name }
    /// `warning`: results are right, but computed at OpenSSL's speed.
    public var level: JOSEEventLevel { UnlockedKeyEvent.descriptor.level }
    /// The size of the modulus.
    public var values: [(name: String, value: JOSEEventValue)] {
        [("bits", .integer(Int64(bits)))]
    }
}
