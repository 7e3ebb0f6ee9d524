// josectl selftest: known answers on this machine, with this OpenSSL.

import JOSE
import JOSEBytes
import JOSECrypto

extension Command {
    static let selftest = Command(
        name: "selftest",
        summary: "known answers on this machine: one to accept, one to reject for each algorithm",
        options: [
            .value("vectors", "DIR", "run a folder of published vectors besides")
        ],
        example: "josectl selftest --vectors Vectors"
    ) { invocation in
        let progress = Progress(invocation.output)
        defer { progress.end() }
        let responses = try responsesOrNone()
        let results = responses.enumerated().map { index, response in
            progress.say("known answer \(index + 1) of \(responses.count)")
            return (response.row, response.failure())
        }
        var failures = KnownAnswer.missing().map { "\($0): no known answer" }
        if HostProcess.trouble != nil { failures.append(JOSEError.internalFailure.message) }
        failures += results.compactMap { row, failure in failure.map { "\(row): \($0)" } }
        var run: VectorRun?
        if let folder = invocation.line["vectors"] {
            run = try await VectorRun(folder: folder) { progress.say("vector \($0) of \($1)") }
        }
        failures += run?.failures ?? []
        failures += VectorKernel.allCases.filter(\.hasFailed).map {
            "vector kernel \($0.rawValue): a wrong answer"
        }
        progress.say("measuring")
        let report = SelftestReport(
            rows: results.map { ($0.0, $0.1 == nil) },
            speeds: responses.isEmpty ? [] : try AccelerationSpeed.all(),
            failures: failures,
            run: run)
        progress.end()
        if invocation.output.isJSON {
            try Descriptor.output.write(report.json)
        } else {
            try report.print(invocation.output)
        }
        return failures.isEmpty ? .accepted : .rejected
    }
}

/// No row is there where libcrypto lacks what everything needs; that is then a failure of its own.
private func responsesOrNone() throws -> [KnownAnswer] {
    do {
        return try KnownAnswer.all()
    } catch {
        guard HostProcess.trouble != nil else { throw error }
        return []
    }
}

private struct SelftestReport {
    let rows: [(name: String, isGood: Bool)]
    let speeds: [AccelerationSpeed]
    let failures: [String]
    let run: VectorRun?

    private var kernels: [String] { Version.base64URLKernels }

    private var plainFailures: [String] { LibraryReport.failures(of: HostProcess.libraryNumber) }

    private var vectorKernels: [String] {
        VectorKernel.allCases.filter(\.isInUse).map(\.rawValue)
            + VectorKernel.allCases.filter(\.hasFailed).map { "\($0.rawValue) is off" }
    }

    func print(_ output: Output) throws {
        let version = HostProcess.libraryVersion
        try output.line("libcrypto \(version), base64url: \(kernels.joined(separator: ", "))")
        let vectors = vectorKernels.isEmpty ? "none" : vectorKernels.joined(separator: ", ")
        try output.line("vector kernels: \(vectors)")
        for speed in speeds {
            try output.line(
                "\(padded(speed.name, 22))RS256 verifies \(AccelerationSpeed.written(speed.verifications))/s, "
                    + "RSA-OAEP-256 encrypts \(AccelerationSpeed.written(speed.encryptions))/s")
        }
        try output.line("RSA public operations: \(VectorKernel.rsaOrder.joined(separator: ", "))")
        if !plainFailures.isEmpty {
            try output.line(
                "known faults of a plain libcrypto of this number, which distributors mend without changing it: "
                    + plainFailures.joined(separator: ", "))
        }
        for (row, missing) in LibraryReport.unavailable {
            try output.line("\(padded(row, 20))not here: no \(missing)")
        }
        for row in rows {
            let verdict = row.isGood ? Paint.good("ok") : Paint.bad("FAILED")
            try output.line("\(padded(row.name, 20))accepts and rejects  \(verdict)")
        }
        if let run {
            try output.line("vectors: \(run.accepted) accepted, \(run.rejected) rejected")
            let reasons = run.notRun.sorted { $0.key < $1.key }.map {
                "\(printable($0.key)) \($0.value)"
            }
            let count = run.notRun.values.reduce(0, +)
            try output.line("not run here: \(count) (\(reasons.joined(separator: ", ")))")
        }
        for failure in failures { try output.line(Paint.bad("FAILED ") + printable(failure)) }
        try output.line(failures.isEmpty ? "all is as it must be" : "\(failures.count) failures")
    }

    var json: [UInt8] {
        JSONWriter.line { writer in
            writer.member("ok", failures.isEmpty)
            writer.member("libcrypto", HostProcess.libraryVersion)
            writer.names("plain_faults", plainFailures)
            writer.names("unavailable", LibraryReport.unavailable.map(\.row))
            writer.member("missing") { writer in
                for (row, missing) in LibraryReport.unavailable {
                    writer.name(row)
                    writer.string(missing)
                }
            }
            writer.names("kernels", kernels)
            writer.names("vector_kernels", vectorKernels)
            writer.member("speed") { writer in
                for speed in speeds {
                    writer.name(speed.name)
                    writer.object { writer in
                        writer.member("verify", speed.verifications)
                        writer.member("encrypt", speed.encryptions)
                    }
                }
            }
            writer.names("rsa_public", VectorKernel.rsaOrder)
            writer.names("rows", rows.filter(\.isGood).map(\.name))
            writer.names("failures", failures)
            guard let run else { return }
            writer.member("accepted", run.accepted)
            writer.member("rejected", run.rejected)
            writer.member("not_run") { writer in
                for (reason, count) in run.notRun.sorted(by: { $0.key < $1.key }) {
                    writer.name(reason)
                    writer.integer(Int64(count))
                }
            }
        }
    }
}
