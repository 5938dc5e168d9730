internal import StrictJSON
internal import Text

/// Converts JSON lines into lines for people:
///
///     12:00:00.812Z info     request POST /v3/unify 200 0.812 ms requestId=... client=shop
///     12:00:00.000Z warning  a clock stepped back seconds=12
///
/// A value of more than one plain word is written as a JSON string, so that a value cannot end its line or move the
/// cursor of a terminal (DAT-06).
struct ReadableLog {
    /// Members at the beginning of a request's line, written without their names.
    private static let ofRequest = ["method", "route", "status", "durationMs"]
    private static let widestLevel = "critical".utf8.count

    /// - Parameter lines: complete lines, each with its line end.
    static func text(of lines: [UInt8]) -> [UInt8] {
        var text = LogText()
        text.reserve(lines.count)
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            if let object = try? JSONObject.parse(Array(line)) {
                write(object, to: &text)
            } else {
                text.raw(Array(line))
            }
            text.raw("\n")
        }
        return text.bytes
    }

    private static func write(_ object: JSONObject, to text: inout LogText) {
        let time = object["time"]?.string ?? ""
        // Without the day: 2026-01-31T.
        text.raw(Array(time.utf8.dropFirst(11)))
        text.raw(" ")
        let level = object["level"]?.string ?? ""
        text.raw(Array(level.utf8))
        for _ in level.utf8.count...widestLevel { text.raw(" ") }
        let message = object["message"]?.string ?? ""
        text.plain(message)
        let isRequest = message.isSame(as: "request")
        var shown = ["time", "level", "message"]
        if isRequest {
            for name in ofRequest {
                guard let value = object[name] else { continue }
                text.raw(" ")
                write(value, to: &text)
            }
            text.raw(" ms")
            shown += ofRequest
        }
        for member in object.members where !shown.contains(where: { $0.isSame(as: member.name) }) {
            if member.name.isSame(as: "context"), let context = member.value.object {
                for member in context.members { write(member, to: &text) }
            } else {
                write(member, to: &text)
            }
        }
    }

    private static func write(_ member: JSONObject.Member, to text: inout LogText) {
        text.raw(" ")
        text.raw(Array(member.name.utf8))
        text.raw("=")
        write(member.value, to: &text)
    }

    private static func write(_ value: JSONValue, to text: inout LogText) {
        if case .string(let string) = value { text.word(string) } else { text.raw(value.serialized()) }
    }
}
