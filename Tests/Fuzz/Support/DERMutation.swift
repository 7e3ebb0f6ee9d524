// Mutants of key files that remain valid DER: values are removed, doubled, emptied and swapped, and
// all lengths and the MAC of PKCS#12 are corrected. Thus they get further than mutated bytes, which
// are rejected early.

import CFuzz

/// One value of a file: its contents are bytes or values (those in an OCTET STRING, too).
struct DERNode {
    var tag: UInt8
    var bytes: [UInt8] = []
    var children: [DERNode] = []

    /// The values of some bytes; nil if they are not values with definite lengths.
    static func read(_ bytes: ArraySlice<UInt8>, depth: Int = 0) -> [DERNode]? {
        var nodes: [DERNode] = []
        var at = bytes.startIndex
        while at < bytes.endIndex {
            guard bytes.endIndex - at >= 2, bytes[at] & 0x1f != 0x1f, nodes.count < 512 else {
                return nil
            }
            let tag = bytes[at]
            var length = Int(bytes[at + 1])
            var start = at + 2
            if length >= 0x80 {
                let octets = length & 0x7f
                guard 1...3 ~= octets, bytes.endIndex - start >= octets else { return nil }
                length = bytes[start..<start + octets].reduce(0) { $0 << 8 | Int($1) }
                start += octets
            }
            guard bytes.endIndex - start >= length else { return nil }
            let contents = bytes[start..<start + length]
            let mayHold = tag & 0x20 != 0 || (tag == 0x04 && contents.first == 0x30)
            if mayHold, depth < 24, let children = read(contents, depth: depth + 1) {
                nodes.append(DERNode(tag: tag, children: children))
            } else {
                nodes.append(DERNode(tag: tag, bytes: Array(contents)))
            }
            at = start + length
        }
        return nodes
    }

    /// The complete value with the right length.
    var encoded: [UInt8] {
        let contents = bytes + children.flatMap(\.encoded)
        let count = contents.count
        guard count >= 0x80 else { return [tag, UInt8(count)] + contents }
        let octets = [16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }.drop { $0 == 0 }
        return [tag, 0x80 | UInt8(octets.count)] + octets + contents
    }

    /// Changes one value inside this one among its siblings. The index counts from 1, depth first.
    mutating func edit(_ index: Int, _ body: (inout [DERNode], Int) -> Void) {
        var rest = index - 1
        for place in children.indices {
            let count = children[place].count
            guard rest >= count else {
                if rest == 0 { body(&children, place) } else { children[place].edit(rest, body) }
                return
            }
            rest -= count
        }
    }

    /// The number of values, this one and all inside it.
    var count: Int { children.reduce(1) { $0 + $1.count } }
}

/// Creates mutants from a seed.
struct DERMutator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// A mutant of a file; nil if the file is not DER.
    mutating func mutant(of file: [UInt8]) -> [UInt8]? {
        guard var nodes = DERNode.read(file[...]), nodes.count == 1 else { return nil }
        for _ in 0...draw(2) {
            let donor = pick(nodes[0], draw(nodes[0].count))
            change(&nodes[0], draw(nodes[0].count), donor)
        }
        return DERMutator.repaired(nodes[0].encoded)
    }

    /// Every file with one value emptied, removed or doubled.
    static func sweep(of file: [UInt8]) -> [[UInt8]] {
        guard let nodes = DERNode.read(file[...]), nodes.count == 1 else { return [] }
        var files: [[UInt8]] = []
        for index in 1..<nodes[0].count {
            for kind in 0..<3 {
                var node = nodes[0]
                node.edit(index) { siblings, place in
                    switch kind {
                    case 0: (siblings[place].bytes, siblings[place].children) = ([], [])
                    case 1: siblings.remove(at: place)
                    default: siblings.insert(siblings[place], at: place)
                    }
                }
                files.append(repaired(node.encoded))
            }
        }
        return files
    }

    /// The same file with a valid MAC, if it is PKCS#12 with one.
    static func repaired(_ file: [UInt8]) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: file.count + 256)
        let capacity = out.count
        let count = cfuzz_repair_mac(&out, capacity, file, file.count)
        return count > 0 ? Array(out[..<count]) : file
    }

    /// A number below the bound (SplitMix64).
    private mutating func draw(_ bound: Int) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return Int((mixed ^ mixed >> 31) % UInt64(max(bound, 1)))
    }

    private func pick(_ node: DERNode, _ index: Int) -> DERNode {
        var rest = index
        var node = node
        search: while rest > 0 {
            rest -= 1
            for child in node.children {
                guard rest >= child.count else {
                    node = child
                    continue search
                }
                rest -= child.count
            }
            break
        }
        return node
    }

    private mutating func change(_ node: inout DERNode, _ index: Int, _ donor: DERNode) {
        guard index > 0 else {
            mutate(&node, donor)
            return
        }
        var rest = index - 1
        for place in node.children.indices {
            let count = node.children[place].count
            guard rest >= count else {
                if rest > 0 {
                    change(&node.children[place], rest, donor)
                    return
                }
                switch draw(8) {
                case 0: node.children.remove(at: place)
                case 1: node.children.insert(node.children[place], at: place)
                case 2: node.children.swapAt(place, draw(node.children.count))
                case 3: node.children.insert(donor, at: place)
                default: mutate(&node.children[place], donor)
                }
                return
            }
            rest -= count
        }
    }

    private mutating func mutate(_ node: inout DERNode, _ donor: DERNode) {
        switch draw(7) {
        case 0: (node.bytes, node.children) = ([], [])
        case 1: node = donor
        case 2: node.tag ^= [0x01, 0x02, 0x20, 0x80, 0xa0, 0x04][draw(6)]
        case 3 where !node.bytes.isEmpty: node.bytes[draw(node.bytes.count)] ^= 1 << UInt8(draw(8))
        case 4 where !node.bytes.isEmpty: node.bytes.removeLast(1 + draw(node.bytes.count))
        case 5: node.bytes.append(UInt8(draw(256)))
        case 6 where node.tag == 0x02:
            let numbers: [[UInt8]] = [
                [0], [1], [0xff], [0x7f, 0xff, 0xff, 0xff], [0, 0x80], [3, 0xe8],
            ]
            (node.bytes, node.children) = (numbers[draw(numbers.count)], [])
        default: node.children.reverse()
        }
    }
}
