// The entry point of josectl.

Process.end(await Dispatcher.run(Array(CommandLine.arguments.dropFirst())).rawValue)
