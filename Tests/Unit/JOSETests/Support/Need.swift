// `#require` as a function, since macros do not nest.

import Testing

/// The value, or a recorded failure and a throw.
func need<Value>(
    _ value: Value?, sourceLocation: SourceLocation = #_sourceLocation
) throws -> Value {
    try #require(value, sourceLocation: sourceLocation)
}
