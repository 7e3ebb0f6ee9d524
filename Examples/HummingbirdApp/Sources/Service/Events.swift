// Events of the library as logs, metrics and spans. Copy the functions that you need.

import JOSE

// The library's tests compile this file without the three packages.
#if canImport(Logging)
    import Logging
    import Metrics
    import Tracing
#endif

func logs(_ logger: Logger) -> JOSEEventHandler {
    { event in
        let values = event.values.map {
            ($0.name, Logger.MetadataValue.string($0.value.description))
        }
        logger.log(
            level: Logger.Level(rawValue: event.level.rawValue) ?? .error, "\(event.name)",
            metadata: Logger.Metadata(uniqueKeysWithValues: values))
    }
}

func metrics(_ event: any JOSEEvent) {
    var dimensions: [(String, String)] = []
    for (name, value) in event.values {
        switch value {
        case .string, .boolean: dimensions.append((name, value.description))
        case .duration(let time):
            Timer(label: "\(event.name).\(name)").recordNanoseconds(Int64(time / .nanoseconds(1)))
        case .integer, .text: break
        }
    }
    Counter(label: event.name, dimensions: dimensions).increment()
}

func traces(_ event: any JOSEEvent) {
    let span = startSpan(event.name)
    for (name, value) in event.values {
        switch value {
        case .string(let text), .text(let text): span.attributes[name] = text
        case .integer(let number): span.attributes[name] = number
        case .duration(let time): span.attributes[name] = time / .seconds(1)
        case .boolean(let value): span.attributes[name] = value
        }
    }
    span.end()
}
