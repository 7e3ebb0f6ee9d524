// Every signature family: one key, many threads, the same results as with one thread.

import Foundation
import Testing

@testable import JOSECrypto

@Suite struct SignatureFamilyConcurrency {
    @Test(
        "threads that share a key sign and verify like a single thread",
        arguments: FamilyCase.all)
    func shared(_ entry: FamilyCase) throws {
        for options in [[], OperationOptions.checksEverySignature, .openSSLOnly] {
            let signer = try entry.operation(signing: true, options)
            let verifier = try entry.operation(signing: false, options)
            let right = try signer.sign([0])
            let done = DispatchGroup()
            for index in 0..<8 {
                done.enter()
                Thread {
                    defer { done.leave() }
                    do {
                        for round in 0..<4 {
                            let message = [UInt8(index), UInt8(round)]
                            let signature = try signer.sign(message)
                            #expect(try verifier.accepts(message, signature))
                            #expect(try !verifier.accepts(message, right))
                        }
                    } catch {
                        Issue.record("\(error)")
                    }
                }.start()
            }
            done.wait()
        }
    }
}
