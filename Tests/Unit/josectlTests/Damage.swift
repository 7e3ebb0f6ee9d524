// Random mutations of requests and files, reproducible by their seed.

import Foundation

/// Changes one or two things in a JSON object or in bytes: a value, a part of a token, a base64
/// payload.
struct Damage: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }

    /// A request with a mutation in it. Its operation stays.
    mutating func damaged(_ request: [String: Any]) -> [String: Any] {
        let operation = request["op"]
        var changed = request
        changed["op"] = nil
        for _ in 0...below(2) { changed = damagedMembers(changed) }
        changed["op"] = operation
        return changed
    }

    private mutating func damagedMembers(_ object: [String: Any]) -> [String: Any] {
        var object = object
        // Sorted, since a dictionary's order differs between runs.
        guard let name = object.keys.sorted().randomElement(using: &self) else { return ["x": 1] }
        switch below(12) {
        case 0: object[name] = nil
        case 1: object[name] = scalar()
        case 2:
            object[object.keys.sorted().randomElement(using: &self) ?? name] = object[name]
        default: object[name] = damagedValue(object[name] ?? 0)
        }
        return object
    }

    private mutating func damagedValue(_ value: Any) -> Any {
        switch value {
        case let object as [String: Any]: return damagedMembers(object)
        case var array as [Any]:
            guard !array.isEmpty else { return [scalar()] }
            let place = below(array.count)
            switch below(8) {
            case 0: array.remove(at: place)
            case 1: array.insert(array[place], at: below(array.count))
            case 2: array = Array(repeating: array[place], count: below(20))
            default: array[place] = damagedValue(array[place])
            }
            return array
        case let text as String: return damagedText(text)
        default: return scalar()
        }
    }

    private mutating func scalar() -> Any {
        let values: [Any] = [
            0, 1, -1, 0.5, 1e300, Int64.max, 253_402_300_800, true, false, NSNull(), "", "x",
            [Any](), [String: Any](), ["keys": [Any]()], "AQAB", "AA", "é\u{0}\u{202e}",
            String(repeating: "A", count: 3_000),
        ]
        return values[below(values.count)]
    }

    private mutating func damagedText(_ text: String) -> String {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count < 3 else {
            var parts = parts
            let place = below(parts.count)
            switch below(8) {
            case 0: parts.remove(at: place)
            case 1: parts.swapAt(place, below(parts.count))
            case 2: parts[place] = ""
            case 3: parts[0] = damagedHeader(parts[0])
            default: parts[place] = damagedText(parts[place])
            }
            return parts.joined(separator: ".")
        }
        if below(4) > 0, let bytes = Data(anyBase64: text), !bytes.isEmpty {
            let changed = Data(damaged([UInt8](bytes)))
            return text.contains(where: { "+/=".contains($0) }) || text.count > 600
                ? changed.base64EncodedString() : changed.base64URL
        }
        let names = [
            "none", "RS256", "PS512", "ES256", "EdDSA", "HS256", "dir", "RSA-OAEP", "ECDH-ES",
            "A128KW",
            "A128GCMKW", "ECDH-ES+A256KW", "A128GCM", "A256CBC-HS512", "P-256", "P-521",
            "secp256k1", "Ed25519", "Ed448", "X25519", "X448", "RSA", "EC", "OKP", "oct", "sig",
            "enc", "DEF", "sha-256",
        ]
        if below(3) == 0 { return names[below(names.count)] }
        return String(decoding: damaged(Array(text.utf8)), as: UTF8.self)
    }

    /// A protected header with a mutation in its JSON.
    private mutating func damagedHeader(_ text: String) -> String {
        guard let bytes = Data(anyBase64: text),
            let object = try? JSONSerialization.jsonObject(with: bytes) as? [String: Any],
            let changed = try? JSONSerialization.data(
                withJSONObject: damagedMembers(object), options: .sortedKeys)
        else { return text }
        return changed.base64URL
    }

    /// Bytes with a changed bit, byte or range.
    mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        guard !bytes.isEmpty else { return [UInt8(below(256))] }
        var bytes = bytes
        let start = below(bytes.count)
        let end = min(bytes.count, start + 1 + below(12))
        switch below(12) {
        case 0, 1, 2: bytes[start] ^= 1 << UInt8(below(8))
        case 3, 4: bytes[start] = [0, 1, 2, 0x30, 0x7f, 0x80, 0x81, 0xa0, 0xff][below(9)]
        case 5: bytes.removeSubrange(start..<end)
        case 6: bytes.insert(contentsOf: bytes[start..<end], at: start)
        case 7: for place in start..<end { bytes[place] = 0 }
        case 8: bytes.removeLast(bytes.count - start)
        case 9: bytes.append(contentsOf: bytes[start..<end])
        case 10: bytes = [UInt8](repeating: [0, 1, 0xff][below(3)], count: bytes.count)
        default: bytes[start..<end].reverse()
        }
        return bytes
    }
}

extension Data {
    /// The bytes of base64 or base64url, padded or not.
    fileprivate init?(anyBase64 text: String) {
        var padded = text.replacing("-", with: "+").replacing("_", with: "/")
        padded += String(repeating: "=", count: (4 - padded.utf8.count % 4) % 4)
        self.init(base64Encoded: padded)
    }

    fileprivate var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
