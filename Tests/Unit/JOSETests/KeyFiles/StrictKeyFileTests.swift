// The tolerant reader of key files compared with a strict one: every difference has a name.

import JOSE
import Testing

/// A strict reader of PEM: RFC 7468, 3 ("strict"), with the content that each label defines.
private enum StrictKeyFile {
    /// What the tolerant reader accepts and this one rejects.
    enum Difference: String, CaseIterable {
        case byteOrderMark = "a byte order mark before the text"
        case quoted = "quotation marks around the text"
        case escaped = "\\n as two characters"
        case indented = "space before lines"
        case blankLine = "an empty line in a block"
        case lineLength = "lines of another length, or one line"
        case textBetween = "text outside of blocks"
        case otherLabel = "a label of another form"
        case unreadable = "a block that cannot be read beside others"
        case base64 = "base64 without PEM lines"
        case set = "a set of PKCS#7 in the place of certificates"
    }

    struct Differences: Error { let all: Set<Difference> }

    /// One block as the tests created it: its right label and its content.
    struct Known: Sendable {
        let labels: [String]
        let der: [UInt8]
        /// The certificates of a set.
        var certificates: [[UInt8]]?
    }

    /// The content of the blocks, or the differences for which this reader rejects the text. Nil if
    /// no reader finds anything.
    static func read(_ text: String, _ known: [Known]) -> Result<[Known], Differences>? {
        var found: Set<Difference> = []
        var text = text
        if text.unicodeScalars.first == "\u{feff}" {
            found.insert(.byteOrderMark)
            text.unicodeScalars.removeFirst()
        }
        if text.first == "\"" || text.first == "'" {
            found.insert(.quoted)
            text.removeFirst()
            while text.last == "\n" || text.last == "\"" || text.last == "'" { text.removeLast() }
        }
        if text.contains("\\n") {
            found.insert(.escaped)
            text = text.replacing("\\n", with: "\n")
        }
        guard text.contains("-----BEGIN ") else {
            let packed = text.filter { !$0.isWhitespace }
            let one = known.first {
                Independent.standardBase64($0.der).filter { $0 != "\n" } == packed
            }
            guard let one else { return nil }
            return .failure(Differences(all: found.union([.base64]).union(set(one))))
        }
        var blocks: [Known] = []
        for piece in pieces(text, &found) {
            let body = piece.body.filter { !$0.isWhitespace }
            let one = known.first {
                Independent.standardBase64($0.der).filter { $0 != "\n" } == body
            }
            guard let one else {
                found.insert(.unreadable)
                continue
            }
            found.formUnion(set(one))
            if !one.labels.contains(piece.label) { found.insert(.otherLabel) }
            if piece.body != "\n" + Independent.standardBase64(one.der) + "\n" {
                check(piece.body, &found)
            }
            blocks.append(one)
        }
        guard !blocks.isEmpty else { return nil }
        return found.isEmpty ? .success(blocks) : .failure(Differences(all: found))
    }

    private static func set(_ one: Known) -> Set<Difference> {
        one.certificates == nil ? [] : [.set]
    }

    /// Returns why the body of a block is not strict base64.
    private static func check(_ body: String, _ found: inout Set<Difference>) {
        let lines = body.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
            .dropLast()
        guard lines.contains(where: { !$0.isEmpty }) else {
            found.insert(.lineLength)
            return
        }
        if lines.contains(where: { $0.allSatisfy(\.isWhitespace) }) { found.insert(.blankLine) }
        if lines.contains(where: { $0.first?.isWhitespace ?? false }) { found.insert(.indented) }
        let filled = lines.map { $0.filter { !$0.isWhitespace } }.filter { !$0.isEmpty }
        if filled.dropLast().contains(where: { $0.count != 64 }) || (filled.last?.count ?? 0) > 64 {
            found.insert(.lineLength)
        }
    }

    /// Labels and the text between BEGIN and END.
    private static func pieces(
        _ text: String, _ found: inout Set<Difference>
    ) -> [(label: String, body: String)] {
        var pieces: [(String, String)] = []
        var rest = text[...]
        while let begin = rest.firstRange(of: "-----BEGIN ") {
            let before = rest[..<begin.lowerBound]
            if before.last.map({ $0 == " " || $0 == "\t" }) ?? false { found.insert(.indented) }
            if before.contains(where: { !$0.isWhitespace }) { found.insert(.textBetween) }
            rest = rest[begin.upperBound...]
            guard let dashes = rest.firstRange(of: "-----") else { break }
            let label = String(rest[..<dashes.lowerBound])
            rest = rest[dashes.upperBound...]
            guard let end = rest.firstRange(of: "-----END \(label)-----") else { break }
            var body = String(rest[..<end.lowerBound])
            while body.last == " " || body.last == "\t" { body.removeLast() }
            pieces.append((label, body))
            rest = rest[end.upperBound...]
        }
        if rest.contains(where: { !$0.isWhitespace }) { found.insert(.textBetween) }
        return pieces
    }
}

