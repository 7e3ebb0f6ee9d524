// Every Swift block of every page is compiled, and the tests next to the compiled files run them.

import Foundation
import Testing

@Suite("Swift code on pages")
struct PageBlockTests {
    private static let pages = Pages(root: VectorFile.folder.deletingLastPathComponent())

    @Test("each code block is in a file that the tests compile") func compiled() throws {
        let files = try Self.pages.compiled()
        let blocks = try Self.pages.blocks()
        #expect(blocks.count > 20)
        for block in blocks {
            #expect(files.contains { $0.holds(block) }, "\(block) is compiled nowhere")
        }
    }

    @Test("every block of Swift code is marked as Swift") func unnamed() throws {
        #expect(try Self.pages.unnamed().map(\.description) == [])
        for text in [".target(\n    name: \"a\")", "let a = 1", "import JOSE\nf()"] {
            let blocks = PageBlock.blocks(of: "```\n\(text)\n```\n", on: "p.md", language: "")
            #expect(blocks.map(\.looksLikeSwift) == [true], "\(text)")
        }
    }

    private let page = """
        # A page

        ```swift
        import JOSE

        let a = 1

          let b = 2
        ```
        ```console
        $ ls
        ```
        """

    @Test("a block is found with its position and imports, at another indentation") func block()
        throws
    {
        let blocks = PageBlock.blocks(of: page, on: "p.md")
        #expect(blocks.map(\.description) == ["p.md:4"])
        let held = "import Testing\nimport JOSE\n\nfunc f() {\n    let a = 1\n\n    let b = 2\n}\n"
        #expect(CompiledFile(held).holds(blocks[0]))
    }

    @Test(
        "a file with a missing line or import, or in another order, does not contain the block",
        arguments: [
            "let a = 1\n\nlet b = 2\n", "import JOSE\nlet a = 1\nlet b = 2\n",
            "import JOSE\nlet a = 1\n\nlet b = 3\n", "import JOSE\nlet b = 2\n\nlet a = 1\n",
            "import JOSE\nlet a = 1\n", "import JOSE\nlet a = 1\n\n// let b = 2\n", "",
        ])
    func other(_ text: String) {
        #expect(!CompiledFile(text).holds(PageBlock.blocks(of: page, on: "p.md")[0]))
    }

    @Test("a block without code is found nowhere") func empty() {
        let block = PageBlock.blocks(of: "```swift\nimport JOSE\n```\n", on: "p.md")[0]
        #expect(!CompiledFile("import JOSE\n").holds(block))
    }
}
