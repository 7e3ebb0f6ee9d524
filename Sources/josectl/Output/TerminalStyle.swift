// Colours for terminals, and padding for columns.

enum TerminalStyle {
    static func good(_ text: String) -> String { style(text, "32") }
    static func bad(_ text: String, on stream: Descriptor = .output) -> String {
        style(text, "31", on: stream)
    }
    static func caution(_ text: String) -> String { style(text, "33") }
    static func warning(_ text: String) -> String { style(text, "1;31") }
    static func faint(_ text: String) -> String { style(text, "2") }

    private static func style(
        _ text: String, _ code: String, on stream: Descriptor = .output
    ) -> String {
        isWanted && stream.isTerminal ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }

    /// An empty NO_COLOR counts as unset (no-color.org).
    private static let isWanted =
        (Process.environment("NO_COLOR") ?? "").isEmpty && Process.environment("TERM") != "dumb"
}

func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}
