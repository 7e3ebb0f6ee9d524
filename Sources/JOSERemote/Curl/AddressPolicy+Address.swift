// `AddressPolicy` for C, which checks each address just before libcurl connects to it.

internal import CJOSERemote

extension AddressPolicy {
    var rule: jose_addresses {
        switch self {
        case .anyAddress: .JOSE_ADDRESSES_ANY
        case .publicAddresses: .JOSE_ADDRESSES_PUBLIC
        case .loopbackAddresses: .JOSE_ADDRESSES_LOOPBACK
        }
    }

    /// Whether a request may connect to this IP address of 4 or 16 bytes, in network order.
    package func covers(_ address: [UInt8]) -> Bool {
        // Safe: C reads `count` bytes and keeps nothing.
        unsafe address.withUnsafeBufferPointer { bytes in
            switch self {
            case .anyAddress: true
            case .publicAddresses: unsafe jose_address_is_public(bytes.baseAddress, bytes.count)
            case .loopbackAddresses:
                unsafe jose_address_is_loopback(bytes.baseAddress, bytes.count)
            }
        }
    }
}
