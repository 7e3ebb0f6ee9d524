// The example is built with the tests and run as it is, under every profile.

import Foundation
import JOSEOpenID
import Testing

@Suite("Examples")
struct ExampleTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Examples").standardizedFileURL

    @Test("a login runs offline, and its replay is refused", arguments: World.all)
    func runs(_ profile: OpenIDProfile) throws {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("openid-example")
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = [profile.name]
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self)
        #expect(process.terminationStatus == 0, "\(text)")
        #expect(text.contains("signed in         user-1, Zoë van den Berg"), "\(text)")
        #expect(text.contains("replay refused"), "\(text)")
    }

    @Test(
        "each side has under 150 lines",
        arguments: ["RelyingParty.swift", "Provider.swift", "main.swift"])
    func short(_ name: String) throws {
        let text = try String(
            contentsOf: ExampleTests.folder.appending(path: name), encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count < 150)
    }
}
