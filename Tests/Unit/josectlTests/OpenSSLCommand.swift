// The openssl command, as the peer of round trips.

import Foundation
import Testing

extension Tool {
    /// Runs `openssl` in the tool's directory and expects success.
    @discardableResult
    func openssl(
        _ words: String, errorsToo: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let response = try run(
            ["openssl"] + words.split(separator: " ").map(String.init), program: Tool.env)
        #expect(response.code == 0, "openssl \(words)", sourceLocation: sourceLocation)
        return response.text + (errorsToo ? response.error : "")
    }

    /// The members of a set's only key.
    func onlyKey(_ name: String) throws -> [String: Any] {
        let keys = try keys(name)
        try #require(keys.count == 1)
        return keys[0]
    }
}

extension Tool {
    /// An extension that every certificate of a chain needs (RFC 5280 4.2.1.1). openssl adds it by
    /// itself only before 4.0.
    static let authorityKey = "authorityKeyIdentifier=keyid\n"

    /// A directory with keys, and a CA: `ca.pem` and `ca.key`.
    ///
    /// - Parameter algorithm: The value of genpkey's `-algorithm`.
    static func withAuthority(_ algorithm: String = "RSA") throws -> Tool {
        let tool = try Tool.withKeys()
        try tool.write(
            "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n"
                + "subjectKeyIdentifier=hash\n" + Self.authorityKey, to: "extensions")
        try tool.openssl("genpkey -algorithm \(algorithm) -out ca.key")
        try tool.openssl("req -new -key ca.key -out ca.csr -subj /CN=ca")
        try tool.openssl(
            "x509 -req -in ca.csr -signkey ca.key -days 30 -extfile extensions -out ca.pem")
        return tool
    }

    /// The keys of a set as JSON objects.
    func keys(_ name: String) throws -> [[String: Any]] {
        try #require(jsonObject(Data(contentsOf: url(name)))["keys"] as? [[String: Any]])
    }

    /// Writes a set of these keys.
    func write(keys: [[String: Any]], to name: String) throws {
        try JSONSerialization.data(withJSONObject: ["keys": keys]).write(to: url(name))
    }
}

extension SharedKeys {
    static func kid(_ index: Int) throws -> String {
        try #require(jsonObject(Data(key(index, private: false).utf8))["kid"] as? String)
    }
}
