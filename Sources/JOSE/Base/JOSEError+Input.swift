// Which of several inputs of one call was rejected, by its place alone.

extension JOSEError {
    /// One of the inputs of a call: `anchor 2`, or `revocation list 1, PEM block 3`.
    public struct Input: Hashable, Sendable {
        package enum Kind: UInt8, Sendable {
            case anchor = 1
            case certificate, revocationList, key
        }
        package let kind: Kind
        private let place: UInt16
        private var blockNumber: UInt16 = 0

        package init(_ kind: Kind, _ index: Int) {
            self.kind = kind
            place = UInt16(clamping: index)
        }

        /// From what `packed` gives; nil for 0.
        init?(packed: UInt64) {
            guard let kind = Kind(rawValue: UInt8(truncatingIfNeeded: packed)) else { return nil }
            self.kind = kind
            place = UInt16(truncatingIfNeeded: packed >> 8)
            blockNumber = UInt16(truncatingIfNeeded: packed >> 24)
        }

        /// All of it in 40 bits, never 0, so that the error is no larger for it.
        var packed: UInt64 {
            UInt64(kind.rawValue) | UInt64(place) << 8 | UInt64(blockNumber) << 24
        }

        /// What it is: `anchor`, `certificate`, `revocation list`, or `key` of a JWK Set.
        public var name: String {
            switch kind {
            case .anchor: "anchor"
            case .certificate: "certificate"
            case .revocationList: "revocation list"
            case .key: "key"
            }
        }

        /// The place among the inputs of its kind, from 0, up to 65,535.
        public var index: Int { Int(place) }

        /// The place of the PEM block in it, from 0; nil where it holds only one value.
        public var block: Int? { blockNumber == 0 ? nil : Int(blockNumber) - 1 }

        func block(_ index: Int) -> Input {
            var input = self
            input.blockNumber = UInt16(clamping: index + 1)
            return input
        }
    }
}

extension JOSEError.Input: CustomStringConvertible {
    /// The name and the places, counted from 1 as people do.
    public var description: String {
        "\(name) \(index + 1)" + (block.map { ", PEM block \($0 + 1)" } ?? "")
    }
}
