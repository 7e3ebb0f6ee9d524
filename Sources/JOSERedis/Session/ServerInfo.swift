// The fields of a server's reply to `INFO`, which decide whether the store can use the server.

import JOSE
import JOSEBytes

struct ServerInfo: Sendable {
    let run: String
    let version: String
    private let fields: [ExactString: String]

    /// Nil if a required field is missing, or one of `wanted` is repeated.
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

    /// Why the store must not use this server; nil if it can.
    var failure: RedisError? {
        if has("cluster", in: ServerInfo.mode) { return .cluster }
        if !has("master", in: ServerInfo.role) { return .notPrimary }
        if !has("noeviction", in: ServerInfo.policy) { return .evicts }
        return nil
    }

    private func has(_ value: StaticString, in field: ExactString) -> Bool {
        fields[field]?.isExactly(value) == true
    }
}
