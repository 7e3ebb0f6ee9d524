// The acceleration settings of keys by their names on the command line.

import JOSE

extension KeyAcceleration {
    /// All settings, the default first.
    static let named: [(name: String, value: KeyAcceleration)] = [
        ("automatic", .automatic), ("with-encryption", .withEncryption),
        ("with-private-keys", .withPrivateKeys),
        ("with-floating-point", .withPrivateKeysAndFloatingPoint),
        ("no-kernels", .noKernels), ("openssl-only", .openSSLOnly),
    ]
}
