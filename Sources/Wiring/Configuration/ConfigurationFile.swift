internal import StrictJSON
internal import Text

/// The configuration file: JSON, with comments from `//` to the end of the line, flattened to settings.
struct ConfigurationFile {
    /// Settings by their path; objects and arrays that the table of keys does not know come out as unknown keys.
    let values: [String: SettingValue]
    /// The objects of keys whose form is `.object`.
    let objects: [String: JSONObject]
    /// Mistakes in the file itself.
    let mistakes: [String]
    /// The text is no JSON object: it says nothing about any setting.
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

    /// Blanks comments out, so that places in the text stay what they are.
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
            // A name with a dot would pass for a nested one.
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
