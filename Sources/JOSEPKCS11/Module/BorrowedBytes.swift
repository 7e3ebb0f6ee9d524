// Pointers to Swift arrays for C calls, valid only during the call.

extension Optional<[UInt8]> {
    /// `body` gets NULL only for nil.
    func borrow<R>(_ body: (UnsafePointer<UInt8>?, Int) -> R) -> R {
        guard let bytes = self else { return body(nil, 0) }
        return unsafe bytes.borrow(body)
    }
}

extension [UInt8] {
    /// `body` never gets NULL.
    func borrow<R>(_ body: (UnsafePointer<UInt8>, Int) -> R) -> R {
        // An empty array may have no address, but NULL has another meaning in PKCS#11.
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
