// The entry of the command line tool.

import Glibc

exit(Dispatcher.run(Array(CommandLine.arguments.dropFirst())).rawValue)
