// What a server says of itself, as far as the store must know it.

/// The fields of `INFO` that decide whether a server is fit.
struct ServerInfo: Sendable {
    let run: String
    let version: String
    private let fields: [String: String]

    /// Reads the text of `INFO`; nil where a field is missing that every server has, or stands twice.
    init?(_ text: [UInt8]) {
        var fields: [String: String] = [:]
        for line in text.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let name = String(decoding: line[..<colon], as: UTF8.self)
            guard ServerInfo.wanted.contains(name) else { continue }
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
            guard fields.updateValue(value, forKey: name) == nil else { return nil }
        }
        guard let run = fields["run_id"], Epoch.isRun(Array(run.utf8)),
            fields["role"] != nil, fields["redis_mode"] != nil, fields["maxmemory_policy"] != nil
        else { return nil }
        self.run = run
        version = fields["valkey_version"] ?? fields["redis_version"] ?? ""
        self.fields = fields
    }

    private static let wanted: Set<String> = [
        "run_id", "role", "redis_mode", "maxmemory_policy", "redis_version", "valkey_version",
    ]

    /// Why this server must not be used; nil where it is fit.
    var fault: RedisFault? {
        if fields["redis_mode"] == "cluster" { return .cluster }
        if fields["role"] != "master" { return .notPrimary }
        if fields["maxmemory_policy"] != "noeviction" { return .evicts }
        return nil
    }
}
