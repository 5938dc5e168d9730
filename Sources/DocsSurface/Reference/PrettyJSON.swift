internal import StrictJSON

/// JSON formatted for people: one member per line, two blanks per level.
enum PrettyJSON {
    static func text(_ value: JSONValue, indent: String = "") -> String {
        switch value {
        case .object(let object) where !object.isEmpty:
            let inner = indent + "  "
            let lines = object.members.map { member in
                "\(inner)\(plain(.string(member.name))): \(text(member.value, indent: inner))"
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        case .array(let values) where values.contains { $0.object != nil }:
            let inner = indent + "  "
            let lines = values.map { inner + text($0, indent: inner) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(indent)]"
        default: return plain(value)
        }
    }

    private static func plain(_ value: JSONValue) -> String { String(decoding: value.serialized(), as: UTF8.self) }
}
