// The host process: its error queue, its OpenSSL configuration, its forks.

import Foundation
import Testing

@testable import JOSECrypto

/// The thread's error queue, as the host sees it.
private struct ErrorQueue {
    let peek: @convention(c) () -> UInt
    let get: @convention(c) () -> UInt
    let mark: @convention(c) () -> Int32
    let popToMark: @convention(c) () -> Int32
    let clear: @convention(c) () -> Void
    let fetch:
        @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?) ->
            OpaquePointer?

    init() throws {
        peek = try cFunction("ERR_peek_error", as: type(of: peek))
        get = try cFunction("ERR_get_error", as: type(of: get))
        mark = try cFunction("ERR_set_mark", as: type(of: mark))
        popToMark = try cFunction("ERR_pop_to_mark", as: type(of: popToMark))
        clear = try cFunction("ERR_clear_error", as: type(of: clear))
        fetch = try cFunction("EVP_MD_fetch", as: type(of: fetch))
    }

    /// Leaves an entry like a careless host.
    func raise(_ times: Int = 1) {
        for _ in 0..<times { _ = fetch(nil, "no such digest", nil) }
    }

    /// Removes and returns all entries.
    func drain() -> [UInt] {
        var codes: [UInt] = []
        while case let code = get(), code != 0 { codes.append(code) }
        return codes
    }
}

@Suite struct HostTests {
    @Test("catalogue 79: libcrypto 3.0.2, and 3.0.7 and later, are used")
    func minVersion() throws {
        for number: UInt in [
            0, 0x1010_10ff, 0x2fff_ffff, 0x3000_0000, 0x3000_0010, 0x3000_0021, 0x3000_0030,
            0x3000_0040,
            0x3000_0060,
        ] {
            #expect(!HostProcess.supports(openSSL: number), "\(String(number, radix: 16))")
        }
        for number: UInt in [
            0x3000_0020, 0x3000_0070, 0x3000_0080, 0x3000_0110, 0x3010_0000, 0x3050_0030,
            0x3fff_ffff, 0x4000_0000, 0x4000_0030, 0x4010_0000, 0x5000_0000, .max,
        ] {
            #expect(HostProcess.supports(openSSL: number), "\(String(number, radix: 16))")
        }
        for number: UInt in [
            0x3000_0020, 0x3000_0130, 0x300f_fff0, 0x3050_0000, 0x3050_0070, 0x4000_0000,
            0x400f_fff0,
        ] {
            #expect(HostProcess.hasTested(openSSL: number), "\(String(number, radix: 16))")
        }
        for number: UInt in [
            0, 0x2fff_fff0, 0x3010_0000, 0x3020_0000, 0x3030_0000, 0x3040_0000, 0x3060_0000,
            0x30f0_0000, 0x4010_0000, 0x4020_0000, 0x4050_0000, 0x5000_0000, .max,
        ] {
            #expect(!HostProcess.hasTested(openSSL: number), "\(String(number, radix: 16))")
        }
        let running = try cFunction("OpenSSL_version_num", as: (@convention(c) () -> UInt).self)
        #expect(HostProcess.supports(openSSL: running()))
        #expect(HostProcess.libraryNumber == running() && HostProcess.libraryFailure == nil)
    }

