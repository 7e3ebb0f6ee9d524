// josectl batch: JSON Lines in, JSON Lines out.

import JOSE
import JOSEBytes

extension Command {
    static let batch = Command(
        name: "batch",
        summary: "answer one JSON request a line with one JSON line, in order",
        details: """
            A bad line gets an error as its answer; the tool goes on. Operations:
            \(BatchOperation.all.keys.sorted().joined(separator: ", ")).
            With --module a key may be the pkcs11: URI of one in a token: every line may use every key there.
            The PIN goes to the token of --token, and to no other that a line names.
            """,
        options: [
            .value("jobs", "N", "work on N lines at a time (default 1)"),
            .value(
                "acceleration", "WAY",
                "how keys compute: automatic (default), including-encryption, portable, provider-only"
            ),
            .maxBytes, .maxInflated,
            .value("token", "URI", "with --pin-file: the token that the PIN is for"),
        ] + Option.held,
        isFedWithKeys: true,
        example: """
            echo '{"id":1,"op":"thumbprint","jwk":{"kty":"RSA","n":"…","e":"AQAB"}}' | josectl batch
            """
    ) { invocation in
        let jobs = try invocation.line.integer("jobs", 1...256) ?? 1
        let limits = try JOSELimits(invocation.line)
        // A line holds a token or payload, keys, and a little more.
        let lineLimit = max(16_777_216, 4 * limits.tokenBytes)
        let desk = BatchDesk(
            limits: limits, acceleration: try invocation.line.acceleration(), held: invocation.held)
        // A batch is long: the kernels are asked their known answers before it.
        _ = KeyAcceleration.kernelsInUse
        try BatchRun(desk: desk, lineLimit: lineLimit).run(jobs: jobs)
        return .accepted
    }
}

extension ParsedLine {
    fileprivate func acceleration() throws -> KeyAcceleration {
        guard let name = self["acceleration"] else { return .automatic }
        guard let way = KeyAcceleration.named.first(where: { $0.name == name })?.way else {
            let known = KeyAcceleration.named.map(\.name).joined(separator: ", ")
            throw UsageError("--acceleration '\(printable(name))': known are \(known)")
        }
        return way
    }
}

extension JOSELimits {
    /// The standard limits, with the size of a token raised (or lowered) openly.
    init(_ line: ParsedLine) throws {
        self.init()
        if let bytes = try line.integer("max-bytes", 1...134_217_728) { tokenBytes = bytes }
        if let bytes = try line.integer("max-inflated", 1...134_217_728) { inflatedBytes = bytes }
    }
}