@Suite("Key files: tolerant and strict readers")
struct StrictKeyFileTests {
    private typealias Mutation = (name: String, change: @Sendable (String) -> String)

    private static let mutations: [Mutation] = [
        ("as it is", { $0 }), ("a line break more", { $0 + "\n" }),
        ("mark", { $0.unicodeScalars.first == "\u{feff}" ? $0 : "\u{feff}" + $0 }),
        ("quoted", { $0.contains("\"") ? $0 : "\"" + $0 + "\"" }),
        ("escaped", { $0.replacing("\n", with: "\\n") }),
        ("indented", { "  " + $0.replacing("\n", with: "\n  ") }),
        ("blank", { $0.replacing("KEY-----\n", with: "KEY-----\n\n", maxReplacements: 1) }),
        ("one line", { $0.replacing("\n", with: "") }),
        ("comment", { "Bag Attributes\n" + $0 }),
        ("label", { $0.replacing("PRIVATE KEY", with: "RSA PRIVATE KEY") }),
        ("label of certificates", { $0.replacing("CERTIFICATE-----", with: "PUBLIC KEY-----") }),
        (
            "unreadable",
            { $0 + "\n-----BEGIN PUBLIC KEY-----\nMAMCAQE=\n-----END PUBLIC KEY-----\n" }
        ),
        ("cut", { String($0.dropLast(30)) }),
        ("cut in the middle", { String($0.prefix($0.count / 2)) }),
        ("base64", { $0.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined() }),
        ("no base64", { $0.replacing("M", with: "*") }),
        ("nothing", { _ in "" }),
    ]

    @Test("the tolerant reader accepts all that the strict one accepts, and lists the difference")
    func differences() throws {
        let key = TestKeys.bare(TestKeys.signing)
        let root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        let leaf = try root.leaf(key)
        let certificate = ["CERTIFICATE"]
        let chain = [leaf, root.certificate]
        let known: [StrictKeyFile.Known] = [
            .init(
                labels: ["PRIVATE KEY"],
                der: try key.privateKeyFile()),
            .init(labels: ["PUBLIC KEY"], der: try key.publicKeyFile(.der)),
            .init(labels: certificate, der: leaf),
            .init(labels: certificate, der: root.certificate),
            .init(
                labels: ["PKCS7"], der: PKCS12Maker.certificatesOnly(chain.reversed()),
                certificates: chain),
        ]
        let files = [[0], [1], [2], [2, 3], [0, 2, 3], [4], [0, 4]].map { positions in
            positions.map { TestDER.pem(known[$0].labels[0], known[$0].der) }.joined()
        }
        let own = try key.thumbprint()
        var random = SeededGenerator(seed: SeededGenerator.seed(for: "strict key files"))
        var seen: Set<StrictKeyFile.Difference> = []
        var agreed = 0
        for round in 0..<700 {
            var text = files[round % files.count]
            let first = Self.mutations[round % Self.mutations.count]
            text = first.change(text)
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                text = (Self.mutations.randomElement(using: &random) ?? first).change(text)
            }
            let tolerant = try? KeyFileContents(text)
            // Whatever the mutation, the file never contains another key or certificate.
            for found in tolerant?.keys ?? [] { #expect(try found.thumbprint() == own) }
            #expect(tolerant?.certificates.allSatisfy(chain.contains) ?? true)
            switch StrictKeyFile.read(text, known) {
            case .success(let blocks)?:
                let contents = try #require(tolerant, "\(text)")
                agreed += 1
                #expect(contents.warnings.isEmpty)
                #expect(contents.formats.count == blocks.count)
                #expect(
                    contents.certificates
                        == blocks.filter { $0.labels == certificate }.map(\.der))
            case .failure(let differences)?:
                guard let tolerant else { continue }
                seen.formUnion(differences.all)
                // It is reported, unless the meaning is the same.
                if !differences.all.isDisjoint(with: [.otherLabel, .unreadable]) {
                    #expect(!tolerant.warnings.isEmpty, "\(differences.all) \(text)")
                }
                if differences.all == [.set] { #expect(tolerant.certificates == chain) }
            case nil: #expect(tolerant == nil, "\(text)")
            }
        }
        #expect(seen == Set(StrictKeyFile.Difference.allCases))
        #expect(agreed > 10)
    }
}
