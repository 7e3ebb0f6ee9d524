// Sources/JOSE/JOSE.docc/Algorithms.md matches the tables.

import Foundation
import JOSE
import Testing

@Suite("Sources/JOSE/JOSE.docc/Algorithms.md")
struct AlgorithmPageTests {
    private func page() throws -> AlgorithmPage {
        AlgorithmPage(
            speeds: try RowSpeeds(),
            present: (try? String(contentsOf: AlgorithmPage.url, encoding: .utf8)) ?? "")
    }

    @Test("the page matches the tables (to update: tools/run algorithms)")
    func isUpToDate() throws {
        let page = try page()
        let wanted = page.text.split(separator: "\n", omittingEmptySubsequences: false)
        let found = page.present.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(wanted.count == found.count)
        for (wanted, found) in zip(wanted, found) { #expect(found == wanted) }
    }

    @Test("each entry is on the page once, with a measured speed") func isWhole() throws {
        let lines = try page().present.split(separator: "\n")
        let names =
            SignatureAlgorithm.entries.map(\.description)
            + KeyManagementAlgorithm.all.map(\.description)
            + ContentEncryptionAlgorithm.all.map(\.description)
        for name in names {
            let rows = lines.filter { $0.hasPrefix("| `\(name)` |") }
            #expect(rows.count == 1, "\(name)")
            #expect(!rows.contains { $0.contains("| - |") }, "\(name) has no speed")
        }
    }

    @Test("the page has the entries of the trait in every build") func namesPasswords() throws {
        let text = try page().present
        for name in ["PBES2-HS256+A128KW", "PBES2-HS384+A192KW", "PBES2-HS512+A256KW"] {
            #expect(text.contains("| `\(name)` | legacy |"))
        }
    }

    @Test("algorithms that are rejected by name are not on the page") func rejected() {
        for rejected in RejectedAlgorithm.all {
            let name = rejected.name.description
            #expect(SignatureAlgorithm(name: name) == nil)
            #expect(KeyManagementAlgorithm(name: name) == nil)
            #expect(ContentEncryptionAlgorithm(name: name) == nil)
        }
    }

    /// `tools/run algorithms` runs this.
    @Test(
        "write Sources/JOSE/JOSE.docc/Algorithms.md",
        .enabled(if: ProcessInfo.processInfo.environment["JOSE_PIN"] != nil))
    func writeAgain() throws {
        try page().text.write(to: AlgorithmPage.url, atomically: true, encoding: .utf8)
    }
}
