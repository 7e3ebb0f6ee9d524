// josectl demo: the whole story of a login on one screen, without network or files.

import JOSE
import JOSEBytes

extension Command {
    static let demo = Command(
        name: "demo",
        summary: "the whole story of a login: keys, every message, ten attacks refused",
        details: """
            A relying party and its provider, both here: each message is made by one and checked by the other.
            Everything is made in memory; nothing is read, written or sent.
            """,
        options: [
            .value("profile", "NAME", "\(DemoProfile.names); default \(DemoProfile.usual)")
        ],
        example: "josectl demo --profile \(DemoProfile.usual)"
    ) { invocation in
        let row = try DemoProfile.named(invocation.line["profile"] ?? DemoProfile.usual)
        var demo = Demo(row, invocation.output)
        try await demo.run(DemoAttack.all(row.profile))
        if invocation.output.isJSON {
            try Descriptor.output.write(try Output.json(demo.write))
        }
        return .accepted
    }
}
