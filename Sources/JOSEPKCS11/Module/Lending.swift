// Lending bytes to C: the pointer lives for the call and no longer.

extension Optional<[UInt8]> {
    /// Lends the bytes; NULL for nil alone.
    func lend<R>(_ body: (UnsafePointer<UInt8>?, Int) -> R) -> R {
        guard let bytes = self else { return body(nil, 0) }
        return unsafe bytes.lend(body)
    }
}

extension [UInt8] {
    /// Lends the bytes; never NULL.
    func lend<R>(_ body: (UnsafePointer<UInt8>, Int) -> R) -> R {
        // An empty array may have no address, and NULL has a meaning of its own in PKCS#11.
        guard !isEmpty else {
            return unsafe withUnsafePointer(to: 0 as UInt8) { unsafe body($0, 0) }
        }
        return unsafe withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else {
                return unsafe withUnsafePointer(to: 0 as UInt8) { unsafe body($0, 0) }
            }
            return unsafe body(base, buffer.count)
        }
    }
}
