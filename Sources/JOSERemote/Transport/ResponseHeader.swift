// The header lines of an HTTP response.

import JOSEBytes

/// Repeated fields are joined (RFC 9110, 5.3).
struct ResponseHeader: Sendable {
    private var fields: [String: String] = [:]

    init(_ lines: Span<UInt8>) {
        var start = 0
        for index in lines.indices where lines[index] == 0x0a {
            read(lines.extracting(start..<index))
            start = index + 1
        }
    }

    /// `name` is in lower case.
    subscript(_ name: String) -> String? { fields[name] }

    /// Fields with longer names are ignored.
    private static let maxNameBytes = 64

    private mutating func read(_ line: Span<UInt8>) {
        var colon = 0
        while colon < line.count, line[colon] != UInt8(ascii: ":") { colon += 1 }
        guard colon > 0, colon < line.count, colon <= ResponseHeader.maxNameBytes
        else { return }
        var name = ""
        for index in 0..<colon {
            name.unicodeScalars.append(UnicodeScalar(line[index]))
        }
        name = name.lowercasedASCII
        var first = colon + 1
        var end = line.count
        while first < end, line[first] == 0x20 || line[first] == 0x09 { first += 1 }
        while end > first, line[end - 1] == 0x20 || line[end - 1] == 0x09 || line[end - 1] == 0x0d {
            end -= 1
        }
        var value = ""
        for index in first..<end {
            value.unicodeScalars.append(UnicodeScalar(line[index]))
        }
        fields[name] = fields[name].map { "\($0), \(value)" } ?? value
    }
}
