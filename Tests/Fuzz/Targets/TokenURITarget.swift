// PKCS#11 URIs, which name a key in a token, from a configuration or a command line.

import JOSE
import JOSEPKCS11

extension FuzzTarget {
    static let tokenURI = FuzzTarget("token-uri") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        guard let uri = try bounded(bytes, { try PKCS11URI(text) }) else { return }
        let path = text.utf8.dropFirst("pkcs11:".utf8.count).prefix { $0 != UInt8(ascii: "?") }
        let values = [
            uri.token, uri.manufacturer, uri.model, uri.serial, uri.object, uri.id,
            uri.slotDescription, uri.slotManufacturer, uri.libraryDescription,
            uri.libraryManufacturer,
        ].compactMap { $0 }
        let others = [uri.kind != nil, uri.slotID != nil, uri.libraryVersion != nil].count { $0 }
        let said = path.isEmpty ? 0 : path.split(separator: UInt8(ascii: ";")).count
        try hold(values.count + others == said, "an attribute was lost or made up")
        try hold(values.joined().count <= path.count, "a value longer than its text")
        guard let again = try accepted({ try PKCS11URI("\(uri)") }) else {
            // Percent signs make it longer.
            return try hold(3 * path.count > 4_000, "its description is no URI")
        }
        try hold("\(again)" == "\(uri)" && again.id == uri.id, "the name changed on its way")
    }
}
