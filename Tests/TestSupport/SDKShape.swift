internal import StrictJSON

/// Demands of the official SDKs on every answer (Prove 13.4): no `null`, no empty text, the types of known members.
package enum SDKShape {
    private static let texts = [
        "correlationId", "authToken", "phoneNumber", "proveId", "deviceId", "clientHumanId", "clientRequestId",
        "message",
        "access_token", "token_type",
    ]
    private static let integers = ["code", "expires_in", "count"]
    /// Lists that are sent even when there is nothing in them.
    private static let maybeEmptyLists = ["allowed", "identities", "limits", "messages", "reasons", "results"]

    /// Defects of an answer; empty when there are none.
    /// - Parameter successIsText: on unify, unify-status and unify-bind; elsewhere it is a boolean.
    /// - Parameter mayBeEmpty: members of a batch's results that are required and sent empty for want of a value.
    package static func defects(
        of body: [UInt8], successIsText: Bool = true, mayBeEmpty: [String] = []
    ) -> [String] {
        guard let object = try? JSONObject.parse(body) else { return ["not a JSON object"] }
        let allowed = mayBeEmpty.map { ".results[].\($0) is empty" }
        return defects(of: .object(object), at: "").filter { !allowed.contains($0) } + known(object, successIsText)
    }

    private static func defects(of value: JSONValue, at path: String) -> [String] {
        switch value {
        case .null: return ["\(path) is null"]
        case .string(let text): return text.isEmpty ? ["\(path) is empty"] : []
        case .number: return path.hasSuffix(".distance") ? [] : ["\(path) is no whole number"]
        case .bool, .integer: return []
        case .array(let elements):
            let mayBeEmpty = maybeEmptyLists.contains { path.hasSuffix(".\($0)") }
            return (elements.isEmpty && !mayBeEmpty ? ["\(path) is empty"] : [])
                + elements.flatMap { defects(of: $0, at: "\(path)[]") }
        case .object(let object):
            return (object.isEmpty && path != "" ? ["\(path) is empty"] : [])
                + object.members.flatMap { defects(of: $0.value, at: "\(path).\($0.name)") }
                + evaluation(object, at: path)
        }
    }

    /// Every value of an `evaluation` is an object, wherever it stands.
    private static func evaluation(_ object: JSONObject, at path: String) -> [String] {
        guard let evaluation = object["evaluation"] else { return [] }
        guard let categories = evaluation.object else { return ["\(path).evaluation is no object"] }
        return categories.members.filter { $0.value.object == nil }.map {
            "\(path).evaluation.\($0.name) is no object"
        }
    }

    private static func known(_ object: JSONObject, _ successIsText: Bool) -> [String] {
        var defects: [String] = []
        for name in texts where object[name] != nil && object[name]?.string == nil {
            defects.append("\(name) is no text")
        }
        for name in integers where object[name] != nil && object[name]?.integer == nil {
            defects.append("\(name) is no integer")
        }
        switch object["success"] {
        case nil: break
        case .string(let text)?:
            let known = ["true", "false", "pending", "possession_required"].contains(text)
            if !successIsText || !known { defects.append("success is wrong") }
        case .bool?: if successIsText { defects.append("success is no text") }
        default: defects.append("success is wrong")
        }
        return defects
    }
}
