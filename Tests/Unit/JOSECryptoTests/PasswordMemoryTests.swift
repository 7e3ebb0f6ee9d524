// After each public call that takes a password, only the caller's copy remains in memory.

import Foundation
import JOSE
import JOSEFoundation
import Testing

/// A public call with a password, in the type that it takes.
struct PasswordCall: Sendable, CustomTestStringConvertible {
    let name: String
    let run: @Sendable (PasswordCase, [UInt8]) throws -> Void
    var testDescription: String { name }

    init(_ name: String, _ run: @escaping @Sendable (PasswordCase, [UInt8]) throws -> Void) {
        self.name = name
        self.run = run
    }

    /// Passes the password as a string, and overwrites its only storage.
    static func asText(_ bytes: [UInt8], _ body: (String) throws -> Void) rethrows {
        let text = String(decoding: bytes, as: UTF8.self)
        defer {
            // Safe: a string of this length has its own storage, which has no other reference.
            text.utf8.withContiguousStorageIfAvailable { storage in
                guard let base = storage.baseAddress else { return }
                memset(UnsafeMutablePointer(mutating: base), 0, storage.count)
            }
        }
        try body(text)
    }

    /// Passes the password as Data, and overwrites it.
    static func asData(_ bytes: [UInt8], _ body: (Data) throws -> Void) rethrows {
        var data = Data(bytes)
        defer { data.resetBytes(in: 0..<data.count) }
        try body(data)
    }

    static let all: [PasswordCall] =
        [
            PasswordCall("a file as a span, bytes") { known, password in
                try known.expect(KeyFileContents(known.file.span, password: password))
            },
            PasswordCall("a file, bytes") { known, password in
                try known.expect(KeyFileContents(known.file, password: password))
            },
            PasswordCall("a file, text") { known, password in
                try asText(password) { try known.expect(KeyFileContents(known.file, password: $0)) }
            },
            PasswordCall("a file as a text, text") { known, password in
                let file = String(decoding: known.file, as: UTF8.self)
                try asText(password) { try known.expect(KeyFileContents(file, password: $0)) }
            },
            PasswordCall("a file as data, text") { known, password in
                let file = Data(known.file)
                try asText(password) { try known.expect(KeyFileContents(file, password: $0)) }
            },
            PasswordCall("a file as data, data") { known, password in
                let file = Data(known.file)
                try asData(password) { try known.expect(KeyFileContents(file, password: $0)) }
            },
            PasswordCall("a PKCS#12 file as data, data") { known, password in
                let file = Data(known.pkcs12)
                try asData(password) { try known.expect(KeyFileContents(file, password: $0)) }
            },
            PasswordCall("a new file, bytes") { known, password in
                _ = try known.key.withPrivateKeyFile(.der, password: password) { $0.count }
            },
            PasswordCall("a new file, text") { known, password in
                try asText(password) { password in
                    _ = try known.key.withPrivateKeyFile(.der, password: password) { $0.count }
                }
            },
            PasswordCall("a new PKCS#12 file, bytes") { known, password in
                _ = try known.key.pkcs12File(password: password)
            },
            PasswordCall("a new PKCS#12 file, text") { known, password in
                try asText(password) { _ = try known.key.pkcs12File(password: $0) }
            },
        ] + keys

    #if PBES2
        private static let keys = [
            PasswordCall("a key of PBES2, text") { _, password in
                try asText(password) { password in
                    _ = try JWK(password: password, algorithm: .pbes2HS256A128KW).thumbprint()
                }
            }
        ]
    #else
        private static let keys: [PasswordCall] = []
    #endif
}

/// A password, stored masked, and files that it decrypts.
struct PasswordCase: Sendable {
    let password: Masked
    let key: JWK
    let file: [UInt8]
    let pkcs12: [UInt8]

    init() throws {
        // Letters that no other string has in this order.
        var generator = SystemRandomNumberGenerator()
        let password = Masked(
            bytes: (0..<64).map { _ in UInt8.random(in: 0x61...0x7a, using: &generator) ^ 0x5a })
        let key = try JWK.generate(.curve(.p256))
        self.password = password
        self.key = key
        file = try password.use { plain in
            try key.withPrivateKeyFile(.pem, password: plain) { file in
                file.indices.map { file[$0] }
            }
        }
        pkcs12 = try password.use { try key.pkcs12File(password: $0) }
    }

    @Sendable func expect(_ contents: KeyFileContents) throws {
        #expect(try contents.key().thumbprint() == key.thumbprint())
    }
}

@Suite(.serialized, .disabled(if: hasHeapOfSanitizer, "memory is searched byte by byte"))
struct PasswordMemoryTests {
    /// Less than the whole: the allocator uses the first words of freed memory.
    private func places(_ password: Masked) throws -> Int {
        try password.part(24..<56).use { try Memory().places(holding: $0).count }
    }

    @Test("after the call none of our copies remains in memory", arguments: PasswordCall.all)
    func wiped(_ call: PasswordCall) throws {
        let known = try PasswordCase()
        #expect(try places(known.password) == 0, "before the call")
        try known.password.use { try call.run(known, $0) }
        #expect(try places(known.password) == 0)
    }

    @Test("copies in a string, in Data and in an array that is not wiped are found")
    func search() throws {
        let known = try PasswordCase()
        try known.password.use { plain in
            var found: [Int] = []
            try PasswordCall.asText(plain) { _ in found.append(try places(known.password)) }
            try PasswordCall.asData(plain) { _ in found.append(try places(known.password)) }
            #expect(found.allSatisfy { $0 > 1 } && found.count == 2)
        }
        #expect(try places(known.password) == 0)
    }
}
