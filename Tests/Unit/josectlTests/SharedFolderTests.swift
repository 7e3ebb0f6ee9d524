// Directories where other users can put files: their links, pipes and files (proc(5),
// protected_symlinks).

import Foundation
import Testing

/// Whether the tests may give files to other users. Otherwise they cannot act as one.
private let mayGiveAway = geteuid() == 0

@Suite("Shared directories", .enabled(if: mayGiveAway)) struct SharedFolderTests {
    private static let stranger: uid_t = 65_534
    private static let own: uid_t = 0

    /// A directory of this mode and owner, with a file of ours next to it.
    private func shared(_ mode: Int, _ owner: uid_t) throws -> Tool {
        let tool = try Tool()
        try FileManager.default.createDirectory(
            at: tool.url("shared"), withIntermediateDirectories: false)
        try #require(chown(tool.url("shared").path, owner, 0) == 0)
        // chown keeps the mode of a directory. chmod sets the sticky bit, which Foundation does
        // not.
        try #require(chmod(tool.url("shared").path, mode_t(mode)) == 0)
        try tool.write("precious", to: "file")
        return tool
    }

    private static let oct = ["keys", "new", "--type", "oct", "--use", "sig", "--out"]

    /// Mode of the directory, its owner, the owner of its files, and whether the kernel's link rule
    /// allows it.
    private static let links: [(mode: Int, folder: uid_t, found: uid_t, isFollowed: Bool)] = [
        (0o1777, own, stranger, false), (0o1777, own, own, true),
        (0o1777, stranger, stranger, true),
        (0o1777, stranger, own, true), (0o1777, stranger, 12_345, false),
        (0o1703, own, stranger, false), (0o777, own, stranger, true), (0o1775, own, stranger, true),
        (0o1755, own, stranger, true), (0o755, own, stranger, true),
    ]

    @Test("Another user's link in a world-writable sticky directory is not followed")
    func followed() throws {
        for rule in Self.links {
            let tool = try shared(rule.mode, rule.folder)
            for (link, target) in [
                ("link", "../file"), ("fresh", "../new"), ("folder", ".."), ("twice", "link"),
            ] {
                let path = tool.url("shared/\(link)").path
                try FileManager.default.createSymbolicLink(
                    atPath: path, withDestinationPath: target)
                try #require(lchown(path, rule.found, 0) == 0)
            }
            // Our own link elsewhere that leads to the other user's is rejected too.
            try FileManager.default.createSymbolicLink(
                atPath: tool.url("detour").path, withDestinationPath: "shared/link")
            let inside = try FileManager.default.contentsOfDirectory(
                atPath: tool.url("shared").path)
            for path in [
                "shared/link", "shared/twice", "shared/fresh", "shared/folder/new", "detour",
            ] {
                for force in [[], ["--force"]] {
                    try? FileManager.default.removeItem(at: tool.url("new"))
                    try tool.write("precious", to: "file")
                    let response = try tool.run(Self.oct + [path] + force)
                    let isFresh = path.hasSuffix("fresh") || path.hasSuffix("new")
                    let isDone = rule.isFollowed && (isFresh || !force.isEmpty)
                    #expect(
                        response.code == (isDone ? 0 : 3),
                        "\(rule) \(path) \(force): \(response.error)"
                    )
                    let isKept = try tool.read("file") == "precious"
                    #expect(isKept == !(isDone && !isFresh), "\(rule) \(path)")
                    #expect(tool.exists("new") == (isDone && isFresh), "\(rule) \(path)")
                    let now = try FileManager.default.contentsOfDirectory(
                        atPath: tool.url("shared").path)
                    #expect(Set(now) == Set(inside))
                }
            }
            // The same applies to public files.
            try tool.write(SharedKeys.sets.private, to: "set")
            let open = try tool.run("keys", "public", "set", "--out", "shared/link", "--force")
            #expect((open.code == 0) == rule.isFollowed, "\(rule): \(open.error)")
        }
    }

    /// As above, for pipes and files.
    private static let entries: [(mode: Int, folder: uid_t, found: uid_t, isTrusted: Bool)] = [
        (0o1777, own, stranger, false), (0o1777, own, own, true),
        (0o1777, stranger, stranger, true),
        (0o1777, stranger, 12_345, false), (0o1775, own, stranger, false),
        (0o777, own, stranger, true),
        (0o755, own, stranger, true), (0o1755, own, stranger, true),
    ]

    @Test("Another user's pipe gets no private key without --force, and none in a sticky directory")
    func pipes() throws {
        for rule in Self.entries {
            let tool = try shared(rule.mode, rule.folder)
            try tool.write(SharedKeys.sets.private, to: "set")
            let path = tool.url("shared/pipe").path
            try #require(mkfifo(path, 0o666) == 0)
            // Open for reading, so that no writer waits.
            let reader = open(path, O_RDWR | O_NONBLOCK)
            defer { close(reader) }
            try #require(reader >= 0 && chown(path, rule.found, 0) == 0)
            for isPrivate in [true, false] {
                for isForced in [false, true] {
                    let words = isPrivate ? Self.oct : ["keys", "public", "set", "--out"]
                    let response = try tool.run(
                        words + ["shared/pipe"] + (isForced ? ["--force"] : []))
                    let isDone =
                        rule.isTrusted && (!isPrivate || isForced || rule.found == Self.own)
                    #expect(
                        response.code == (isDone ? 0 : 3),
                        "\(rule) \(isPrivate) \(isForced): \(response.error)")
                    var bytes = [UInt8](repeating: 0, count: 65_536)
                    let count = read(reader, &bytes, bytes.count)
                    #expect((count > 0) == isDone, "\(rule) \(isPrivate) \(isForced)")
                }
            }
        }
    }

    @Test("Another user's file in a sticky directory is not replaced")
    func files() throws {
        for rule in Self.entries {
            let tool = try shared(rule.mode, rule.folder)
            try tool.write("precious", to: "shared/there")
            try #require(chown(tool.url("shared/there").path, rule.found, 0) == 0)
            #expect(try tool.run(Self.oct + ["shared/there"]).code == 3)
            let response = try tool.run(Self.oct + ["shared/there", "--force"])
            #expect(response.code == (rule.isTrusted ? 0 : 3), "\(rule): \(response.error)")
            #expect(try (tool.read("shared/there") == "precious") == !rule.isTrusted)
            // An unused name is free, and directories stay directories.
            #expect(try tool.run(Self.oct + ["shared/mine"]).code == 0)
            try FileManager.default.createDirectory(
                at: tool.url("shared/inner"), withIntermediateDirectories: false)
            try #require(chown(tool.url("shared/inner").path, Self.stranger, 0) == 0)
            #expect(try tool.run(Self.oct + ["shared/inner/mine"]).code == 0)
        }
    }

    @Test("Another user's pipe given as a descriptor counts as the user's choice")
    func given() throws {
        let tool = try shared(0o1777, Self.own)
        let path = tool.url("shared/pipe").path
        try #require(mkfifo(path, 0o666) == 0 && chown(path, Self.stranger, 0) == 0)
        let response = try tool.shell(
            "cat shared/pipe > got & josectl keys new --type oct --use sig --out /dev/fd/7 7> "
                + "shared/pipe; wait"
        )
        #expect(response.code == 0, "\(response.error)")
        #expect(try tool.keys("got").count == 1)
    }
}
