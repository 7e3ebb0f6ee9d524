// The reader of a FIPS module's configuration.

import Testing

@testable import JOSE

@Suite("Configuration of a FIPS module")
struct FIPSConfigurationTests {
    /// As `openssl fipsinstall` writes it.
    private static let whole = """
        [fips_sect]
        activate = 1
        install-version = 1
        conditional-errors = 1
        security-checks = 1
        module-mac = 23:F5:1F:F4

        """

    private static func read(_ text: String) throws -> FIPSConfiguration {
        let bytes = Array(text.utf8)
        return try FIPSConfiguration(bytes.span)
    }

    private static func rejects(_ text: String, _ part: String) {
        let error = #expect(throws: JOSEError.self) { _ = try read(text) }
        #expect(error?.code == .misuse)
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }

    @Test("the module gets the settings of its section, in their order")
    func settings() throws {
        let read = try Self.read(Self.whole)
        #expect(read.module == nil)
        #expect(
            read.settings.map(\.name)
                == ["install-version", "conditional-errors", "security-checks", "module-mac"])
        #expect(read.settings.last?.value == "23:F5:1F:F4")
    }

    @Test("the section may name the module's file")
    func module() throws {
        let read = try Self.read(Self.whole + "module = /opt/openssl-3.1.2/ossl-modules/fips.so\n")
        #expect(read.module == "/opt/openssl-3.1.2/ossl-modules/fips.so")
        Self.rejects(Self.whole + "module = fips.so\n", "line 7")
    }

    @Test("a path may have @, comma and ~; another character is named by its byte and position")
    func pathCharacters() throws {
        let path = "/opt/openssl@3/a,b~c/fips.so"
        #expect(try Self.read(Self.whole + "module = \(path)\n").module == path)
        for (path, byte, position) in [
            ("/opt/a b/fips.so", 32, 7), ("/opt/$HOME/fips.so", 36, 6), ("/a#b/fips.so", 35, 3),
            ("\"/fips.so\"", 34, 1), ("/a\\b/fips.so", 92, 3), ("/\u{e9}/fips.so", 195, 2),
            ("/a=b/fips.so", 61, 3), ("/a;b/fips.so", 59, 3), ("/a\0b/fips.so", 0, 3),
        ] {
            Self.rejects(
                Self.whole + "module = \(path)\n",
                "line 7 of the FIPS configuration: the path of the module has the byte \(byte) at "
                    + "position \(position);")
        }
        // Only a path may have them: a value with ~ could name a section of libcrypto's.
        for character in ["@", ",", "~"] {
            Self.rejects(Self.whole + "drbg-no-trunc-md = a\(character)b\n", "is no setting")
        }
    }

    @Test("comments, spaces and carriage returns do not count")
    func layout() throws {
        let read = try Self.read("# a file\r\n\r\n [ fips_sect ]\r\n\tmodule-mac=AA:BB \r\n# end")
        #expect(read.settings.map(\.value) == ["AA:BB"])
    }

    @Test("other sections have no effect, before and after")
    func otherSections() throws {
        let others = """
            openssl_conf = start
            .include /etc/ssl/other.cnf
            [start]
            alg_section = evp
            [evp]
            default_properties = fips=no
            $ENV::HOME
            """
        let read = try Self.read(others + "\n" + Self.whole + "[provider_sect]\ndefault = x\n")
        #expect(read.settings.count == 4)
    }

    @Test(
        "what is no setting of a module is rejected with its line",
        arguments: [
            ".include /etc/ssl/other.cnf", "soft_load = 1", "identity = x", "activate",
            "drbg-no-trunc-md = $ENV::X", "drbg-no-trunc-md = a\\", "drbg-no-trunc-md =",
            "drbg-no-trunc-md = 1 # text", "security-checks = 1", "= 1", "MODULE-MAC = 1",
            "drbg-no-trunc-md = default", "drbg-no-trunc-md = jose~fips",
            "drbg-no-trunc-md = \"1\"", "module-mac = ${x}",
        ])
    func wrongLines(_ line: String) {
        Self.rejects(Self.whole + line + "\n", "line 7")
    }

    @Test(
        "a module without its checks is rejected",
        arguments: ["security-checks", "conditional-errors"])
    func checksOff(_ name: String) {
        Self.rejects(
            Self.whole.replacing("\(name) = 1", with: "\(name) = 0"), "switches a check")
    }

    @Test("other checks follow the file")
    func otherChecks() throws {
        Self.rejects(Self.whole + "pbkdf2-lower-bound-check = 0\n", "switches a check")
        let read = try Self.read(
            Self.whole + "pbkdf2-lower-bound-check = 1\nhmac-key-check = 0\n")
        #expect(read.settings.suffix(2).map(\.value) == ["1", "0"])
    }

    @Test("a missing section, two sections and a missing MAC are rejected")
    func incomplete() {
        Self.rejects("", "no section")
        Self.rejects("module-mac = AA\n", "no section")
        Self.rejects("[fips_sect]\nactivate = 1\n", "module-mac")
        Self.rejects(Self.whole + Self.whole, "two sections")
        Self.rejects("[fips_sect\nmodule-mac = AA\n", "no section")
    }

    @Test("no cut of a configuration is accepted without its MAC")
    func cuts() {
        for count in 0..<Self.whole.utf8.count {
            let cut = String(decoding: Array(Self.whole.utf8.prefix(count)), as: UTF8.self)
            guard let read = try? Self.read(cut) else { continue }
            #expect(read.settings.contains { $0.name == "module-mac" }, "\(count) bytes")
        }
    }
}
