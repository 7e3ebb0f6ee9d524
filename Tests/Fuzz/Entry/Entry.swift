// The entry points for libFuzzer. Only in the fuzzing program, which `tools/run fuzz` builds.

import CFuzz
import Foundation

/// The target named by `JOSE_FUZZ_TARGET`.
private let chosen: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["JOSE_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.named(name) else { stop("no fuzz target '\(name)'") }
    cfuzz_count_install()
    return target
}()

/// The file named by `JOSE_FUZZ_ANSWERS`, for each input and its result, one JSON line each.
private let responses: FileHandle? = {
    guard let path = ProcessInfo.processInfo.environment["JOSE_FUZZ_ANSWERS"] else { return nil }
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    return FileHandle(forWritingAtPath: path)
}()

private func stop(_ message: String) -> Never {
    FileHandle.standardError.write(Data("fuzz: \(message)\n".utf8))
    abort()
}

/// Runs the selected target with one input, for libFuzzer.
@c(LLVMFuzzerTestOneInput)
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // One exact copy, so that the sanitizer detects a read past its end.
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    if let responses, let response = chosen.response {
        let text = response(input).map { "\"\(Data($0).base64EncodedString())\"" } ?? "null"
        let line = "{\"input\":\"\(Data(input).base64EncodedString())\",\"answer\":\(text)}\n"
        responses.write(Data(line.utf8))
    }
    do {
        try chosen.run(input)
        if cfuzz_errors_pending() { stop("\(chosen.name): OpenSSL's error queue is not empty") }
    } catch {
        stop("\(chosen.name): \(error)")
    }
    return 0
}

/// Changes an input, for libFuzzer. Every second time key files are changed by their grammar, all
/// others by libFuzzer's own mutations.
@c(LLVMFuzzerCustomMutator)
public func fuzzMutate(
    _ start: UnsafeMutablePointer<UInt8>?, _ count: Int, _ capacity: Int, _ seed: CUnsignedInt
) -> Int {
    if chosen.isKeyFile, seed & 1 == 0 {
        var mutator = DERMutator(seed: UInt64(seed))
        let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
        if let mutant = mutator.mutant(of: input), mutant.count <= capacity, let start {
            _ = UnsafeMutableBufferPointer(start: start, count: capacity).update(
                fromContentsOf: mutant)
            return mutant.count
        }
    }
    return cfuzz_mutate(start, count, capacity)
}
