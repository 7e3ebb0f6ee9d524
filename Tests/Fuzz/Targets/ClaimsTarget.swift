// Claims decoding: any JSON into a type with one member of every kind, and back.

import JOSE
import JOSEBytes

extension FuzzTarget {
    static let claims = FuzzTarget("claims") { bytes in
        let claims = try bounded(bytes) {
            try ClaimsDecoder.decode(AllKinds.self, from: bytes, maxDepth: 32)
        }
        if let claims {
            let encoded = try ClaimsEncoder.encode(claims)
            let again = try ClaimsDecoder.decode(AllKinds.self, from: encoded, maxDepth: 32)
            try hold(again == claims, "claims change on their way")
        }
        // Containers of one kind at the top level.
        _ = try accepted {
            try ClaimsDecoder.decode([String: [Int]].self, from: bytes, maxDepth: 32)
        }
        let map = try accepted {
            try ClaimsDecoder.decode([String: JSONValue].self, from: bytes, maxDepth: 32)
        }
        if let map {
            let object = try ClaimsDecoder.decode(JSONObject.self, from: bytes, maxDepth: 32)
            try hold(map.count == object.count, "one name replaced another")
        }
        let set = try accepted {
            try ClaimsDecoder.decode(Set<String>.self, from: bytes, maxDepth: 32)
        }
        if let set {
            let texts = try ClaimsDecoder.decode([String].self, from: bytes, maxDepth: 32)
            let bytes = Set(texts.map { Array($0.utf8) })
            try hold(set.count == bytes.count, "one text replaced another")
        }
        _ = try accepted {
            try ClaimsDecoder.decode([AllKinds?].self, from: bytes, maxDepth: 32)
        }
        _ = try accepted { try ClaimsDecoder.decode(Double.self, from: bytes, maxDepth: 32) }
        _ = try accepted {
            try ClaimsDecoder.decode(NumericDate.self, from: bytes, maxDepth: 32)
        }
    }
}

/// A member for every kind of claim. All are optional, so that the fuzzer gets further.
private struct AllKinds: Codable, Equatable {
    enum Level: String, Codable { case low, high }
    struct Address: Codable, Equatable {
        var locality: String?
        var codes: [UInt8]?
    }
    final class Link: Codable, Equatable {
        var next: Link?
        var sub: String?
        static func == (a: Link, b: Link) -> Bool { a.sub == b.sub && a.next == b.next }
    }

    var iss: String?
    var sub: String?
    var aud: [String]?
    var exp: NumericDate?
    var iat: NumericDate?
    var nbf: Int64?
    var amr: Set<String>?
    var acr: Level?
    var address: Address?
    var link: Link?
    var admin: Bool?
    var byte: UInt8?
    var short: Int16?
    var word: UInt64?
    var wide: Int?
    var ratio: Double?
    var single: Float?
    var map: [String: Double]?
    var other: JSONValue?
}
