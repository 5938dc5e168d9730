internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

// Rules for the members of requests.

/// The channels that a caller may name for a message.
enum OtplessChannel: String, Sendable, CaseIterable {
    case sms = "SMS"
    case whatsapp = "WHATSAPP"
    case voice = "VOICE_CALL"
    case viber = "VIBER"
    case email = "EMAIL"

    /// The engine's channel for it.
    var carrier: OutgoingMessage.Channel {
        switch self {
        case .sms: .sms
        case .whatsapp: .whatsapp
        case .voice: .voice
        case .viber: .viber
        case .email: .email
        }
    }
}

extension Input where Value == [OtplessChannel] {
    /// In the order in which they are tried, without repeats.
    static var channels: Input {
        Input<[String]>.list(of: .freeText(16), most: OtplessChannel.allCases.count)
            .map(orFail: "must be a list of SMS, WHATSAPP, VOICE_CALL, VIBER or EMAIL, each once") { texts in
                var channels: [OtplessChannel] = []
                for text in texts {
                    guard let channel = OtplessChannel.allCases.first(where: { $0.rawValue.isSame(as: text) }),
                        !channels.contains(channel)
                    else { return nil }
                    channels.append(channel)
                }
                return channels
            }
            .described(
                as: Schema.list(of: .choice(OtplessChannel.self))
                    .with("maxItems", .integer(Int64(OtplessChannel.allCases.count))))
    }
}

extension ParameterInput where Value == OtplessChannel {
    static var channel: ParameterInput {
        ParameterInput(Schema.choice(OtplessChannel.self)) { (text, name) throws(FieldDefect) in
            guard let channel = OtplessChannel.allCases.first(where: { $0.rawValue.isSame(as: text) }) else {
                throw FieldDefect(name, "must be SMS, WHATSAPP or EMAIL")
            }
            return channel
        }
    }
}

extension Input where Value == Int {
    /// A lifetime in whole seconds.
    static func expiry(_ range: ClosedRange<Int>) -> Input {
        Input<Int64>.integer(range)
            .map(orFail: "must be from \(range.lowerBound) to \(range.upperBound) seconds") { value in
                Int(exactly: value).flatMap { range.contains($0) ? $0 : nil }
            }
    }

    static var codeLength: Input {
        Input<Int64>.integer(4...6).map(orFail: "must be 4 or 6") { $0 == 4 || $0 == 6 ? Int($0) : nil }
            .described(as: Schema(["type": "integer", "enum": [4, 6]]))
    }
}

extension Input where Value == SessionMetadata {
    /// Names and values, at most 256 characters each.
    static var metadata: Input {
        let (most, longest) = (SessionMetadata.mostEntries, TextRule.reference)
        return Input<JSONObject>.object(Schema.map(of: longest.schema))
            .map(orFail: "must be an object of at most \(most) texts of at most \(longest.maxCharacters) characters") {
                map in
                let entries = map.members.compactMap { member in
                    member.value.string.map { SessionMetadata.Entry(member.name, $0) }
                }
                let fits = entries.allSatisfy {
                    longest.defect(of: $0.name) == nil && longest.defect(of: $0.value) == nil
                }
                return map.count <= most && entries.count == map.count && fits ? SessionMetadata(entries) : nil
            }
    }
}

extension ParameterInput where Value == String {
    /// Any text is accepted here. The code that has the key checks it.
    static var appState: ParameterInput { anyText.described(as: .text(pattern: "^[A-Za-z0-9_-]+$")) }
}
