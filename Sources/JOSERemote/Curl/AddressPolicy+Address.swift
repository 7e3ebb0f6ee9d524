// The address policy that C applies to each address before it connects.

internal import CJOSERemote

extension AddressPolicy {
    /// Whether a request with this policy may connect to an IP address.
    ///
    /// - Parameter address: 4 or 16 bytes, in network order.
    package func covers(_ address: [UInt8]) -> Bool {
        guard self == .publicAddresses else { return true }
        // Safe: C reads `count` bytes and keeps nothing.
        return unsafe address.withUnsafeBufferPointer {
            unsafe jose_address_is_public($0.baseAddress, $0.count)
        }
    }
}
