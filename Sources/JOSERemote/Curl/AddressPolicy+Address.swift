// Whether an address lies within a reach: the rule that C applies to each address that it connects to.

internal import CJOSERemote

extension AddressPolicy {
    /// Whether a request with this reach may connect to an address of IP.
    ///
    /// - Parameter address: 4 or 16 bytes, in network order.
    package func covers(_ address: [UInt8]) -> Bool {
        guard self == .publicAddresses else { return true }
        // Safe: C reads so many bytes and keeps nothing.
        return unsafe address.withUnsafeBufferPointer {
            unsafe jose_address_is_public($0.baseAddress, $0.count)
        }
    }
}
