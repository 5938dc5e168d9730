internal import Possession
internal import StrictJSON
internal import Text

extension SandboxDelivery {
    /// Reads how the carrier treats a user's messages: one word for all, or a word for each channel.
    ///
    ///     "undelivered"
    ///     {"whatsapp": "undelivered", "sms": "ok"}
    ///
    /// - Returns: `nil` after a mistake, which the reader has recorded.
    static func read(_ name: String, in parent: inout MemberReader) -> SandboxDelivery? {
        guard let value = parent.value(name) else { return .ok }
        if let object = value.object { return read(object, name, in: &parent) }
        guard let word = value.string,
            let outcome = Outcome.allCases.first(where: { $0.rawValue.isSame(as: word) })
        else {
            let words = Outcome.allCases.map(\.rawValue).joined(separator: ", ")
            parent.note(name, "must be one of \(words), or an object with one of them for each channel")
            return nil
        }
        return SandboxDelivery(outcome)
    }

    private static func read(
        _ object: JSONObject, _ name: String, in parent: inout MemberReader
    ) -> SandboxDelivery? {
        var reader = MemberReader(object, at: parent.path(name))
        var outcomes: [OutgoingMessage.Channel: Outcome] = [:]
        for channel in OutgoingMessage.Channel.allCases where reader.has(channel.rawValue) {
            outcomes[channel] = reader.choice(channel.rawValue, of: Outcome.allCases)
        }
        let mistakes = reader.allMistakes()
        parent.adopt(mistakes)
        if object.count == 0 { parent.note(name, "must name a channel") }
        return mistakes.isEmpty && !outcomes.isEmpty ? SandboxDelivery(outcomes) : nil
    }
}
