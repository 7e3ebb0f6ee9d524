// Checks that verification and decryption make no system calls except for memory, locks, random
// numbers and the clock: each operation runs in a child process that any other call ends.

import CCampaigns
import Foundation
import JOSE

enum Quiet {
    struct Step {
        let name: String
        let run: () throws -> Void
    }

    private final class Plan {
        let steps: [Step]
        init(_ steps: [Step]) { self.steps = steps }

        func run() {
            for (number, step) in steps.enumerated() {
                quiet_step(Int32(number))
                do { try step.run() } catch { quiet_fail() }
            }
        }
    }

    static func run(vectors: String) throws -> Bool {
        try require(try noise(), "the filter does not notice a file that is opened")
        let steps = try signatureSteps() + encryptionSteps() + otherSteps(vectors)
        // In this process too, where a step that throws says why.
        for step in steps {
            do { try step.run() } catch { throw Failure("\(step.name): \(error)") }
        }
        let result = try inChild(Plan(steps))
        if result.ended {
            print(
                "quiet: \(steps.count) steps, no system calls except for memory, locks, random "
                    + "numbers and the clock"
            )
            return true
        }
        let name = steps.indices.contains(Int(result.step)) ? steps[Int(result.step)].name : "?"
        print(
            "quiet: \(name): "
                + (result.call < 0 ? "the step failed" : "system call \(result.call)"))
        return false
    }

    /// Shows that a forbidden call is noticed.
    private static func noise() throws -> Bool {
        let result = try inChild(Plan([Step(name: "noise") { quiet_provoke() }]), warm: false)
        return !result.ended && result.call >= 0
    }

    private static func inChild(_ plan: Plan, warm: Bool = true) throws -> quiet_result {
        var result = quiet_result(ended: false, step: -1, call: -1)
        let work: quiet_work = { context in
            guard let context else { return quiet_fail() }
            Unmanaged<Plan>.fromOpaque(context).takeUnretainedValue().run()
        }
        let done = withExtendedLifetime(plan) {
            quiet_run(warm, work, Unmanaged.passUnretained(plan).toOpaque(), &result)
        }
        try require(done, "no child process, or no seccomp filter")
        return result
    }

    /// What must be rejected with that code.
    static func rejects(_ code: JOSEError.Code, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as JOSEError {
            return try require(error.code == code, "rejected as \(error.code)")
        }
        throw Failure("not rejected")
    }
}
