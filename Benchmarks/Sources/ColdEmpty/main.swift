// Links what ColdVerify links and does nothing: what is left is the cost of starting a process.

import JOSE

if CommandLine.arguments.count > 1_000 { print(JOSELimits.standard.tokenBytes) }
