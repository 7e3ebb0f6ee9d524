// Reads single values of the document, and types with a special rule (ClaimTypeRule).

import JOSEBytes

extension ClaimsSource {
    func read<T: Decodable>(_ type: T.Type, at node: Int, depth: Int) throws -> T {
        if type == [String].self { return sameTypeCast(try strings(at: node), to: type) }
        do {
            if lastPlainType != ObjectIdentifier(type) {
                switch ClaimTypeRule.of(type) {
                case .plain: lastPlainType = ObjectIdentifier(type)
                case .rejected: throw ForeignTypeError()
                case .integers: return sameTypeCast(try integers(at: node), to: type)
                case .stringSet: return sameTypeCast(try textSet(at: node), to: type)
                case .date: return sameTypeCast(try date(at: node), to: type)
                case .json: return sameTypeCast(json(at: node), to: type)
                case .hooked(let hooked): return try read(hooked, as: type, at: node)
                }
            }
            return try T(from: ValueDecoder(self, node, depth: depth))
        } catch {
            if node != root, !(error is DecodingError) { failedNode = node }
            throw error
        }
    }

    /// Reads a type by its `JOSEClaimValue` code. Not inlined: other types do not pay for the cast.
    @inline(never)
    private func read<T: Decodable>(
        _ hooked: any JOSEClaimValue.Type, as type: T.Type, at node: Int
    ) throws -> T {
        guard let value = try hooked.init(claim: json(at: node)) as? T else { throw unfit(node) }
        return value
    }

    func bool(at node: Int) throws -> Bool {
        switch document.nodes[node].kind {
        case .true: return true
        case .false: return false
        default: throw mismatch(Bool.self, at: node)
        }
    }

    func text(at node: Int) throws -> String {
        guard document.nodes[node].kind == .string else {
            throw mismatch(String.self, at: node)
        }
        return string(node)
    }

    func integer<T: FixedWidthInteger>(_ type: T.Type, at node: Int) throws -> T {
        guard document.nodes[node].kind == .number else { throw mismatch(type, at: node) }
        if let value = document.integer(at: node) {
            guard let exact = T(exactly: value) else { throw unfit(node) }
            return exact
        }
        // Beyond Int64 an integer must be plain digits, without fraction or exponent.
        guard let exact = T(numberText(node), radix: 10) else { throw unfit(node) }
        return exact
    }

    func float<T: BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: T.Type, at node: Int
    ) throws -> T {
        guard document.nodes[node].kind == .number else { throw mismatch(type, at: node) }
        if type == Double.self {
            guard let value = document.double(at: node) else { throw unfit(node) }
            return T(value)
        }
        // A conversion from Double would round twice.
        guard let value = T(numberText(node)), value.isFinite else { throw unfit(node) }
        return value
    }

    func numberText(_ node: Int) -> String {
        let number = document.nodes[node]
        return String(decoding: document.bytes[number.start..<number.end], as: UTF8.self)
    }

    private func strings(at node: Int) throws -> [String] {
        try elements(at: node) { try text(at: $0) }
    }

    private func integers(at node: Int) throws -> [Int] {
        try elements(at: node) { try integer(Int.self, at: $0) }
    }

    @inline(__always)
    private func elements<T>(at node: Int, _ read: (Int) throws -> T) throws -> [T] {
        var values: [T] = []
        try forEachElement(of: node, as: [T].self) { element in
            if values.isEmpty { values.reserveCapacity(document.nodes[node].count) }
            values.append(try read(element))
        }
        return values
    }

    func forEachElement(
        of array: Int, as type: any Any.Type, _ body: (Int) throws -> Void
    ) throws {
        guard document.nodes[array].kind == .array else { throw mismatch(type, at: array) }
        let end = document.nodes[array].next
        var at = array + 1
        while at < end {
            try body(at)
            at = document.nodes[at].next
        }
    }
}
