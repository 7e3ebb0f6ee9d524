// The services of the tests: the example's service in a process, and misbehaving ones on threads.

import Foundation
import JOSE
import Synchronization

/// A temporary folder of one test.
struct Folder: Sendable {
    let path = FileManager.default.temporaryDirectory
        .appending(path: "key-service-\(UUID().uuidString.prefix(8))").path
    var socket: String { path + "/socket" }
    var key: String { path + "/key.pem" }

    init(mode: Int = 0o755) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

/// The key service. Its key is in the folder, so a restarted service has the same key.
final class Service {
    private let process = Process()

    init(in folder: Folder, milliseconds: Int = 0) throws {
        let output = Pipe()
        process.executableURL = URL(filePath: Service.program)
        process.arguments = [folder.socket, folder.key, String(milliseconds)]
        process.standardOutput = output
        try process.run()
        // It prints a line once it listens.
        guard !output.fileHandleForReading.availableData.isEmpty else { throw POSIXError(.EIO) }
    }

    private static let program = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent().appending(path: "key-service").path

    /// Returns the error of a service that does not start. `asNobody` drops root's privileges.
    static func rejection(_ arguments: [String], asNobody: Bool = false) throws -> String {
        let process = Process()
        let isRoot = asNobody && getuid() == 0
        let prefix = isRoot ? ["setpriv", "--reuid=65534", "--clear-groups"] : []
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = prefix + [program] + arguments
        let output = Pipe()
        process.standardError = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 1 else { throw POSIXError(.EEXIST) }
        return String(decoding: text, as: UTF8.self)
    }

    deinit { kill() }

    /// Kills the process.
    func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    static func publicKey(in folder: Folder) throws -> JWK {
        let file = try Data(contentsOf: URL(filePath: folder.key + ".pub"))
        guard let key = try KeyFileContents([UInt8](file)).keys.first else {
            throw POSIXError(.ENOENT)
        }
        return key
    }
}

/// A service with scripted responses, which may depend on the number of earlier requests.
final class MisbehavingService: Sendable {
    enum Response {
        /// The bytes after the request's number.
        case rest([UInt8])
        /// A whole message.
        case whole([UInt8])
        case hangUp, silence
    }
    private let listener: Int32
    private let count = Atomic<Int>(0)
    private let response: @Sendable (_ request: [UInt8], _ count: Int) -> Response

    var requestCount: Int { count.load(ordering: .relaxed) }

    init(
        at path: String,
        _ response: @escaping @Sendable (_ request: [UInt8], _ count: Int) -> Response
    ) throws {
        self.response = response
        listener = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < 108 else { throw POSIXError(.ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafeBytes(of: &address) {
            bind(listener, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, UInt32($0.count))
                == 0
        }
        guard isBound, listen(listener, 16) == 0 else { throw POSIXError(.EADDRINUSE) }
        Thread.detachNewThread { [self] in
            while case let caller = accept(listener, nil, nil), caller >= 0 {
                Thread.detachNewThread { [self] in serve(caller) }
            }
        }
    }

    /// Stops listening.
    func close() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve(_ caller: Int32) {
        defer { Foundation.close(caller) }
        var request = [UInt8](repeating: 0, count: 2_048)
        while case let size = recv(caller, &request, request.count, 0), size > 8 {
            let number = Array(request[..<8])
            let before = count.wrappingAdd(1, ordering: .relaxed).oldValue
            let message: [UInt8]
            switch response(Array(request[8..<size]), before) {
            case .rest(let rest): message = number + rest
            case .whole(let whole): message = whole
            case .silence: continue
            case .hangUp: return
            }
            guard send(caller, message, message.count, Int32(MSG_NOSIGNAL)) >= 0 else { return }
        }
    }
}
