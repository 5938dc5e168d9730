internal import StrictJSON

/// A value that a parameter's schema allows, for samples.
enum SampleValue {
    static func text(of schema: JSONObject, named name: String) -> String {
        if let example = schema["example"]?.string ?? schema["examples"]?.array?.first?.string { return example }
        if let choice = schema["enum"]?.array?.first?.string { return choice }
        if schema["format"]?.string == "uuid" { return "019b7907-8d58-7500-8000-000000000001" }
        if schema["type"]?.string == "integer" { return "\(schema["minimum"]?.integer ?? 1)" }
        if let pattern = schema["pattern"]?.string, let text = text(matching: pattern) { return text }
        return String(name.filter { $0.isLetter || $0.isNumber })
    }

    /// A text that matches a sequence of characters and classes, each with a count: `^VA[0-9a-f]{32}$`. `nil`: the
    /// pattern has other parts.
    static func text(matching pattern: String) -> String? {
        guard pattern.hasPrefix("^"), pattern.hasSuffix("$") else { return nil }
        var rest = pattern.dropFirst().dropLast()
        var text = ""
        while let sign = rest.popFirst() {
            guard !"()|.*+?\\^$]{}".contains(sign) else { return nil }
            var element = sign
            if sign == "[" {
                guard let first = rest.first, first != "^", first != "\\", let end = rest.firstIndex(of: "]") else {
                    return nil
                }
                element = first
                rest = rest[rest.index(after: end)...]
            }
            var count = 1
            if rest.first == "{" {
                guard let end = rest.firstIndex(of: "}") else { return nil }
                count = Int(rest[..<end].dropFirst().prefix { $0.isNumber }) ?? 1
                rest = rest[rest.index(after: end)...]
            } else if let sign = rest.first, "*+?".contains(sign) {
                rest.removeFirst()
            }
            text += String(repeating: element, count: count)
        }
        return text
    }
}
