// A worker of `tools/run bench-peers`: SwiftPeers jwt-kit|JWSETKit VERSION FOLDER.

import Foundation

let arguments = CommandLine.arguments
guard arguments.count == 4 else { throw Failure("SwiftPeers jwt-kit|JWSETKit VERSION FOLDER") }
let inputs = Inputs(folder: arguments[3])
let operations =
    arguments[1] == "jwt-kit"
    ? try await jwtKitOperations(inputs) : try jwsetKitOperations(inputs)
try await serve(arguments[1], arguments[2], operations)
