// keys import and export with elliptic curve keys: round trips with the openssl command.

import Foundation
import Testing

@Suite("Key files with elliptic curve keys") struct CurveFileTests {
    private static let openssl: [(curve: String, algorithm: String)] = [
        ("P-256", "EC -pkeyopt ec_paramgen_curve:P-256"),
        ("P-384", "EC -pkeyopt ec_paramgen_curve:P-384"),
        ("P-521", "EC -pkeyopt ec_paramgen_curve:P-521"),
        ("secp256k1", "EC -pkeyopt ec_paramgen_curve:secp256k1"), ("Ed25519", "ED25519"),
        ("Ed448", "ED448"), ("X25519", "X25519"), ("X448", "X448"),
    ]

    @Test(
        "Every curve is read from openssl and written back to it",
        arguments: openssl.map(\.curve))
    func roundTrip(_ curve: String) throws {
        let tool = try Tool()
        try tool.write(secret: "correct horse", to: "password")
        let algorithm = try #require(Self.openssl.first { $0.curve == curve }?.algorithm)
        try tool.openssl("genpkey -algorithm \(algorithm) -out key.pem")
        try tool.openssl("pkey -in key.pem -outform DER -out key.der")
        try tool.openssl("pkey -in key.pem -pubout -out public.pem")
        try tool.openssl(
            "pkcs8 -topk8 -in key.pem -v2 aes-256-cbc -passout file:password -out sealed.pem")
        var files = ["key.pem", "key.der", "sealed.pem"]
        if algorithm.hasPrefix("EC") {
            try tool.openssl("ec -in key.pem -out sec1.pem")
            try tool.openssl("ec -in key.pem -outform DER -out sec1.der")
            files += ["sec1.pem", "sec1.der"]
        }
        var members: Set<String> = []
        for name in files {
            let response = try tool.run(
                "keys", "import", name, "--password-file", "password", "--out", name + ".jwks")
            #expect(response.code == 0, "\(name): \(response.error)")
            #expect(try tool.mode(name + ".jwks") == 0o600)
            let key = try tool.onlyKey(name + ".jwks")
            #expect(key["crv"] as? String == curve && key["d"] is String)
            members.insert(
                ["kid", "crv", "x", "y", "d"].map { key[$0] as? String ?? "" }
                    .joined(separator: " "))
        }
        #expect(members.count == 1)
        let open = try tool.run("keys", "import", "public.pem")
        #expect(open.code == 0 && !open.text.contains("\"d\""))
        try tool.run("keys", "export", "key.pem.jwks", "--private", "--out", "back.pem")
        try tool.run("keys", "export", "key.pem.jwks", "--out", "back.pub")
        try tool.openssl("pkey -in back.pem -check -noout")
        try tool.openssl("pkey -in back.pem -pubout -out again.pub")
        #expect(try tool.read("again.pub") == tool.read("public.pem"))
        #expect(try tool.read("back.pub") == tool.read("public.pem"))
        try tool.run(
            "keys", "export", "key.pem.jwks", "--pkcs12", "--password-file", "password", "--out",
            "back.p12")
        try tool.openssl("pkcs12 -in back.p12 -passin file:password -nodes -nocerts -out p12.pem")
        try tool.openssl("pkey -in p12.pem -pubout -out p12.pub")
        #expect(try tool.read("p12.pub") == tool.read("public.pem"))
        let again = try tool.run(
            "keys", "import", "back.p12", "--password-file", "password", "--out", "p12.jwks")
        #expect(again.code == 0, "\(again.error)")
        #expect(
            try tool.onlyKey("p12.jwks")["d"] as? String == tool.onlyKey("key.pem.jwks")["d"]
                as? String)
    }

    @Test("A file of openssl ecparam has a separate block with the curve")
    func parameters() throws {
        let tool = try Tool()
        try tool.openssl("ecparam -name secp384r1 -genkey -out key.pem")
        #expect(try tool.read("key.pem").contains("EC PARAMETERS"))
        let response = try tool.run("keys", "import", "key.pem", "--out", "key.jwks")
        #expect(response.code == 0, "\(response.error)")
        #expect(try tool.onlyKey("key.jwks")["crv"] as? String == "P-384")
    }
}
