// josectl batch: JSON Lines in, JSON Lines out.

import JOSE
import JOSEBytes

extension Command {
    static let batch = Command(
        name: "batch",
        summary: "answer one JSON request a line with one JSON line, in order",
        details: """
            A bad line gets an error as its answer; the tool goes on. Operations:
            \(BatchOperation.all.keys.map(\.text).sorted().joined(separator: ", ")).
            With --module a key may be the pkcs11: URI of one in a token: every line may use every key there.
            The PIN goes to the token of --token, and to no other that a line names.
            """,
        options: [
            .value("jobs", "N", "work on N lines at a time (default 1)"),
            .choice("acceleration", "WAY", KeyAcceleration.named.map(\.name)) {
                "how keys compute: \($0) (default automatic)"
            },
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
        let desk = BatchHandler(
            limits: limits, acceleration: invocation.line.acceleration, held: invocation.held)
        // A batch is long: the kernels are asked their known answers before it.
        _ = KeyAcceleration.kernelsInUse
        // Beside lines that somebody types, or reads as they come, it would stand in the way.
        let isWatched = Descriptor.input.isTerminal || Descriptor.output.isTerminal
        let progress = Progress(invocation.output, isOn: !isWatched)
        defer { progress.end() }
        try await BatchRun(desk: desk, lineLimit: lineLimit, progress: progress).run(jobs: jobs)
        return .accepted
    }
}

extension ParsedLine {
    fileprivate var acceleration: KeyAcceleration {
        KeyAcceleration.named.first { $0.name == self["acceleration"] }?.way ?? .automatic
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
