// The entry point of the command line tool.

Process.end(await Dispatcher.run(Array(CommandLine.arguments.dropFirst())).rawValue)
