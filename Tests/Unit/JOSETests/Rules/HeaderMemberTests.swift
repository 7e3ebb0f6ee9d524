// The table of header members: who may write a name, what crit may contain, and which spelling is
// which member.

import JOSE
import JOSEBytes
import Testing

@Suite("Header members")
struct HeaderMemberTests {
    /// The names of RFC 7515, 4.1, RFC 7516, 4.1, and RFC 7518, 4.6.1, 4.7.1 and 4.8.1, copied from
    /// the RFCs.
    private static let registered = [
        "alg", "jku", "jwk", "kid", "x5u", "x5c", "x5t", "x5t#S256", "typ", "cty", "crit", "enc",
        "zip", "epk", "apu", "apv", "iv", "tag", "p2s", "p2c",
    ]

    /// The member that a JSON name stands for.
    private func found(_ name: String) throws -> HeaderMember? {
        let document = try JSONDocument(Array("{\(name):1}".utf8), maxDepth: 2)
        return HeaderMember.find(document.nodes[1], in: document.bytes.span)
    }

    private func escaped(_ name: String, _ positions: (Int) -> Bool) -> String {
        name.unicodeScalars.enumerated().map { index, scalar in
            positions(index)
                ? "\\u00\(scalar.value < 16 ? "0" : "")\(String(scalar.value, radix: 16))"
                : String(scalar)
        }.joined()
    }

    @Test("the table has exactly the RFCs' names, b64 and the claims") func names() {
        let table = HeaderMember.allCases
        #expect(
            Set(table.filter { $0.mayBeWrittenBy == .core }.map(\.rawValue.description))
                == Set(Self.registered))
        #expect(
            table.filter { $0.mayBeWrittenBy == .extension }.map(\.rawValue.description) == ["b64"])
        #expect(
            Set(table.filter { $0.mayBeWrittenBy == .free }.map(\.rawValue.description))
                == ["iss", "sub", "aud"])
        #expect(table.count == Self.registered.count + 4)
    }

    @Test("key management parameters have separate slots, at most eight")
    func slots() {
        let parameters = HeaderMember.allCases.filter { $0.slot != nil }
        #expect(
            Set(parameters.map(\.rawValue.description))
                == ["epk", "apu", "apv", "iv", "tag", "p2s", "p2c"])
        #expect(Set(parameters.compactMap(\.slot)) == Set(0..<parameters.count))
        #expect(parameters.count <= 8)
        for form in [ParameterForm.none, .agreement, .ivAndTag, .password] {
            for parameter in form.parameters { #expect(parameter.member.slot != nil) }
        }
    }

    @Test(
        "a name is found plain and escaped, and similar names are not",
        arguments: HeaderMember.allCases)
    func spelling(_ member: HeaderMember) throws {
        let name = member.rawValue.description
        #expect(try found("\"\(name)\"") == member)
        #expect(try found("\"\(escaped(name) { _ in true })\"") == member)
        for index in 0..<name.utf8.count {
            #expect(try found("\"\(escaped(name) { $0 == index })\"") == member)
        }
        let others =
            [
                name + "x", "x" + name, String(name.dropLast()), String(name.dropFirst()),
                name.uppercased(), name + name + name, name + " ", "\\u0000" + name,
                name + "\\u0000",
            ].filter { $0 != name }
        for other in others {
            let got = try found("\"\(other)\"")
            #expect(got == nil || got?.rawValue.description == other, "\(other)")
            #expect(got != member, "\(other)")
        }
    }

    @Test("names that only the library writes are reserved") func reserved() {
        func isReserved(_ name: String) -> Bool {
            HeaderMember.named(name).map { $0.mayBeWrittenBy != .free } ?? false
        }
        for name in Self.registered + ["b64"] { #expect(isReserved(name), "\(name)") }
        for name in [
            "iss", "sub", "aud", "", "a", "ALG", "alg ", "\u{0}alg", "x5t#S25", "x5t#S2566",
            "x5t#s256", "epk\u{0}", "\u{212a}id", "nonce",
        ] {
            #expect(!isReserved(name), "\(name)")
        }
    }

    @Test("RFC 7515 4.1.11: crit contains no registered name, however it is spelled")
    func critical() throws {
        let key = TestKeys.bare(try TestKeys.signing.publicKey)
        let verifier = try JWSVerifier.rs256(key)
        for name in Self.registered {
            for spelt in [name, escaped(name) { $0 == 0 }, escaped(name) { _ in true }] {
                let members =
                    name == "alg" || name == "crit" ? "" : ",\"\(name)\":\"x\""
                let header = #"{"alg":"RS256","crit":["\#(spelt)"]\#(members)}"#
                let token = Independent.base64URL(header.utf8) + ".e30.AA"
                let error = expectRejection("malformed", spelt) { _ = try verifier.verify(token) }
                #expect(
                    error?.message
                        == "crit lists \(name), which RFC 7515 forbids: every reader knows it",
                    "\(spelt)")
            }
        }
    }
}
