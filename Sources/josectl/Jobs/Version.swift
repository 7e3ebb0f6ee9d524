// Which tool this is, and what it computes with here.

import JOSE
import JOSEBytes
import JOSECrypto

enum Version {
    /// The number of the version: it stands here alone, and `./dev` reads this line.
    static let number = "0.1.0"

    /// What `josectl --version` says: the number on the first line.
    static var report: String {
        """
        josectl \(number)
        libcrypto \(HostProcess.libraryVersion)
        ways of computing: \(ways.joined(separator: ", "))
        base64url: \(base64URLKernels.joined(separator: ", "))

        """
    }

    /// The ways of computing of this processor, the best first, by the names of docs/kernels.md.
    private static var ways: [String] {
        // The kernels are asked their known answers first.
        _ = KeyAcceleration.kernelsInUse
        let kernels: [(way: String, kernel: VectorKernel)] = [
            ("ifma", .rsa), ("fma", .rsaDoubles),
        ]
        return kernels.filter(\.kernel.isInUse).map(\.way) + ["portable"]
    }

    /// The kernels of base64url that this processor runs.
    static var base64URLKernels: [String] {
        Base64URLKernel.allCases.filter { $0 != .best && $0.isAvailable }.map { "\($0)" }
    }
}
