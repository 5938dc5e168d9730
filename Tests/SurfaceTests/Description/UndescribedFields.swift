import StrictJSON

/// Paths of the fields that a document does not describe, such as `components.schemas.State.properties.flow`. An example
/// has values, not fields.
func undescribedFields(_ document: JSONObject) -> [String] {
    undescribed(.object(document), at: [])
}

private func undescribed(_ value: JSONValue, at path: [String]) -> [String] {
    switch value {
    case .array(let values):
        return values.enumerated().flatMap { index, element in undescribed(element, at: path + [String(index)]) }
    case .object(let object):
        return object.members.flatMap { member -> [String] in
            let place = path + [member.name]
            if member.name == "example" || member.name == "examples" { return [] }
            guard member.name == "properties", let fields = member.value.object else {
                return undescribed(member.value, at: place)
            }
            return fields.members.flatMap { field -> [String] in
                let isDescribed = field.value.object?["description"]?.string?.isEmpty == false
                let own = isDescribed ? [] : [(place + [field.name]).joined(separator: ".")]
                return own + undescribed(field.value, at: place + [field.name])
            }
        }
    default: return []
    }
}
