internal import StrictJSON

extension Configuration {
    /// The effective settings as the file would have them, secrets left out.
    var settings: JSONObject {
        var object = JSONObject()
        for setting in Setting.inReportOrder {
            guard let value = setting.printed(self) else { continue }
            let names = setting.key.path.split(separator: ".").map(String.init)
            guard names.count > 1 else {
                object[names[0]] = value
                continue
            }
            var section = object[names[0]]?.object ?? JSONObject()
            section[names[1]] = value
            object.set(names[0], section)
        }
        return object
    }

    /// The same, one member a line: `check-config` prints it.
    package var report: String {
        Configuration.lines(.object(settings), indent: "")
    }

    private static func lines(_ value: JSONValue, indent: String) -> String {
        guard case .object(let object) = value, !object.isEmpty else {
            return String(decoding: value.serialized(), as: UTF8.self)
        }
        let inner = indent + "  "
        let members = object.members.map { member in
            let name = String(decoding: JSONValue.string(member.name).serialized(), as: UTF8.self)
            return "\(inner)\(name): \(lines(member.value, indent: inner))"
        }
        return "{\n" + members.joined(separator: ",\n") + "\n\(indent)}"
    }
}
