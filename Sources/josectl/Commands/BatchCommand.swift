// josectl batch: reads JSON requests, one a line, and writes one JSON response a line.

import JOSE
import JOSEBytes

extension Command {
    static let batch = Command(
        name: "batch",
        summary: "process JSON requests, one a line, and write one JSON response a line",
        details: """
            Responses are in the order of the requests. A bad line gets an error as its response, \
            and the next line is processed. Operations: \
            \(BatchOperation.all.keys.map(\.text).sorted().joined(separator: ", ")).
            With --module, a key may be given as a pkcs11: URI, and every request may use every \
            key of the module. The PIN is sent only to the token of --token.
            """,
        options: [
            .value(
                "jobs", "N",
                "run up to N tasks at a time, 1 to 256 (default 1); each processes up to "
                    + "\(BatchRun.linesPerGroup) lines"),
            .choice("acceleration", "NAME", KeyAcceleration.named.map(\.name)) {
                "how keys compute: \($0) (default automatic)"
            },
            .maxBytes, .maxInflated,
            .value("token", "URI", "with --pin-file: the PKCS#11 token that the PIN is for"),
        ] + Option.externalKey,
        readsKeysFromInput: true,
        example: """
            echo '{"op":"thumbprint","jwk":{"kty":"RSA","n":"…","e":"AQAB"}}' | josectl batch
            """
    ) { invocation in
        let jobs = try invocation.line.integer("jobs", 1...256) ?? 1
        let limits = try JOSELimits(invocation.line)
        // A line has a token or payload, keys, and a little more.
        let lineLimit = max(16_777_216, 4 * limits.tokenBytes)
        let handler = BatchHandler(
            limits: limits, acceleration: invocation.line.acceleration,
            externalKeys: invocation.externalKeys)
        // Check the kernels before the first request instead of during it.
        _ = KeyAcceleration.kernelsInUse
        // Progress would disturb a person who types requests or reads responses.
        let isInteractive = Descriptor.input.isTerminal || Descriptor.output.isTerminal
        let progress = Progress(invocation.output, isOn: !isInteractive)
        defer { progress.end() }
        try await BatchRun(handler: handler, lineLimit: lineLimit, progress: progress)
            .run(jobs: jobs)
        return .accepted
    }
}

extension ParsedCommandLine {
    fileprivate var acceleration: KeyAcceleration {
        KeyAcceleration.named.first { $0.name == self["acceleration"] }?.value ?? .automatic
    }
}

extension JOSELimits {
    init(_ line: ParsedCommandLine) throws {
        self.init()
        if let bytes = try line.integer("max-bytes", 1...134_217_728) { tokenBytes = bytes }
        if let bytes = try line.integer("max-inflated", 1...134_217_728) { inflatedBytes = bytes }
    }
}
