// The address and credentials of a Redis server.

public import JOSE

/// A Redis or Valkey server: address, credentials and database. `description` has no password.
public struct RedisServer: Sendable, CustomStringConvertible, CustomReflectable {
    let host: String
    let port: Int
    let user: String?
    let password: String?
    let database: Int

    /// Creates a server at a host and port. The connection is not encrypted.
    ///
    /// - Parameters:
    ///   - host: A name or an IP address, at most 255 bytes.
    ///   - port: 1 to 65535.
    ///   - user: The ACL user; nil is the default user.
    ///   - password: The password; nil sends no `AUTH`.
    ///   - database: The number for `SELECT`, 0 to 16383.
    /// - Throws: `misuse` for a value out of range, or a user without a password.
    public init(
        host: String, port: Int = 6_379, user: String? = nil, password: String? = nil,
        database: Int = 0
    ) throws(JOSEError) {
        guard 1...65_535 ~= port else { throw .misuse("a port is in 1...65535") }
        try self.init(host, port, user, password, database)
    }

    /// Creates a server at a Unix socket of this machine, such as that of a TLS proxy.
    ///
    /// - Parameters:
    ///   - socketPath: The path, at most 100 bytes.
    ///   - user: The ACL user; nil is the default user.
    ///   - password: The password; nil sends no `AUTH`.
    ///   - database: The number for `SELECT`, 0 to 16383.
    /// - Throws: `misuse` for a value out of range, or a user without a password.
    public init(
        socketPath: String, user: String? = nil, password: String? = nil, database: Int = 0
    ) throws(JOSEError) {
        guard 1...100 ~= socketPath.utf8.count, !socketPath.utf8.contains(0) else {
            throw .misuse("a socket's path needs 1 to 100 bytes, none of them zero")
        }
        try self.init(socketPath, 0, user, password, database)
    }

    private init(
        _ host: String, _ port: Int, _ user: String?, _ password: String?, _ database: Int
    ) throws(JOSEError) {
        guard 1...255 ~= host.utf8.count, !host.utf8.contains(0) else {
            throw .misuse("a server's host needs 1 to 255 bytes, none of them zero")
        }
        guard 0...16_383 ~= database else { throw .misuse("a database is in 0...16383") }
        guard user == nil || password != nil else { throw .misuse("a user needs a password") }
        let credentialBytes = (user?.utf8.count ?? 0) + (password?.utf8.count ?? 0)
        guard credentialBytes <= 4_096 else { throw .misuse("user and password are too long") }
        self.host = host
        self.port = port
        self.user = user
        self.password = password
        self.database = database
    }

    /// Host, port and database.
    public var description: String {
        port == 0 ? "\(host)/\(database)" : "\(host):\(port)/\(database)"
    }

    /// A mirror without the password, so that `dump` does not show it.
    public var customMirror: Mirror { Mirror(self, children: ["server": description]) }
}
