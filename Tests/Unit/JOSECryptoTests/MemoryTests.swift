// The search of the process's memory finds bytes at any address.

import Foundation
import JOSEBytes
import Testing

@Suite("Memory search", .enabled(if: !hasHeapOfSanitizer))
struct MemoryTests {
    /// Writable pages between pages that are not writable: each is a line of /proc/self/maps, which
    /// is then many pages long.
    private static let pages = 512

    @Test("a process with many mappings is searched completely") func manyMappings() throws {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let size = 2 * Self.pages * page
        let region = try #require(
            mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
        defer { munmap(region, size) }
        let key = Masked(masking: [UInt8]((0..<32).map { _ in .random(in: 0...255) }).span)
        for index in 0..<Self.pages {
            let start = region + 2 * index * page
            try #require(mprotect(start + page, page, PROT_NONE) == 0)
            key.use { start.copyMemory(from: $0, byteCount: $0.count) }
        }
        let found = try key.use { try Set(Memory().places(holding: $0)) }
        let written = (0..<Self.pages).map { UInt64(UInt(bitPattern: region + 2 * $0 * page)) }
        #expect(found.isSuperset(of: written))
    }
}
