// The ways in which keys compute, by the names of the command line.

import JOSE

extension Acceleration {
    /// Every way with its name, the default first.
    static let named: [(name: String, way: Acceleration)] = [
        ("automatic", .automatic), ("including-encryption", .includingEncryption),
        ("portable", .portable), ("provider-only", .providerOnly),
    ]
}
