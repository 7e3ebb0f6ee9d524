// Pipes of other users: private keys go to them only with --force, or as a given descriptor.

import Foundation
import Testing

/// Whether the tests may give files to other users. Otherwise they cannot act as one.
private let mayGiveAway = geteuid() == 0

@Suite("Pipes of other users", .enabled(if: mayGiveAway)) struct ForeignPipeTests {
    private static let stranger: uid_t = 65_534
    private static let own: uid_t = 0

    @Test("Another user's pipe gets no private key without --force", arguments: [own, stranger])
    func pipes(owner: uid_t) throws {
        let tool = try Tool()
        try tool.write(SharedKeys.sets.private, to: "set")
        let path = tool.url("pipe").path
        try #require(mkfifo(path, 0o666) == 0)
        // Open for reading, so that no writer waits.
        let reader = open(path, O_RDWR | O_NONBLOCK)
        defer { close(reader) }
        try #require(reader >= 0 && chown(path, owner, 0) == 0)
        for isPrivate in [true, false] {
            for isForced in [false, true] {
                let words =
                    isPrivate
                    ? ["keys", "new", "--type", "oct", "--use", "sig", "--out"]
                    : ["keys", "public", "set", "--out"]
                let response = try tool.run(words + ["pipe"] + (isForced ? ["--force"] : []))
                let isDone = !isPrivate || isForced || owner == Self.own
                #expect(response.code == (isDone ? 0 : 3), "\(isPrivate): \(response.error)")
                var bytes = [UInt8](repeating: 0, count: 65_536)
                let count = read(reader, &bytes, bytes.count)
                #expect((count > 0) == isDone, "\(isPrivate) \(isForced)")
            }
        }
    }

    @Test("Another user's pipe given as a descriptor counts as the user's choice")
    func given() throws {
        let tool = try Tool()
        let path = tool.url("pipe").path
        try #require(mkfifo(path, 0o666) == 0 && chown(path, Self.stranger, 0) == 0)
        let response = try tool.shell(
            "cat pipe > got & josectl keys new --type oct --use sig --out /dev/fd/7 7> pipe; wait")
        #expect(response.code == 0, "\(response.error)")
        #expect(try tool.keys("got").count == 1)
    }
}
