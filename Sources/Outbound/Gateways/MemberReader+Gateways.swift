internal import Possession
internal import StrictJSON
internal import Text

/// Reading of members that gateway files have.
extension MemberReader {
    /// A list of texts that satisfy `rule`.
    mutating func texts(
        _ name: String, maxCount: Int, maxBytes: Int, reason: String, where rule: (String) -> Bool
    ) -> [String] {
        var texts: [String] = []
        for entry in list(name, maxCount: maxCount) {
            guard let text = entry.value.string, text.utf8.count <= maxBytes, rule(text) else {
                note(name, (entry.value.string.map { "'\(Self.shown($0))': " } ?? "") + reason)
                return []
            }
            texts.append(text)
        }
        return texts
    }

    /// The members of an object.
    mutating func members(_ name: String, maxCount: Int) -> [JSONObject.Member] {
        guard let value = value(name) else { return [] }
        guard let object = value.object, object.count <= maxCount else {
            note(name, "must be an object of at most \(maxCount) members")
            return []
        }
        return object.members
    }

    mutating func channels(
        _ name: String, or fallback: [OutgoingMessage.Channel]
    ) -> [OutgoingMessage.Channel] {
        let known = OutgoingMessage.Channel.allCases
        let reason = "must be a list of " + known.map(\.rawValue).joined(separator: ", ")
        let names = texts(name, maxCount: known.count, maxBytes: 16, reason: reason) { text in
            known.contains { $0.rawValue.utf8.elementsEqual(text.utf8) }
        }
        let channels = known.filter { channel in names.contains { $0.utf8.elementsEqual(channel.rawValue.utf8) } }
        return channels.isEmpty ? fallback : channels
    }

    mutating func pointer(_ name: String) -> GatewayPointer? {
        text(name, reason: "must be a JSON pointer, such as /messages/0/id") { GatewayPointer($0) != nil }
            .flatMap(GatewayPointer.init)
    }

    /// An object with the carrier's codes and the kind of fault that each means.
    mutating func kinds(_ name: String, maxCount: Int) -> [String: GatewayFault.Kind] {
        var kinds: [String: GatewayFault.Kind] = [:]
        for member in members(name, maxCount: maxCount) {
            guard let kind = GatewayFault.Kind.allCases.first(where: { $0.rawValue == member.value.string }) else {
                note(
                    name,
                    "'\(Self.shown(member.name))' must be one of "
                        + GatewayFault.Kind.allCases.map(\.rawValue).joined(separator: ", "))
                continue
            }
            kinds[member.name] = kind
        }
        return kinds
    }
}

extension GatewayValues {
    /// A harmless value for each name, to show how a filled text looks.
    static func filler(_ names: [String]) -> GatewayValues {
        GatewayValues(settings: Dictionary(names.map { ($0, "x") }, uniquingKeysWith: { first, _ in first }))
    }
}
