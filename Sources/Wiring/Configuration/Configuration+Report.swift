internal import StrictJSON

extension Configuration {
    /// The effective settings in the form of the file, without secrets.
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

    /// The same with one member in each line, for `check-config`.
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
