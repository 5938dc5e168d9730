internal import StrictJSON
internal import Text

/// The configuration file: JSON with comments from `//` to the end of the line, flattened to paths.
struct ConfigurationFile {
    /// Settings by their path. Objects and arrays that the table of settings does not have become unknown keys.
    let values: [String: SettingValue]
    /// The objects of keys whose form is `.object`.
    let objects: [String: JSONObject]
    /// Mistakes in the file itself.
    let mistakes: [String]
    /// Whether the text is not a JSON object, so that no setting is known.
    let isBroken: Bool

    init(_ text: [UInt8]) {
        var flattener = Flattener()
        var isBroken = false
        do {
            flattener.walk(try JSONObject.parse(ConfigurationFile.withoutComments(text), limits: .trusted), under: [])
        } catch {
            let line = text.prefix(error.offset).count { $0 == UInt8(ascii: "\n") } + 1
            flattener.mistakes = ["the file is no JSON object, line \(line): \(error.reason)"]
            isBroken = true
        }
        self.isBroken = isBroken
        values = flattener.values
        objects = flattener.objects
        mistakes = flattener.mistakes
    }

    /// Replaces comments with blanks, so that positions in the text stay the same.
    static func withoutComments(_ text: [UInt8]) -> [UInt8] {
        var plain = text
        var isInString = false
        var index = 0
        while index < plain.count {
            switch plain[index] {
            case UInt8(ascii: "\\") where isInString: index += 1
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "/") where !isInString && plain[index...].starts(with: "//".utf8):
                while index < plain.count, plain[index] != UInt8(ascii: "\n") {
                    plain[index] = UInt8(ascii: " ")
                    index += 1
                }
            default: break
            }
            index += 1
        }
        return plain
    }
}

/// Turns nested objects into paths.
private struct Flattener {
    var values: [String: SettingValue] = [:]
    var objects: [String: JSONObject] = [:]
    var mistakes: [String] = []

    private static let forms = Dictionary(uniqueKeysWithValues: ConfigurationKey.all.map { ($0.path, $0.form) })

    mutating func walk(_ object: JSONObject, under parents: [String]) {
        for member in object.members {
            let components = parents + [member.name]
            let path = components.joined(separator: ".")
            // A name with a dot must not be read as a nested name.
            let form = member.name.utf8.contains(UInt8(ascii: ".")) ? nil : Flattener.forms[path]
            switch (member.value, form) {
            case (.object(let inner), .object?): objects[path] = inner
            case (.object(let inner), nil): walk(inner, under: components)
            case (let value, let form?): take(value, form, path)
            case (_, nil):
                mistakes.append("\(path): no such setting" + NearName.hint(path, among: Flattener.forms.keys))
            }
        }
    }

    private mutating func take(_ value: JSONValue, _ form: ConfigurationKey.Form, _ path: String) {
        switch value {
        case .string(let text): values[path] = .text(text)
        case .integer(let integer): values[path] = .integer(Int(integer))
        case .bool(let flag): values[path] = .flag(flag)
        case .array(let entries) where form == .list && entries.allSatisfy { $0.string != nil }:
            values[path] = .text(entries.compactMap(\.string).joined(separator: ","))
        case .null, .number, .array, .object: values[path] = .other
        }
    }
}
