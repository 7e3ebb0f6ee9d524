// The openssl command, as the other side of round trips.

import Foundation
import Testing

extension Tool {
    /// Runs `openssl` in the tool's folder and expects that it succeeds.
    @discardableResult
    func openssl(
        _ words: String, errorsToo: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + words.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        let out = Pipe()
        process.standardOutput = out
        process.standardError = errorsToo ? out : FileHandle.nullDevice
        try process.run()
        let data = out.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "openssl \(words)", sourceLocation: sourceLocation)
        return String(decoding: data, as: UTF8.self)
    }

    /// The members of the only key of a set.
    func onlyKey(_ name: String) throws -> [String: Any] {
        let set = try JSONSerialization.jsonObject(with: Data(contentsOf: url(name)))
        let keys = try #require((set as? [String: Any])?["keys"] as? [[String: Any]])
        try #require(keys.count == 1)
        return keys[0]
    }
}

extension Tool {
    /// A folder with keys, and an authority that may issue: `ca.pem` and `ca.key`.
    static func withAuthority() throws -> Tool {
        let tool = try Tool.withKeys()
        try tool.write(
            "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n"
                + "subjectKeyIdentifier=hash\n", to: "extensions")
        try tool.openssl("req -newkey rsa:2048 -nodes -keyout ca.key -out ca.csr -subj /CN=ca")
        try tool.openssl(
            "x509 -req -in ca.csr -signkey ca.key -days 30 -extfile extensions -out ca.pem")
        return tool
    }

    /// The keys of a set as JSON objects.
    func keys(_ name: String) throws -> [[String: Any]] {
        let set = try JSONSerialization.jsonObject(with: Data(contentsOf: url(name)))
        return try #require((set as? [String: Any])?["keys"] as? [[String: Any]])
    }

    /// Writes a set of these keys.
    func write(keys: [[String: Any]], to name: String) throws {
        try JSONSerialization.data(withJSONObject: ["keys": keys]).write(to: url(name))
    }
}

extension SharedKeys {
    static func kid(_ index: Int) throws -> String {
        let key = try JSONSerialization.jsonObject(
            with: Data(SharedKeys.key(index, private: false).utf8))
        return try #require((key as? [String: Any])?["kid"] as? String)
    }
}
