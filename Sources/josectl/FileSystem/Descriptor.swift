// File descriptors: reading, writing and properties of streams.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An open file or stream. Close it with `close()`; standard streams stay open.
struct Descriptor {
    let raw: Int32
    /// The name for messages.
    let name: String

    static let input = Descriptor(raw: STDIN_FILENO, name: "standard input")
    static let output = Descriptor(raw: STDOUT_FILENO, name: "standard output")
    static let error = Descriptor(raw: STDERR_FILENO, name: "standard error")

    /// Opens a file for reading; fails for a directory.
    init(reading path: String) throws(SystemError) {
        let raw = openDescriptor(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard raw >= 0 else { throw SystemError(.read, path) }
        let kind = FileStatus(of: raw)?.kind
        guard let kind, kind != .directory else {
            let failure = SystemError(.read, path, error: kind == nil ? errno : EISDIR)
            closeDescriptor(raw)
            throw failure
        }
        self.init(raw: raw, name: path)
    }

    init(raw: Int32, name: String) {
        self.raw = raw
        self.name = name
    }

    func close() { closeDescriptor(raw) }

    var isTerminal: Bool { isatty(raw) == 1 }

    /// Appends at most `count` bytes; returns false at the end of the file. Waits for the first
    /// byte only.
    func read(into bytes: inout [UInt8], atMost count: Int) throws(SystemError) -> Bool {
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: count))
        while true {
            // Safe: the bytes were appended above.
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe readDescriptor(raw, buffer.baseAddress.map { unsafe $0 + start }, count)
            }
            let reason = errno
            if got < 0, reason == EINTR { continue }
            if got < 0, reason == EAGAIN {
                wait(for: POLLIN)
                continue
            }
            bytes.removeLast(count - max(got, 0))
            guard got >= 0 else { throw SystemError(.read, name, error: reason) }
            return got > 0
        }
    }

    /// Waits for a stream that another process set to non-blocking mode.
    private func wait(for event: Int32) {
        var request = pollfd(fd: raw, events: Int16(event), revents: 0)
        // Safe: one record, owned by this function.
        _ = unsafe poll(&request, 1, -1)
    }

    func write(_ bytes: ArraySlice<UInt8>) throws {
        var rest = bytes
        while !rest.isEmpty {
            // Safe: the buffer outlives the call.
            let done = unsafe rest.withUnsafeBytes { buffer in
                unsafe writeDescriptor(raw, buffer.baseAddress, buffer.count)
            }
            if done >= 0 {
                rest = rest.dropFirst(done)
            } else if errno == EAGAIN {
                wait(for: POLLOUT)
            } else if errno != EINTR {
                throw SystemError(.write, name)
            }
        }
    }

    func write(_ bytes: [UInt8]) throws { try write(bytes[...]) }

    func write(_ text: String) throws { try write(Array(text.utf8)) }
}

// The libc functions whose names are methods of `Descriptor`.

func closeDescriptor(_ raw: Int32) { _ = close(raw) }

func openDescriptor(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
    unsafe open(path, flags, mode)
}

func readDescriptor(_ raw: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(raw, buffer, count)
}

func writeDescriptor(_ raw: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(raw, buffer, count)
}
