// Colour, on a terminal only, and columns.

enum Paint {
    static func good(_ text: String) -> String { paint(text, "32") }
    static func bad(_ text: String, on place: Descriptor = .output) -> String {
        paint(text, "31", on: place)
    }
    static func caution(_ text: String) -> String { paint(text, "33") }
    static func warning(_ text: String) -> String { paint(text, "1;31") }
    static func faint(_ text: String) -> String { paint(text, "2") }

    private static func paint(
        _ text: String, _ code: String, on place: Descriptor = .output
    ) -> String {
        isWanted && place.isTerminal ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }

    /// By no-color.org an empty NO_COLOR is as none.
    private static let isWanted =
        (Process.environment("NO_COLOR") ?? "").isEmpty && Process.environment("TERM") != "dumb"
}

/// `text` with spaces behind it.
func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}
