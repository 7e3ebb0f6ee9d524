// What a server says of itself, as far as the store must know it.

import JOSE
import JOSEBytes

/// The fields of `INFO` that decide whether a server is fit.
struct ServerInfo: Sendable {
    let run: String
    let version: String
    private let fields: [ExactString: String]

    /// Reads the text of `INFO`; nil where a field is missing that every server has, or stands twice.
    init?(_ text: [UInt8]) {
        var fields: [ExactString: String] = [:]
        for line in text.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let name = ExactString(String(decoding: line[..<colon], as: UTF8.self))
            guard ServerInfo.wanted.contains(name) else { continue }
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
            guard fields.updateValue(value, forKey: name) == nil else { return nil }
        }
        guard let run = fields[ServerInfo.run], Epoch.isRun(Array(run.utf8)),
            fields[ServerInfo.role] != nil, fields[ServerInfo.mode] != nil,
            fields[ServerInfo.policy] != nil
        else { return nil }
        self.run = run
        version = fields[ServerInfo.valkeyVersion] ?? fields[ServerInfo.redisVersion] ?? ""
        self.fields = fields
    }

    private static let run = ExactString("run_id")
    private static let role = ExactString("role")
    private static let mode = ExactString("redis_mode")
    private static let policy = ExactString("maxmemory_policy")
    private static let redisVersion = ExactString("redis_version")
    private static let valkeyVersion = ExactString("valkey_version")
    private static let wanted = [run, role, mode, policy, redisVersion, valkeyVersion]

    /// Why this server must not be used; nil where it is fit.
    var failure: RedisError? {
        if says("cluster", ServerInfo.mode) { return .cluster }
        if !says("master", ServerInfo.role) { return .notPrimary }
        if !says("noeviction", ServerInfo.policy) { return .evicts }
        return nil
    }

    private func says(_ value: StaticString, _ field: ExactString) -> Bool {
        fields[field]?.isExactly(value) == true
    }
}
