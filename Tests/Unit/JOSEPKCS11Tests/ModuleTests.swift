// Modules: files that are not modules, and the use of a module in a child of fork.

import Foundation
import Glibc
import JOSE
@testable import JOSEPKCS11
import Testing

@Suite("PKCS#11 modules")
struct ModuleTests {
    @Test("a file that is not a module is rejected without side effects")
    func noModule() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: freshLabel())
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let text = folder.appending(path: "text.so")
        try Data("no library".utf8).write(to: text)
        let paths = [
            "/nowhere/at/all.so", text.path, folder.path, "/dev/null", "", "libsofthsm2.so",
            "/lib/x86_64-linux-gnu/libm.so.6", text.path + "\0",
            String(repeating: "/a", count: 5_000),
        ]
        for path in paths {
            #expect(throws: JOSEError.self, "\(path)") { _ = try PKCS11Module(path: path) }
            do {
                _ = try PKCS11Module(path: path)
            } catch {
                #expect(error.code == .misuse)
                #expect(path.count < 4 || !"\(error)".contains(path))
            }
        }
    }

    @Test("a module that is loaded twice is one module")
    func twice() async throws {
        let first = try TestToken()
        let label = freshLabel()
        let key = try await first.open().makeKey(.curve(.p256), use: .signature, label: label)
        let second = try PKCS11Module(path: first.path)
        let token = try await PKCS11Token.open(
            first.uri, module: second, pin: .text(first.pin))
        let other = try await token.key(uri(label))
        #expect(try other.publicKey.publicJSON() == key.publicKey.publicJSON())
    }

    @Test(
        "a module that hangs at start blocks only callers that load one, and no fork",
        .onlyOwn)
    func hangs() async {
        await #expect(processExitsWith: .success) {
            let test = try TestToken()
            let other = test.path + ".hangs.so"
            try FileManager.default.copyItem(atPath: test.path, toPath: other)
            #expect(try await PKCS11Module.load(path: test.path).slots().count == 1)
            await expectRejection(.misuse) {
                _ = try await PKCS11Module.load(path: "/nowhere/at/all.so")
            }
            setenv("JOSE_TEST_TOKEN_HANG", "1", 1)
            await expectRejection(.unavailable) {
                _ = try await PKCS11Module.load(path: other, timeout: .milliseconds(50))
            }
            let cancelled = Task {
                await rejection { _ = try await PKCS11Module.load(path: other, timeout: ample) }
            }
            cancelled.cancel()
            #expect(await cancelled.value?.code == .unavailable)
            unsetenv("JOSE_TEST_TOKEN_HANG")
            #expect(try test.module.slots().count == 1)
            try expectInChild { (try? PKCS11Module(path: test.path).slots().count) == 1 }
        }
    }

    @Test("after fork the child loads the module itself", .onlyOwn)
    func fork() async {
        await #expect(processExitsWith: .success) {
            let test = try TestToken()
            #expect(try test.module.slots().count == 1)
            try expectInChild {
                var good = !test.module.isSameProcess && (try? test.module.slots()) == nil
                good = good && failure(test.module) == ExternalKeyError.unavailable
                let own = try? PKCS11Module(path: test.path)
                good = good && (try? own?.slots().count) == 1
                // The parent keeps its own.
                good = good && !test.module.isSameProcess
                return good
            }
            #expect(try test.module.slots().count == 1)
        }
    }
}

/// Expects that this holds in a child of fork.
private func expectInChild(_ body: () -> Bool) throws {
    typealias Fork = @convention(c) () -> pid_t
    let fork = unsafeBitCast(try #require(dlsym(nil, "fork")), to: Fork.self)
    let child = fork()
    if child == 0 { _exit(body() ? 0 : 1) }
    var status: Int32 = -1
    waitpid(child, &status, 0)
    #expect(status == 0)
}

/// The error of an external key whose module belongs to another process.
private func failure(_ module: PKCS11Module) -> ExternalKeyError? {
    do throws(PKCS11Error) {
        _ = try module.openSession(7)
        return nil
    } catch {
        return error.externalKey
    }
}
