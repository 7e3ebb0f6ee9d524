// Builds the example with the tests and runs it unchanged, under every profile.

import Foundation
import Testing

@Suite("Examples")
struct ExampleTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Examples").standardizedFileURL

    private func run(_ words: String...) throws -> (status: Int32, text: String) {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("openid-example")
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = words
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    @Test(
        "a login runs offline, and its replay is rejected",
        arguments: ["itsme0", "itsme1", "itsme2", "signicat", "nets", "openid"])
    func runs(_ profile: String) throws {
        let (status, text) = try run(profile)
        #expect(status == 0, "\(text)")
        #expect(
            text.contains(
                "signed in               user-1-of-32-characters-in-total, Zoë van den Berg"),
            "\(text)")
        #expect(text.contains("rejected a replay"), "\(text)")
    }

    @Test("an unknown profile name ends the example with the list of profiles")
    func unknown() throws {
        let (status, text) = try run("signicatMobileID")
        #expect(status == 2)
        #expect(
            text == "unknown profile signicatMobileID: use one of "
                + "itsme0, itsme1, itsme2, signicat, nets, openid\n")
    }

    @Test(
        "each example program has fewer than 150 lines",
        arguments: ["RelyingParty.swift", "Provider.swift", "main.swift"])
    func short(_ name: String) throws {
        let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count < 150)
    }
}
