// Parses the configuration of OpenSSL's FIPS module, which `openssl fipsinstall` writes.

/// The section `fips_sect`. All other sections are skipped.
struct FIPSConfiguration {
    static let maxBytes = 65_536

    /// The absolute path of the module's file; nil if the section has no `module`.
    private(set) var module: String?
    private(set) var settings: [(name: String, value: String)] = []

    /// Settings that must be 1 if they are present: each switches a check of the module on.
    private static let requiredChecks = [
        "security-checks", "conditional-errors", "pbkdf2-lower-bound-check",
    ]
    private static let valueCharacters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:/+"
    private static let pathCharacters = valueCharacters + "@,~"
    private static let moduleName = Array("module".utf8)
    private static let sectionName = Array("fips_sect".utf8)
    /// A value that no setting may have: libcrypto takes it for the name of the section `default`,
    /// which every configuration has.
    private static let defaultSection = Array("default".utf8)

    /// Throws `misuse` for a missing or second section, a missing `module-mac`, a line that is no
    /// setting of a module, a repeated setting, and a required check that is off.
    init(_ text: Span<UInt8>) throws(JOSEError) {
        var isInSection = false
        var hasSection = false
        var number = 0
        var start = 0
        while start < text.count {
            var end = start
            while end < text.count, text[end] != 0x0a { end += 1 }
            number += 1
            let line = text.trimmed(start..<end)
            start = end + 1
            guard let first = line.first, text[first] != UInt8(ascii: "#") else { continue }
            if text[first] == UInt8(ascii: "[") {
                isInSection = FIPSConfiguration.isSection(text, line)
                guard !isInSection || !hasSection else {
                    throw .misuse("the FIPS configuration has two sections 'fips_sect'")
                }
                hasSection = hasSection || isInSection
            } else if isInSection {
                try readSetting(text, line, number)
            }
        }
        guard hasSection else {
            throw .misuse("the FIPS configuration has no section 'fips_sect'")
        }
        guard settings.contains(where: { $0.name == "module-mac" }) else {
            throw .misuse(
                "the FIPS configuration has no 'module-mac'; `openssl fipsinstall` writes it")
        }
    }

    private static func isSection(_ text: Span<UInt8>, _ line: Range<Int>) -> Bool {
        guard line.count > 2, text[line.upperBound - 1] == UInt8(ascii: "]") else { return false }
        let name = text.trimmed((line.lowerBound + 1)..<(line.upperBound - 1))
        return text.bytes(name) == sectionName
    }

    private mutating func readSetting(
        _ text: Span<UInt8>, _ line: Range<Int>, _ number: Int
    ) throws(JOSEError) {
        var middle = line.lowerBound
        while middle < line.upperBound, text[middle] != UInt8(ascii: "=") { middle += 1 }
        let name = text.bytes(text.trimmed(line.lowerBound..<middle))
        let value = text.bytes(
            text.trimmed(min(middle + 1, line.upperBound)..<line.upperBound))
        guard name.consists(of: "abcdefghijklmnopqrstuvwxyz0123456789-"), !value.isEmpty else {
            throw FIPSConfiguration.wrongLine(number)
        }
        if name == FIPSConfiguration.moduleName {
            try FIPSConfiguration.checkPath(value, number)
        } else if !value.consists(of: FIPSConfiguration.valueCharacters)
            || value == FIPSConfiguration.defaultSection
        {
            throw FIPSConfiguration.wrongLine(number)
        }
        try add(
            String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self), number)
    }

    private static func checkPath(_ path: [UInt8], _ number: Int) throws(JOSEError) {
        let other = path.firstIndex { !pathCharacters.utf8.contains($0) }
        guard let other else { return }
        throw .misuse(
            """
            line {} of the FIPS configuration: the path of the module has the byte {} at position \
            {}; only ASCII letters, digits and -_.:/+@,~ are allowed
            """,
            .number(number), .number(Int(path[other])), .number(other + 1))
    }

    private mutating func add(
        _ key: String, _ text: String, _ number: Int
    ) throws(JOSEError) {
        switch key {
        case "activate": return  // the provider is activated in any case
        case "module":
            guard module == nil, text.utf8.first == UInt8(ascii: "/") else {
                throw FIPSConfiguration.wrongLine(number)
            }
            module = text
        default:
            // Names without a hyphen are libcrypto's own, for any provider.
            guard key.utf8.contains(UInt8(ascii: "-")),
                !settings.contains(where: { $0.name == key })
            else {
                throw FIPSConfiguration.wrongLine(number)
            }
            if FIPSConfiguration.requiredChecks.contains(key), text != "1" {
                throw .misuse(
                    """
                    line {} of the FIPS configuration switches a check of the module off; \
                    'security-checks', 'conditional-errors' and 'pbkdf2-lower-bound-check' must be 1
                    """,
                    .number(number))
            }
            settings.append((key, text))
        }
    }

    private static func wrongLine(_ number: Int) -> JOSEError {
        .misuse(
            """
            line {} of the FIPS configuration is no setting of a FIPS module, has the value \
            'default', or is repeated; `openssl fipsinstall` writes the file
            """,
            .number(number))
    }
}

extension Span<UInt8> {
    fileprivate func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, self[start].isSpace { start += 1 }
        while start < end, self[end - 1].isSpace { end -= 1 }
        return start..<end
    }

    fileprivate func bytes(_ range: Range<Int>) -> [UInt8] {
        range.map { self[$0] }
    }
}

extension UInt8 {
    fileprivate var isSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0d }
}

extension [UInt8] {
    fileprivate func consists(of characters: String) -> Bool {
        !isEmpty && allSatisfy { characters.utf8.contains($0) }
    }
}
