// What numbers hold for: processor, libcrypto, toolchain.

import Foundation

enum Machine {
    static var architecture: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "aarch64"
        #else
            "other"
        #endif
    }

    /// The processor as Linux names it.
    static var processor: String {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line.map { $0.drop { $0 != ":" }.dropFirst(2).description } ?? architecture
    }

    /// Instructions are counted where texts are read and written by AVX2: other kernels take others.
    static var lacksAVX2: Bool {
        guard architecture == "x86_64" else { return false }
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let flags = text.split(separator: "\n").first { $0.hasPrefix("flags") }
        return flags?.split(separator: " ").contains("avx2") != true
    }

    /// Such as `swift-6.3.1-RELEASE`, as the compiler on PATH calls itself.
    static var toolchain: String {
        guard let swift = findProgram("swift"),
            let said = try? runProgram(swift, ["--version"]).output,
            let version = said.firstMatch(of: /swift-[0-9A-Za-z.-]+/)
        else { return "unknown" }
        return String(version.output)
    }
}

/// The processor as Linux names it.
@_spi(Bench) public func processorName() -> String { Machine.processor }
