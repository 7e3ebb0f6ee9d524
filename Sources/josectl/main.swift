// The entry point of the command line tool.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

Process.end(await Dispatcher.run(Array(CommandLine.arguments.dropFirst())).rawValue)
