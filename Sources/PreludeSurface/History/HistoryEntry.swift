internal import Possession
internal import SurfaceKit

/// A verification as the history tells it, from its stored session.
struct HistoryEntry: Sendable {
    enum Status: String, CaseIterable, Sendable {
        case converted
        case notConverted = "not_converted"
        case pendingCheck = "pending_check"
        case sent

        /// Those of the wire format that no stored session has: nothing was stored of a blocked number.
        static let others = [
            "challenged", "suspected_fraud", "in_blocklist", "invalid_line", "invalid_number", "rate_limited",
            "expired_signals", "shadowed",
        ]
    }

    let session: Session
    let status: Status
    /// The messages that were asked for.
    let attempts: Int
    /// The channels that took its messages, in their order.
    private let taken: [OutgoingMessage.Channel]

    /// - Parameter messages: what became of its messages, oldest first.
    init(_ session: Session, _ messages: [MessageStanding]) {
        self.session = session
        taken = messages.compactMap(\.channel)
        attempts = max(0, session.request.policy.sends - session.sends.sendsLeft)
        status =
            switch session.phase {
            case .created: .sent
            case .active: attempts > 0 ? .pendingCheck : .sent
            case .done(.succeeded, _): .converted
            case .done: .notConverted
            }
    }

    var number: String { session.currentNumber?.e164 ?? "" }

    /// The ways that it has taken, with the one that led to the end. Where no channel is noted, those that its messages may
    /// take.
    var channels: [Way] {
        let isSilent = session.mobileAuth.attempt != nil
        let method = session.proof?.method
        let possible = session.request.policy.channels
        let last = taken.last ?? possible.first
        var messages: [Way] = []
        for channel in taken.isEmpty ? possible : taken {
            let way = Way(channel: channel.rawValue, converted: method == .otp && channel == last)
            if !messages.contains(way) { messages.append(way) }
        }
        let silent = isSilent ? [Way(channel: "silent", converted: method == .mobileAuth)] : []
        return silent + (attempts > 0 ? messages : [])
    }

    struct Way: Sendable, Equatable {
        let channel: String
        let converted: Bool

        static let reply = Reply<Way> {
            ReplyMember.always("channel", .text(.choice(["silent", "sms", "voice", "whatsapp", "viber"]))) {
                $0.channel
            }
            ReplyMember.always("converted", .flag, "It led to the proof.") { $0.converted }
        }
    }

    /// The form of each entry in a list.
    static let reply = Reply<HistoryEntry> {
        ReplyMember.always("id", .text) { PreludeID.text($0.session.correlationID) }
        ReplyMember.always("phone_number", .text) { $0.number }
        ReplyMember.always("status", .choice(Status.allCases)) { $0.status }
        ReplyMember.always("channels", .list(of: .object(Way.reply))) { $0.channels }
        ReplyMember.always("delivered", .flag, "A code of it was typed.") { $0.status == .converted }
        ReplyMember.always("attempts", .integer(0...100), "Messages that were asked for.") { $0.attempts }
        ReplyMember.always("created_at", .moment) { $0.session.createdAt }
        ReplyMember.whenThere("converted_at", .moment) { $0.session.proof?.at }
    }
}
