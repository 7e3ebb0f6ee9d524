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

    /// The processor as Linux names it, with family and model: a virtual machine has one name for many generations.
    static var processor: String {
        let about = firstProcessor()
        let name = about["model name"] ?? architecture
        guard let family = about["cpu family"], let model = about["model"] else { return name }
        return "\(name) (family \(family), model \(model))"
    }

    /// Instructions are counted where texts are read and written by AVX2: other kernels take others.
    static var lacksAVX2: Bool {
        guard architecture == "x86_64" else { return false }
        return firstProcessor()["flags"]?.split(separator: " ").contains("avx2") != true
    }

    /// What Linux says of the first processor.
    private static func firstProcessor() -> [String: String] {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        var about: [String: String] = [:]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            // An empty line ends it.
            guard let colon = line.firstIndex(of: ":") else { break }
            let name = line[..<colon].trimmingCharacters(in: .whitespaces)
            about[name] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return about
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

/// The processor as Linux names it, with family and model.
@_spi(Bench) public func processorName() -> String { Machine.processor }
