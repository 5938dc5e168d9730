internal import Locks
package import Logging

/// Writes each record of `Logger` as one JSON line:
///
///     {"time":"2026-01-31T12:00:00.000Z","level":"info","message":"listening","context":{"address":"127.0.0.1:8080"}}
package struct JSONLogHandler: LogHandler {
    /// The sink's level, unless this handler has its own.
    package var logLevel: Logger.Level {
        get { ownLevel ?? sink.level.withLock { $0 } }
        set { ownLevel = newValue }
    }
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    private let sink: LogSink
    private var ownLevel: Logger.Level?

    package init(_ sink: LogSink, level: Logger.Level? = nil) {
        self.sink = sink
        ownLevel = level
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var context = metadata
        if let provided = metadataProvider?.get() { context.merge(provided) { _, new in new } }
        if let own = event.metadata { context.merge(own) { _, new in new } }
        let message = event.message.description
        sink.line(isUrgent: event.level >= .error) { text in
            text.raw(",\"level\":")
            text.string(event.level.rawValue)
            text.raw(",\"message\":")
            text.string(message)
            if !context.isEmpty {
                text.raw(",\"context\":")
                JSONLogHandler.write(.dictionary(context), to: &text)
            }
        }
    }

    private static func write(_ value: Logger.Metadata.Value, to text: inout LogText) {
        switch value {
        case .string(let string): text.string(string)
        case .stringConvertible(let value): text.string(value.description)
        case .array(let values):
            text.raw("[")
            for (index, value) in values.enumerated() {
                if index > 0 { text.raw(",") }
                write(value, to: &text)
            }
            text.raw("]")
        case .dictionary(let members):
            text.raw("{")
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { text.raw(",") }
                text.string(member.key)
                text.raw(":")
                write(member.value, to: &text)
            }
            text.raw("}")
        }
    }
}
