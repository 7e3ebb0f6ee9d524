// The articles Errors and Events match the code: a section for each rejection, a row for each
// event.

import Foundation
import JOSE
import Testing

@Suite("The article Errors")
struct ErrorPageTests {
    private static let root = VectorFile.folder.deletingLastPathComponent()

    private static func page(_ name: String) throws -> String {
        try String(
            contentsOf: root.appending(path: "Sources/JOSE/JOSE.docc/\(name)"), encoding: .utf8)
    }

    /// The sections by the anchor of their heading.
    private static func sections() throws -> [String: String] {
        var sections: [String: String] = [:]
        var anchor = ""
        for line in try page("Errors.md").split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("#") {
                anchor = line.drop { $0 == "#" || $0 == " " }.lowercased()
                    .replacing(" ", with: "-").filter { $0.isLetter || "-_".contains($0) }
                #expect(sections[anchor] == nil, "\(anchor) stands twice")
            }
            sections[anchor, default: ""] += line + "\n"
        }
        return sections
    }

    private static let labels = ["- **Cause:** ", "- **Fix:** ", "- **Example:** `"]

    @Test("each code has a section with cause, fix and example") func codes() throws {
        let sections = try Self.sections()
        for code in JOSEError.Code.all {
            let section = try need(sections[ErrorPage.anchor(code, claim: nil)])
            for label in Self.labels { #expect(section.contains(label), "\(code): \(label)") }
        }
    }

    /// The text of each string literal with a space, in which `{}` stands for a value.
    private static func templates() throws -> [[Substring]] {
        var templates: Set<Substring> = []
        let files = FileManager.default.enumerator(
            at: root.appending(path: "Sources"), includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let lines = try String(contentsOf: file, encoding: .utf8)
                .replacing(/\\\n */, with: "")  // a literal over several lines
            for piece in lines.split(separator: "\"") where piece.contains(" ") {
                templates.insert(
                    piece.trimmingPrefix(/\n */).replacing(/\n *$/, with: ""))
            }
        }
        return templates.map { $0.split(separator: "{}", omittingEmptySubsequences: false) }
    }

    /// Whether a message has the parts of a template in this order, with values between them.
    private static func isMessage(_ message: Substring, of template: [Substring]) -> Bool {
        guard let first = template.first, message.hasPrefix(first) else { return false }
        // A template that is mostly values would match any message.
        guard 2 * template.joined().count >= message.count else { return false }
        var rest = message.dropFirst(first.count)
        for part in template.dropFirst().dropLast() {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return template.count == 1 ? rest.isEmpty : rest.hasSuffix(template.last ?? "")
    }

    @Test("each example is a message of the sources") func examples() throws {
        let examples = try Self.page("Errors.md")
            .matches(of: #/\n- \*\*Example:\*\* `([^`]+)`/#)
            .map { $0.output.1.trimmingPrefix(#/claim \w+: /#) }
        #expect(examples.count > 30)
        let templates = try Self.templates()
        for example in examples {
            #expect(templates.contains { Self.isMessage(example, of: $0) }, "\(example)")
        }
    }

    @Test("each section's path is a file of the repository") func path() throws {
        let parts = ErrorPage.path(.claimRejected, claim: "exp").split(separator: "#")
        #expect(parts.count == 2 && parts[1] == "claim-exp")
        #expect(FileManager.default.fileExists(atPath: Self.root.appending(path: parts[0]).path))
    }

    @Test("each claim has a complete section") func claims() throws {
        let sections = try Self.sections()
        for claim in ErrorPage.claims {
            let section = try need(sections[ErrorPage.anchor(.claimRejected, claim: claim)])
            #expect(section.hasPrefix("### claim \(claim)\n"))
            for label in Self.labels { #expect(section.contains(label), "\(claim): \(label)") }
        }
        let dates = ErrorPage.claims.filter {
            sections[ErrorPage.anchor(.claimRejected, claim: $0)]?.contains("how far") == true
        }
        #expect(dates == ["exp", "nbf", "iat", "auth_time"])
        for parameter in ErrorPage.parameters {
            #expect(
                sections[ErrorPage.anchor(.claimRejected, claim: parameter)]?.contains("Cause")
                    == true)
        }
        #expect(ErrorPage.anchor(.claimRejected, claim: "another") == "claim-rejected")
        #expect(ErrorPage.anchor(.claimRejected, claim: "exp") == "claim-exp")
        #expect(ErrorPage.anchor(.malformed, claim: "exp") == "malformed")
    }

    @Test("every claim and parameter that the library rejects by name has a section") func all()
        throws
    {
        let known = Set(ErrorPage.claims + ErrorPage.parameters)
        var named: Set<String> = []
        let files = FileManager.default.enumerator(
            at: Self.root.appending(path: "Sources"), includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            for call in try String(contentsOf: file, encoding: .utf8)
                .matches(of: /claimRejected\(\s*"([^"\\]+)"/)
            { named.insert(String(call.1)) }
        }
        #expect(named.count > 35)
        #expect(named.subtracting(known).isEmpty, "\(named.subtracting(known).sorted())")
        #expect(Set(ErrorPage.claims).isDisjoint(with: ErrorPage.parameters))
    }

    @Test("the table has each code with the example's response") func table() throws {
        let rows = try Self.page("Errors.md").split(separator: "\n").filter { $0.hasPrefix("| `.") }
            .map { row in
                row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            }
        #expect(rows.map { $0[1] } == JOSEError.Code.all.map { "`\($0.name)`" })
        #expect(rows.map { $0[3] } == JOSEError.Code.all.map { "\(status(for: $0))" })
        #expect(rows.allSatisfy { ["info", "warning", "error"].contains($0[4]) })
        for row in rows {  // the constant is the identifier in the logs, without its hyphens
            let word = row[1].replacing("-", with: "").replacing("`", with: "")
            #expect(row[0].lowercased() == "`.\(word)`")
        }
    }

    @Test("the article Events lists exactly the events of external keys and kernels")
    func events() throws {
        let rows = try Self.page("Events.md").split(separator: "\n")
            .filter { $0.hasPrefix("| `jose.") }
            .map { line in
                line.split(separator: "|").map {
                    $0.trimmingCharacters(in: .whitespaces).replacing("`", with: "")
                }
            }
        let external = rows.filter { $0[0].hasPrefix("jose.external-key.") }
        let kinds = ExternalKeyEvent.Kind.all.map(\.descriptor)
        #expect(external.map { $0[0] } == kinds.map(\.name))
        #expect(external.map { $0[1] } == kinds.map(\.level.rawValue))
        #expect(external.allSatisfy { $0[3] == "operation, kid" })
        let kernels = rows.filter { $0[0].hasPrefix("jose.kernel.") }
        #expect(kernels.map { $0[0] } == [KernelEvent.descriptor.name])
        #expect(kernels.map { $0[1] } == [KernelEvent.descriptor.level.rawValue])
        #expect(kernels.map { $0[3] } == ["kernel"])
        let event = KernelEvent(kernel: "rsa")
        #expect("\(event)" == "jose.kernel.off kernel=rsa" && event.level == .error)
        let unlocked = rows.filter { $0[0].hasPrefix("jose.private-key.") }
        #expect(unlocked.map { $0[0] } == [UnlockedKeyEvent.descriptor.name])
        #expect(unlocked.map { $0[1] } == [UnlockedKeyEvent.descriptor.level.rawValue])
        #expect(unlocked.map { $0[3] } == ["bits"])
        let lock = UnlockedKeyEvent(bits: 2048)
        #expect("\(lock)" == "jose.private-key.not-locked bits=2048" && lock.level == .warning)
        // The others are compared in the tests of their modules.
        for row in rows {
            let parts = row[0].split(separator: ".")
            #expect(
                parts.count == 3
                    && ["keyset", "replay", "external-key", "kernel", "private-key"].contains(
                        parts[1])
            )
        }
        #expect(rows.count == 19)
    }
}
