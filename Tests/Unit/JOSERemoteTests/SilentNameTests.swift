// A host name whose DNS server never responds affects only the request that named it.

import Foundation
import Testing

@Suite("Unresponsive name lookups")
struct SilentNameTests {
    @Test("a hanging name lookup blocks no other request and not the client's shutdown")
    func silent() throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("silent-name")
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        // Rejected, timed out, rejected, ended by the close: JOSE_FETCH_UNREACHABLE, _TIMED_OUT,
        // _INTERNAL.
        #expect(
            String(decoding: data, as: UTF8.self)
                == "beside 1\nsilent 3\nbehind 1\nclosed 6\n")
        #expect(process.terminationStatus == 0)
    }
}
