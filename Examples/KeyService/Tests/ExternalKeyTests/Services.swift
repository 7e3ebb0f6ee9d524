// The services of the tests: the example's own in a process, and those that lie, each on threads of the tests.

import Foundation
import JOSE
import Synchronization

/// A folder of one test.
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

/// The key service, which keeps its key in the folder; started again it has the same.
final class Service {
    private let process = Process()

    init(in folder: Folder, milliseconds: Int = 0) throws {
        let output = Pipe()
        process.executableURL = URL(filePath: Service.program)
        process.arguments = [folder.socket, folder.key, String(milliseconds)]
        process.standardOutput = output
        try process.run()
        // It says so when it listens.
        guard !output.fileHandleForReading.availableData.isEmpty else { throw POSIXError(.EIO) }
    }

    private static let program = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent().appending(path: "key-service").path

    /// What it says that does not start; `asNobody` takes from root what root may read.
    static func rejection(_ arguments: [String], asNobody: Bool = false) throws -> String {
        let process = Process()
        let isRoot = asNobody && getuid() == 0
        let words = isRoot ? ["setpriv", "--reuid=65534", "--clear-groups"] : []
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words + [program] + arguments
        let output = Pipe()
        process.standardError = output
        try process.run()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 1 else { throw POSIXError(.EEXIST) }
        return String(decoding: said, as: UTF8.self)
    }

    deinit { kill() }

    /// Ends it at once, whatever it is doing.
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

/// A service that answers as a test has it; what it says to a question may depend on how many it had before.
final class Liar: Sendable {
    enum Response {
        /// What comes behind the question's number.
        case rest([UInt8])
        /// All of a message.
        case whole([UInt8])
        case hangUp, silence
    }
    private let listener: Int32
    private let count = Atomic<Int>(0)
    private let response: @Sendable (_ question: [UInt8], _ count: Int) -> Response

    /// How many questions came.
    var questions: Int { count.load(ordering: .relaxed) }

    init(
        at path: String, _ response: @escaping @Sendable (_ question: [UInt8], _ count: Int) -> Response
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

    /// Lets nobody in any more.
    func close() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve(_ caller: Int32) {
        defer { Foundation.close(caller) }
        var question = [UInt8](repeating: 0, count: 2_048)
        while case let size = recv(caller, &question, question.count, 0), size > 8 {
            let number = Array(question[..<8])
            let before = count.wrappingAdd(1, ordering: .relaxed).oldValue
            let message: [UInt8]
            switch response(Array(question[8..<size]), before) {
            case .rest(let rest): message = number + rest
            case .whole(let whole): message = whole
            case .silence: continue
            case .hangUp: return
            }
            guard send(caller, message, message.count, Int32(MSG_NOSIGNAL)) >= 0 else { return }
        }
    }
}
