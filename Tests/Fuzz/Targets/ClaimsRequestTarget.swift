// The claims request of an authorization request: no requested ACR may be lost.

import Foundation
import JOSE
import JOSEBytes
import JOSEOpenID

extension FuzzTarget {
    static let claimsRequest = FuzzTarget("claims-request") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        guard let request = try bounded(bytes, { try ClaimsRequest(json: text) }) else { return }
        try hold(try ClaimsRequest(json: request.text()) == request, "it changed on its way")
        // Foundation reads a name after a byte order mark as the name without it.
        guard !text.unicodeScalars.contains("\u{feff}"), !text.lowercased().contains("\\ufeff")
        else { return }
        // Foundation accepts more than JSON, but everything it finds in JSON is there.
        guard
            let members = try? JSONSerialization.jsonObject(with: Data(text.utf8))
                as? [String: Any]
        else { return }
        let demands = members["id_token"] as? [String: Any] ?? [:]
        var wanted: [String] = []
        for name in ["acr", "acr_values"] {
            guard let demand = demands[name] as? [String: Any] else { continue }
            let value = demand["value"].map { $0 as? [Any] ?? [$0] } ?? []
            let all = value + (demand["values"] as? [Any] ?? [])
            let texts = all.compactMap { $0 as? String }
            // An invalid string is rejected where the request is received, and so is an empty list.
            guard texts.count == all.count, (demand["value"] as? [Any])?.isEmpty != true else {
                return try hold(received(text).acrValues.isEmpty, "a demand of nothing was read")
            }
            wanted += texts
        }
        let read = try received(text).acrValues
        try hold(
            read.count == wanted.count
                && zip(read, wanted).allSatisfy { isSame($0, $1) },
            "another context was demanded")
    }

    /// Whether Foundation read the same. It drops byte order marks at the start of a string and
    /// after an escape.
    private static func isSame(_ read: String, _ theirs: String) -> Bool {
        let marks = { (text: String) in text.unicodeScalars.filter { $0 != "\u{feff}" } }
        return marks(read).elementsEqual(marks(theirs))
    }

    /// A request stored by a provider, with this claims parameter.
    private static func received(_ claims: String) throws -> ReceivedAuthorization {
        try ClaimsDecoder.decode(
            ReceivedAuthorization.self,
            from: ClaimsEncoder.encode(
                [
                    "issuer": "https://idp.example", "signedCount": 0,
                    "parameters": ["all": [["name": "claims", "value": .string(claims)]]],
                ] as JSONValue), maxDepth: 8)
    }
}
