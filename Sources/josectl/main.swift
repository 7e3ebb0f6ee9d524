// The entry of the command line tool.

import Glibc

exit(await Dispatcher.run(Array(CommandLine.arguments.dropFirst())).rawValue)
