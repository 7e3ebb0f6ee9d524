// `#require` as a function, since macros do not nest.

import Testing

/// Returns the value, or records a failure and throws.
func need<Value>(
    _ value: Value?, sourceLocation: SourceLocation = #_sourceLocation
) throws -> Value {
    try #require(value, sourceLocation: sourceLocation)
}
