// The versions of josectl and OpenSSL, and the code for this processor.

import JOSE
import JOSEBytes
import JOSECrypto

enum Version {
    /// tools/release reads and writes this line.
    static let number = "0.1.0"

    static var report: String {
        """
        josectl \(number)
        OpenSSL libcrypto \(HostProcess.libraryVersion)
        RSA implementations: \(implementations.joined(separator: ", "))
        base64url code: \(base64URLKernels.joined(separator: ", "))

        """
    }

    /// Best first, by the names of docs/kernels.md.
    private static var implementations: [String] {
        // Runs the known answers of the kernels: a kernel that fails is not used.
        _ = KeyAcceleration.kernelsInUse
        let kernels: [(name: String, kernel: VectorKernel)] = [
            ("ifma", .rsa), ("fma", .rsaDoubles),
        ]
        return kernels.filter(\.kernel.isInUse).map(\.name) + ["portable"]
    }

    static var base64URLKernels: [String] {
        Base64URLKernel.allCases.filter { $0 != .best && $0.isAvailable }.map { "\($0)" }
    }
}
