// The ways in which keys compute, by the names of the command line.

import JOSE

extension KeyAcceleration {
    /// Every way with its name, the default first.
    static let named: [(name: String, way: KeyAcceleration)] = [
        ("automatic", .automatic), ("with-encryption", .withEncryption),
        ("no-kernels", .noKernels), ("openssl-only", .openSSLOnly),
    ]
}
