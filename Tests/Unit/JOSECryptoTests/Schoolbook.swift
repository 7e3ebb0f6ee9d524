// Schoolbook arithmetic on big-endian numbers, for slightly wrong keys.

func remainder(_ number: [UInt8], _ divisor: Int) -> Int {
    number.reduce(0) { ($0 << 8 | Int($1)) % divisor }
}

func subtract(_ number: inout [UInt8], _ value: Int) {
    var borrow = value
    for index in number.indices.reversed() where borrow > 0 {
        let digit = Int(number[index]) - borrow % 256
        number[index] = UInt8((digit + 256) % 256)
        borrow = borrow / 256 + (digit < 0 ? 1 : 0)
    }
}

func multiplied(_ number: [UInt8], _ factor: Int) -> [UInt8] {
    var result: [UInt8] = []
    var carry = 0
    for digit in number.reversed() {
        carry += Int(digit) * factor
        result.append(UInt8(carry % 256))
        carry /= 256
    }
    while carry > 0 {
        result.append(UInt8(carry % 256))
        carry /= 256
    }
    return result.reversed()
}

func add(_ number: inout [UInt8], _ value: [UInt8]) {
    var carry = 0
    for offset in 0..<number.count {
        let index = number.count - 1 - offset
        carry +=
            Int(number[index]) + (offset < value.count ? Int(value[value.count - 1 - offset]) : 0)
        number[index] = UInt8(carry % 256)
        carry /= 256
    }
}

func subtract(_ number: [UInt8], _ other: [UInt8]) -> [UInt8] {
    var result = number
    var borrow = 0
    for offset in 0..<number.count {
        let index = number.count - 1 - offset
        let digit =
            Int(number[index]) - borrow
            - (offset < other.count ? Int(other[other.count - 1 - offset]) : 0)
        result[index] = UInt8((digit + 256) % 256)
        borrow = digit < 0 ? 1 : 0
    }
    return result
}

func add(_ number: [UInt8], _ value: Int) -> [UInt8] {
    var result = number
    var carry = value
    for index in number.indices.reversed() where carry > 0 {
        carry += Int(number[index])
        result[index] = UInt8(carry % 256)
        carry /= 256
    }
    return result
}
