// josectl selftest: checks known answers on this machine, with the installed OpenSSL.

import JOSE
import JOSEBytes
import JOSECrypto
import Synchronization

extension Command {
    static let selftest = Command(
        name: "selftest",
        summary: "check every algorithm on this machine with known answers",
        details: """
            For each algorithm, a known token must be accepted and a changed one rejected. Also \
            lists what the installed OpenSSL lacks, the kernels in use and their speed. With \
            --fips, lists the FIPS provider and what it rejects. Exit code 1 if a check fails.
            """,
        options: [],
        example: "josectl selftest"
    ) { invocation in
        let progress = Progress(invocation.output)
        defer { progress.end() }
        let answers = try availableAnswers()
        let results = answers.enumerated().map { index, answer in
            progress.say("known answer \(index + 1) of \(answers.count)")
            return (answer.algorithm, answer.failure())
        }
        let provider = FIPSProvider.ofProcess
        // With a FIPS provider, the known answer of each available algorithm must have run.
        // Without a provider, the answer need not run: libcrypto may lack the answer's curve and
        // support the algorithm with other curves.
        let covered = provider == nil ? KnownAnswer.known : Set(answers.map(\.algorithm))
        var failures = KnownAnswer.missing(covered).map { "\($0): no known answer" }
        if HostProcess.libraryFailure != nil { failures.append(JOSEError.internalFailure.message) }
        failures += results.compactMap { algorithm, failure in
            failure.map { "\(algorithm): \($0)" }
        }
        if let provider {
            if !provider.isRunning { failures.append("the FIPS provider has stopped") }
        } else {
            failures += VectorKernel.allCases.filter(\.isOff).map {
                "vector kernel \($0.rawValue): wrong known answer; it is switched off"
            }
            progress.say("measuring")
        }
        let unlocked = Atomic(false)
        LockedMemory.watch { _ in unlocked.store(true, ordering: .relaxed) }
        defer { LockedMemory.watch(nil) }
        let speeds = answers.isEmpty || provider != nil ? [] : try AccelerationSpeed.all()
        let report = SelftestReport(
            algorithms: results.map { ($0.0, $0.1 == nil) }, speeds: speeds,
            hasUnlockedKeys: unlocked.load(ordering: .relaxed), failures: failures,
            provider: provider)
        progress.end()
        if invocation.output.isJSON {
            try Descriptor.output.write(report.json)
        } else {
            try report.print(invocation.output)
        }
        return failures.isEmpty ? .accepted : .rejected
    }
}

/// Returns none if OpenSSL lacks what every algorithm needs. The self-test reports that separately.
private func availableAnswers() throws -> [KnownAnswer] {
    do {
        return try KnownAnswer.all()
    } catch {
        guard HostProcess.libraryFailure != nil else { throw error }
        return []
    }
}

private struct SelftestReport {
    let algorithms: [(name: String, isGood: Bool)]
    let speeds: [AccelerationSpeed]
    /// Whether memory for a private key could not be locked. OpenSSL then computed with the key.
    let hasUnlockedKeys: Bool
    let failures: [String]
    let provider: FIPSProvider?

    private var base64URLKernels: [String] { Version.base64URLKernels }

    private var knownCVEs: [String] { LibraryReport.knownCVEs(of: HostProcess.libraryNumber) }

    private var vectorKernels: [String] {
        guard provider == nil else { return [] }
        return VectorKernel.allCases.filter(\.isInUse).map(\.rawValue)
            + VectorKernel.allCases.filter(\.isOff).map { "\($0.rawValue) is off" }
    }

    func print(_ output: Output) throws {
        let version = HostProcess.libraryVersion
        let base64URL = base64URLKernels.joined(separator: ", ")
        try output.line("OpenSSL libcrypto \(version); base64url code: \(base64URL)")
        if !LibraryReport.hasTestedVersion {
            try output.line("josectl was not tested with this version of OpenSSL")
        }
        if let provider {
            try output.line("FIPS provider: \(provider.name)")
            try output.line("version: \(provider.version)")
            try output.line("build: \(provider.build)")
            try output.line("status: \(provider.isRunning ? "running" : "stopped")")
            try output.line(
                "to see whether it is validated, compare version and build with a certificate")
        }
        let vectors = vectorKernels.isEmpty ? "none" : vectorKernels.joined(separator: ", ")
        try output.line("vector kernels: \(vectors)")
        for speed in speeds {
            try output.line(
                "\(padded(speed.name, 22))RS256 verifies \(speed[.verify])/s, "
                    + "signs \(speed[.sign])/s; RSA-OAEP-256 encrypts "
                    + "\(speed[.encrypt])/s, decrypts \(speed[.decrypt])/s; eight in a call: "
                    + "signs \(speed[.signTogether])/s, decrypts \(speed[.decryptTogether])/s")
        }
        if hasUnlockedKeys {
            try output.line(
                "no locked memory (RLIMIT_MEMLOCK): OpenSSL computes with private keys")
        }
        let order = provider == nil ? VectorKernel.rsaOrder : ["FIPS provider"]
        try output.line("RSA public operations: \(order.joined(separator: ", "))")
        if !knownCVEs.isEmpty {
            try output.line(
                "vulnerabilities of this OpenSSL version (distributions may have patched them): "
                    + knownCVEs.joined(separator: ", "))
        }
        for (name, missing) in LibraryReport.unavailable {
            let state = provider == nil ? "not available" : "rejected"
            try output.line("\(padded(name, 20))\(state): no \(missing)")
        }
        for algorithm in algorithms {
            let result = algorithm.isGood ? TerminalStyle.good("ok") : TerminalStyle.bad("FAILED")
            try output.line("\(padded(algorithm.name, 20))accepts and rejects  \(result)")
        }
        for failure in failures {
            try output.line(TerminalStyle.bad("FAILED ") + printable(failure))
        }
        try output.line(
            failures.isEmpty ? "all checks passed" : "\(failures.count) checks failed")
    }

    var json: [UInt8] {
        JSONWriter.line { writer in
            writer.member("ok", failures.isEmpty)
            writer.member("libcrypto", HostProcess.libraryVersion)
            writer.member("libcrypto_tested", LibraryReport.hasTestedVersion)
            if let provider {
                writer.member("fips") { writer in
                    writer.member("name", provider.name)
                    writer.member("version", provider.version)
                    writer.member("build", provider.build)
                    writer.member("running", provider.isRunning)
                }
            }
            writer.names("known_cves", knownCVEs)
            writer.names("unavailable", LibraryReport.unavailable.map(\.name))
            writer.member("missing") { writer in
                for (name, missing) in LibraryReport.unavailable {
                    writer.name(name)
                    writer.string(missing)
                }
            }
            writer.names("kernels", base64URLKernels)
            writer.names("vector_kernels", vectorKernels)
            writer.member("speed") { writer in
                for speed in speeds {
                    writer.name(speed.name)
                    writer.object { writer in
                        for operation in AccelerationSpeed.Operation.allCases {
                            writer.name(operation.rawValue)
                            writer.integer(Int64(speed[operation]))
                        }
                    }
                }
            }
            writer.member("unlocked_keys", hasUnlockedKeys)
            writer.names("rsa_public", provider == nil ? VectorKernel.rsaOrder : [])
            writer.names("algorithms", algorithms.filter(\.isGood).map(\.name))
            writer.names("failures", failures)
        }
    }
}
