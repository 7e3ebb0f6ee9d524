// The calls of libc whose names types here have too, under names of their own.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

func closeDescriptor(_ raw: Int32) { _ = close(raw) }

func readDescriptor(_ raw: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(raw, buffer, count)
}

func writeDescriptor(_ raw: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(raw, buffer, count)
}
