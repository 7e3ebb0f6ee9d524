// JOSEError.Input: which of several inputs of a call was rejected.

extension JOSEError {
    /// The input of a call that an error is about, such as `revocation list 1, PEM block 3`.
    public struct Input: Hashable, Sendable {
        package enum Kind: UInt8, Sendable {
            case anchor = 1
            case certificate, revocationList, key
        }
        package let kind: Kind
        private let position: UInt16
        private var blockNumber: UInt16 = 0

        package init(_ kind: Kind, _ index: Int) {
            self.kind = kind
            position = UInt16(clamping: index)
        }

        init?(packed: UInt64) {
            guard let kind = Kind(rawValue: UInt8(truncatingIfNeeded: packed)) else { return nil }
            self.kind = kind
            position = UInt16(truncatingIfNeeded: packed >> 8)
            blockNumber = UInt16(truncatingIfNeeded: packed >> 24)
        }

        /// All fields in 40 bits, never 0. 0 in `JOSEError` means that there is no input.
        var packed: UInt64 {
            UInt64(kind.rawValue) | UInt64(position) << 8 | UInt64(blockNumber) << 24
        }

        /// The kind of input: `anchor`, `certificate`, `revocation list`, or `key` of a JWK Set.
        public var name: String {
            switch kind {
            case .anchor: "anchor"
            case .certificate: "certificate"
            case .revocationList: "revocation list"
            case .key: "key"
            }
        }

        /// The index among the inputs of this kind, from 0 to 65,535.
        public var index: Int { Int(position) }

        /// The index of the PEM block in the input, from 0; nil if the input holds one value.
        public var block: Int? { blockNumber == 0 ? nil : Int(blockNumber) - 1 }

        func block(_ index: Int) -> Input {
            var input = self
            input.blockNumber = UInt16(clamping: index + 1)
            return input
        }
    }
}

extension JOSEError.Input: CustomStringConvertible {
    /// The name with positions that count from 1.
    public var description: String {
        "\(name) \(index + 1)" + (block.map { ", PEM block \($0 + 1)" } ?? "")
    }
}
