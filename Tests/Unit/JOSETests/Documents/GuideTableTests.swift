// The tables in docs/rules and docs/conformance.md: every row names tests that exist, or the reason
// why there is none.

import Foundation
import Testing

@Suite("Tables of rules")
struct GuideTableTests {
    private static let root = VectorFile.folder.deletingLastPathComponent()
    private static let rulesFolder = root.appending(path: "docs/rules")

    /// The pages about specifications, in addition to the one about guides.
    static let specifications = ["protocol.md", "fapi2.md"]

    /// The rows of all tables of a page, as cells.
    private static func rows(_ page: String = "providers.md") throws -> [[String]] {
        let text = try String(contentsOf: rulesFolder.appending(path: page), encoding: .utf8)
        return text.split(separator: "\n").filter { $0.hasPrefix("| ") }
            .map { line in
                line.split(separator: "|").map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
            }
            .filter { cells in
                !["rule", "RFC", "section"].contains(cells.first)
                    && cells.first?.hasPrefix("---") == false
            }
    }

    private static let allTests = Result { try readTests() }
    private static func tests() throws -> Set<String> { try allTests.get() }

    /// `Suite/function` of every test in the files below Tests.
    private static func readTests() throws -> Set<String> {
        var found: Set<String> = []
        let files = FileManager.default.enumerator(
            at: root.appending(path: "Tests"), includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            var suite = ""
            var isMarked = false
            for line in text.split(separator: "\n") {
                if line.hasPrefix("@Suite") || line.hasPrefix("struct")
                    || line.hasPrefix("extension"),
                    let name = line.firstMatch(of: /^(?:@Suite.* )?(?:struct|extension) (\w+)/)
                {
                    suite = String(name.1)
                }
                isMarked = isMarked || line.contains("@Test")
                guard isMarked, let name = line.firstMatch(of: /func (\w+)/) else { continue }
                found.insert("\(suite)/\(name.1)")
                isMarked = false
            }
        }
        return found
    }

    @Test("every named test exists") func exist() throws {
        let tests = try Self.tests()
        #expect(tests.contains("GuideTableTests/exist"))
        let rows = try Self.rows()
        #expect(rows.count > 100)
        for row in rows {
            try #require(row.count == 3, "\(row)")
            for name in row[2].matches(of: /`(\w+\/\w+)`/) {
                #expect(tests.contains(String(name.1)), "\(name.1)")
            }
        }
    }

    /// Responsible parties other than the library.
    private static let others = [
        "the caller", "the provider's operations", "the app", "nothing in the library",
    ]

    @Test("every code name in a row is declared, and a row without one names the responsible party")
    func code() throws {
        let sources = try DeclaredNames.products.get()
        for row in try Self.rows() {
            let names = row[1].matches(of: /`([^`]+)`/).map { String($0.1) }
            for name in names where name != "forOldApps" {
                #expect(sources.has(name), "\(name) of \(row[0])")
            }
            guard names.isEmpty else { continue }
            #expect(Self.others.contains { row[1].hasPrefix($0) }, "\(row[0])")
        }
    }

    @Test(
        "an undeclared type, member, path or label is detected",
        arguments: [
            "NoSuchType", "OpenIDProfile.noSuchMember", "noSuchMember", "idToken.noSuchMember",
            "authorization.loginHint.noSuchMember", "layers", "idToken.layers.signed.x",
            "RelyingParty.answer(query:noSuch:)", "RelyingParty.answer(for:query:)",
            "RelyingParty.noSuch(query:)", "CertificateMode", "start", "userInfo rejects null", "",
            ".byValue", "RelyingParty.", "x5c",
        ])
    func invented(_ name: String) throws {
        let sources = try DeclaredNames.products.get()
        #expect(!sources.has(name))
        for good in [
            "idToken.layers", "authorization.loginHint.format", "OpenIDProfile.idToken.layers",
            "RelyingParty.authorizationResponse(query:for:)", "OAuthErrorCode.invalidRequestObject",
            "TokenError.init(rejectingGrant:)", "AuthorizationResponse.code", "algorithms",
        ] { #expect(sources.has(good), "\(good)") }
    }

    @Test(
        "every test that the tables of the specifications name exists",
        arguments: specifications) func protocols(_ page: String) throws
    {
        let tests = try Self.tests()
        let text = try String(
            contentsOf: Self.rulesFolder.appending(path: page), encoding: .utf8)
        let names = text.matches(of: /`(\w+Tests\/\w+)`/).map { String($0.1) }
        #expect(names.count > 30)
        for name in names { #expect(tests.contains(name), "\(name)") }
    }

    @Test("a row without a test has a reason", arguments: ["providers.md"] + specifications)
    func reasons(_ page: String) throws {
        let rows = try Self.rows(page)
        #expect(rows.count > 30)
        for row in rows {
            let shown = try need(row.last)
            guard shown.firstMatch(of: /`\w+Tests\/\w+`/) == nil else { continue }
            #expect(shown.hasPrefix("none: ") && shown.utf8.count > 20, "\(row[0])")
        }
    }

    @Test(
        "every module of the OpenID Foundation's plans has an existing test or a reason"
    )
    func modules() throws {
        let tests = try Self.tests()
        let text = try String(
            contentsOf: Self.root.appending(path: "docs/conformance.md"), encoding: .utf8)
        var seen: Set<String> = []
        for line in text.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            try #require(cells.count == 3, "\(line)")
            #expect(seen.insert(cells[0]).inserted, "\(cells[0]) is there twice")
            #expect(!cells[1].isEmpty, "\(cells[0])")
            let names = cells[2].matches(of: /`(\w+Tests\/\w+)`/).map { String($0.1) }
            for name in names { #expect(tests.contains(name), "\(name) of \(cells[0])") }
            #expect(!names.isEmpty || cells[2].hasPrefix("none: "), "\(cells[0])")
        }
        #expect(seen.count == 252)
    }

    @Test("each guide has its table, and each preset of a guide is named") func whole() throws {
        let text = try String(
            contentsOf: Self.rulesFolder.appending(path: "providers.md"), encoding: .utf8)
        for preset in ["itsme0", "itsme1", "itsme2", "signicatMobileID", "netsEIDBroker"] {
            #expect(text.contains(".\(preset)`"))
        }
    }
}