    /// Successful and failing calls of every kind.
    private func everyCall() throws {
        let numbers = try RSANumbers(publishedKey("a2-rsa", in: "rfc7515"))
        let key = try numbers.privateKey()
        for options in [OperationOptions(), .openSSLOnly, .checksEverySignature] {
            let signer = try SignatureOperation(
                key: key, family: .rsaPKCS1, hash: .sha256, signing: true, options: options)
            let verifier = try SignatureOperation(
                key: key, family: .rsaPKCS1, hash: .sha256, signing: false, options: options)
            let signature = try signer.sign([1])
            #expect(try verifier.accepts([1], signature))
            #expect(try !verifier.accepts([2], signature))
            #expect(try !verifier.accepts([1], [UInt8](repeating: 0xff, count: 256)))
            _ = try key.opened(rsaSignature: signature.span)
            let sealer = try KeyManagementOperation(
                key: key, family: .rsaOAEP, hash: .sha256, wrapping: true, options: options)
            let opener = try KeyManagementOperation(
                key: key, family: .rsaOAEP, hash: .sha256, wrapping: false, options: options)
            var sealed = try sealer.seal([1, 2, 3], aad: [4])
            #expect(try opener.open(sealed, aad: [4]) == [1, 2, 3])
            #expect(throws: CryptoError.rejected) { _ = try opener.open(sealed, aad: [5]) }
            sealed.encryptedKey[9] ^= 1
            #expect(throws: CryptoError.rejected) { _ = try opener.open(sealed, aad: [4]) }
            sealed.encryptedKey = [UInt8](repeating: 0xff, count: 256)
            #expect(throws: CryptoError.rejected) { _ = try opener.open(sealed, aad: [4]) }
        }
        var bad = numbers
        bad.crt?[0][3] ^= 1
        #expect(throws: CryptoError.unusableKey) { _ = try bad.privateKey() }
        bad.crt = nil
        bad.d[3] ^= 1
        #expect(throws: CryptoError.unusableKey) { _ = try bad.privateKey() }
        bad.e = [2]
        #expect(throws: CryptoError.unusableKey) { _ = try bad.publicKey() }
        _ = try key.secret(.p)
        _ = try Random.bytes(1000)
        for curve in NativeCurve.curves {
            let good = try CurveNumbers(NativeKey.generate(curve), curve)
            _ = try good.publicKey()
            _ = try good.privateKey()
            var bad = good
            bad.x[5] ^= 1
            #expect(throws: CryptoError.unusableKey) { _ = try bad.privateKey() }
            bad.x = [UInt8](repeating: 0xff, count: bad.x.count)
            #expect(throws: CryptoError.unusableKey) { _ = try bad.publicKey() }
            bad = good
            bad.d = [UInt8](repeating: 0, count: bad.d.count)
            #expect(throws: CryptoError.unusableKey) { _ = try bad.privateKey() }
        }
        _ = try NativeKey.symmetricGenerate(bytes: 32).secretMember()
    }

    @Test("the error queue is unchanged: empty, with an entry, nearly full, full")
    func errorQueue() throws {
        let queue = try ErrorQueue()
        queue.clear()
        try everyCall()
        #expect(queue.peek() == 0)
        for count in [1, 2, 10, 14, 15, 16, 40] {
            queue.clear()
            queue.raise(count)
            let before = queue.drain()
            #expect(!before.isEmpty)
            queue.raise(count)
            try everyCall()
            #expect(queue.drain() == before, "\(count)")
        }
    }

    @Test("an error mark of the host stays where it was")
    func mark() throws {
        let queue = try ErrorQueue()
        queue.clear()
        queue.raise()
        let code = queue.peek()
        _ = queue.mark()
        queue.raise()
        try everyCall()
        #expect(queue.popToMark() == 1)
        #expect(queue.drain() == [code])
    }

    @Test("a hostile configuration file changes nothing")
    func configuration() async {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appending(
                path: "jose-\(ProcessInfo.processInfo.processIdentifier)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appending(path: "openssl.cnf")
            try Data(
                """
                openssl_conf = start
                config_diagnostics = 0
                [start]
                providers = providers
                alg_section = algorithms
                engines = engines
                random = random
                [providers]
                default = off
                base = on
                legacy = on
                nothing = broken
                [off]
                activate = 0
                [on]
                activate = 1
                [broken]
                module = /nonexistent/broken.so
                activate = 1
                [algorithms]
                default_properties = provider=nobody
                [random]
                random = NONE
                seed = NONE
                [engines]
                broken = engine
                rdrand = random_engine
                [random_engine]
                default_algorithms = RAND
                [engine]
                dynamic_path = /nonexistent/engine.so
                init = 1
                default_algorithms = ALL
                """.utf8
            ).write(to: file)
            setenv("OPENSSL_CONF", file.path, 1)
            setenv("OPENSSL_MODULES", "/nonexistent", 1)
            setenv("OPENSSL_ENGINES", "/nonexistent", 1)
            try HostTests().everyCall()
            let output = try vector("rfc7515-a2-rs256", in: "rfc7515").output
            let input = [UInt8]((output["signing_input"] as? String ?? "").utf8)
            let signer = try SignatureOperation(
                key: .published(), family: .rsaPKCS1, hash: .sha256, signing: true)
            #expect(try signer.sign(input) == base64URL(output["signature_b64u"]))
            // The configuration did affect the process: its own fetch finds nothing.
            let queue = try ErrorQueue()
            #expect(queue.fetch(nil, "SHA2-256", nil) == nil)
            queue.clear()
        }
    }

