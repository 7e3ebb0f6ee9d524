// Classes of ASCII characters.

extension UInt8 {
    /// The value of a hexadecimal digit of either case; nil for any other byte.
    @inlinable
    package var hexadecimalValue: UInt8? {
        let decimal = self &- UInt8(ascii: "0")
        let letter = (self | 0x20) &- UInt8(ascii: "a")
        guard decimal < 10 || letter < 6 else { return nil }
        return decimal < 10 ? decimal : letter &+ 10
    }

    /// Whether the character needs no percent-encoding anywhere in a URI (RFC 3986, 2.3).
    @inlinable
    package var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    @inlinable
    package var lowercasedASCII: UInt8 { 0x41...0x5a ~= self ? self | 0x20 : self }
}
