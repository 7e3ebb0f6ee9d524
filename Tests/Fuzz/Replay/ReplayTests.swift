// Every input of the corpora in an ordinary test run, as a regression test of fuzzing.

import Foundation
import Testing

@Suite("Fuzz corpora")
struct ReplayTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Corpus").standardizedFileURL

    static func inputs(of target: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: folder.appending(path: target), includingPropertiesForKeys: nil)
    }

    @Test("the properties hold for the corpus of", arguments: FuzzTarget.all.map(\.name))
    func replay(_ name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let inputs = try ReplayTests.inputs(of: name)
        #expect(inputs.count > 3)
        for input in inputs {
            do {
                try target.run([UInt8](Data(contentsOf: input)))
            } catch {
                Issue.record("\(input.lastPathComponent): \(error)")
            }
        }
    }

    @Test("there is a target for every corpus")
    func noneIsForgotten() throws {
        let folders = try FileManager.default.contentsOfDirectory(
            at: ReplayTests.folder, includingPropertiesForKeys: nil)
        #expect(
            folders.map(\.lastPathComponent).sorted() == FuzzTarget.all.map(\.name).sorted())
    }

    @Test("a violated property is detected")
    func bites() {
        #expect(throws: Broken.self) { try hold(false, "never") }
        #expect(throws: Broken.self) { _ = try accepted { throw Broken(description: "never") } }
    }
}
