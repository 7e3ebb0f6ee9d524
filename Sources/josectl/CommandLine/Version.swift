// The versions of the tool and of what it runs with.

import JOSE
import JOSEBytes
import JOSECrypto

enum Version {
    /// The version. `./dev` and tools/release read this line.
    static let number = "0.1.0"

    /// The output of `josectl --version`.
    static var report: String {
        """
        josectl \(number)
        OpenSSL libcrypto \(HostProcess.libraryVersion)
        RSA implementations: \(implementations.joined(separator: ", "))
        base64url code: \(base64URLKernels.joined(separator: ", "))

        """
    }

    /// The RSA implementations of this processor, best first, by the names of docs/kernels.md.
    private static var implementations: [String] {
        // Runs the known answers of the kernels.
        _ = KeyAcceleration.kernelsInUse
        let kernels: [(name: String, kernel: VectorKernel)] = [
            ("ifma", .rsa), ("fma", .rsaDoubles),
        ]
        return kernels.filter(\.kernel.isInUse).map(\.name) + ["portable"]
    }

    /// The base64url code that this processor can run.
    static var base64URLKernels: [String] {
        Base64URLKernel.allCases.filter { $0 != .best && $0.isAvailable }.map { "\($0)" }
    }
}
