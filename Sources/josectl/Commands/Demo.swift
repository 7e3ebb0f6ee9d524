// josectl demo: the whole story of a login on one screen, without network or files.

import JOSE
import JOSEBytes
import JOSEOpenID
import JOSEPKCS11

extension Command {
    static let demo = Command(
        name: "demo",
        summary: "the whole story of a login: keys, every message, ten attacks refused",
        details: """
            A relying party and its provider, both here: each message is made by one and checked by the other.
            Everything is made in memory; nothing is read, written or sent. With --signing-key and
            --encryption-key the party's private keys are in a PKCS#11 token, which is asked for all its work.
            """,
        options: [
            .choice("profile", "NAME", DemoProfile.all.map(\.name)) {
                "\($0); default \(DemoProfile.usual)"
            },
            .value("signing-key", "URI", "the party's signing key, in a token"),
            .value("encryption-key", "URI", "the party's encryption key, in a token"),
        ] + Option.held,
        example: "josectl demo --profile \(DemoProfile.usual)"
    ) { invocation in
        let row = DemoProfile.named(invocation.line["profile"] ?? DemoProfile.usual)
        var demo = Demo(row, invocation.output, held: try await invocation.demoParty(row.profile))
        try await demo.run(DemoAttack.all(row.profile))
        if invocation.output.isJSON {
            try Descriptor.output.write(try Output.json(demo.write))
        }
        return .accepted
    }
}

extension Invocation {
    /// The keys that the options name; nil without them.
    nonisolated(nonsending) fileprivate func demoParty(_ profile: OpenIDProfile) async throws
        -> DemoParty?
    {
        guard line.has("signing-key") || line.has("encryption-key") else { return nil }
        guard line.has("encryption-key") == profile.encrypts else {
            throw UsageError(
                profile.encrypts
                    ? "this profile encrypts: name --encryption-key too"
                    : "this profile encrypts nothing: leave --encryption-key out")
        }
        nonisolated(nonsending) func key(_ option: String) async throws -> PKCS11Key {
            let word = try line.required(option)
            guard PKCS11URI.isMeant(by: word) else {
                throw UsageError("--\(option) is a pkcs11: URI")
            }
            return try await heldKeys().key(PKCS11URI(word: word))
        }
        return DemoParty(
            signing: try await key("signing-key"),
            encryption: profile.encrypts ? try await key("encryption-key") : nil)
    }
}