    /// Some systems have engines without their header. From 4.0 on there is a header of stubs, and
    /// there are no engines.
    private static let hasEngines =
        FileManager.default.fileExists(atPath: "/usr/include/openssl/engine.h")
        && HostProcess.libraryNumber < 0x4000_0000

    @Test(
        "a default engine from the configuration is rejected, never used",
        .enabled(if: hasEngines, "this system has no engines or no openssl/engine.h"))
    func engine() async {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appending(
                path: "jose-\(ProcessInfo.processInfo.processIdentifier)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let library = folder.appending(path: "hostile.so")
            let source = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../CCore/support/hostile_engine.c").standardizedFileURL
            let compiler = Process()
            compiler.executableURL = URL(filePath: "/usr/bin/env")
            compiler.arguments = [
                "clang", "-w", "-shared", "-fPIC", source.path, "-o", library.path, "-lcrypto",
            ]
            try compiler.run()
            compiler.waitUntilExit()
            #expect(compiler.terminationStatus == 0)
            let file = folder.appending(path: "openssl.cnf")
            try Data(
                """
                openssl_conf = start
                [start]
                engines = engines
                [engines]
                hostile = engine
                [engine]
                engine_id = hostile
                dynamic_path = \(library.path)
                init = 1
                default_algorithms = ALL
                """.utf8
            ).write(to: file)
            setenv("OPENSSL_CONF", file.path, 1)
            let numbers = try RSANumbers(publishedKey("a2-rsa", in: "rfc7515"))
            #expect(throws: CryptoError.failure) { _ = try numbers.publicKey() }
            #expect(throws: CryptoError.failure) { _ = try numbers.privateKey() }
            #expect(throws: CryptoError.failure) { _ = try NativeKey.rsaGenerate(bits: 2048) }
            let (cek, iv) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 16))
            #expect(throws: CryptoError.failure) {
                _ = try ContentTestVectors.encrypt(.a128CBCHS256, cek, iv, [], [])
            }
            #expect(try Random.bytes(100) != Random.bytes(100))
            #expect(try Random.bytes(1000) != Random.bytes(1000))
            #expect(try Hash.digest(.sha256, []).first == 0xe3)
        }
    }

    @Test("after fork the child draws different random bytes")
    func fork() throws {
        let fork = try cFunction("fork", as: (@convention(c) () -> pid_t).self)
        for _ in 0..<5 {
            _ = try Random.bytes(16)  // fills the buffer of this thread
            var pipes: [Int32] = [0, 0]
            #expect(pipe(&pipes) == 0)
            let child = fork()
            if child == 0 {
                var bytes = [UInt8](repeating: 0, count: 32)
                var span = bytes.mutableSpan
                try? Random.fill(&span)
                _ = write(pipes[1], bytes, 32)
                _exit(0)
            }
            let ours = try Random.bytes(32)
            var theirs = [UInt8](repeating: 0, count: 32)
            #expect(read(pipes[0], &theirs, 32) == 32)
            #expect(theirs != ours && theirs != [UInt8](repeating: 0, count: 32))
            var status: Int32 = 0
            waitpid(child, &status, 0)
            close(pipes[0])
            close(pipes[1])
        }
    }
}
