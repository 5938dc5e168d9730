internal import Possession
internal import SurfaceKit
internal import Text

/// A verification as the history tells it, from its stored session or from a call that started none.
struct HistoryEntry: Sendable {
    enum Status: String, CaseIterable, Sendable {
        case converted
        case notConverted = "not_converted"
        case pendingCheck = "pending_check"
        case sent
        case suspectedFraud = "suspected_fraud"
        case inBlocklist = "in_blocklist"
        case invalidLine = "invalid_line"
        case invalidNumber = "invalid_number"
        case rateLimited = "rate_limited"

        static let about = """
            converted: the number is proven. not_converted: the verification ended without a proof. pending_check: it \
            is open, and a message was asked for. sent: it is open, and no message was asked for. Any other status: \
            it was blocked, for this reason.
            """

        /// Reasons of the wire format that this server never gives.
        static let others = ["challenged", "expired_signals", "shadowed"]

        init(_ reason: Created.Reason) {
            self =
                switch reason {
                case .inBlockList: .inBlocklist
                case .invalidPhoneLine: .invalidLine
                case .invalidPhoneNumber: .invalidNumber
                case .repeatedAttempts: .rateLimited
                case .suspicious: .suspectedFraud
                }
        }
    }

    /// How a number stands on the lists of the API client.
    enum Condition: String, CaseIterable, Sendable {
        case allowListed = "allow_listed"
        case blockListed = "block_listed"
        case sandboxed
    }

    let id: CorrelationID
    let number: String
    let status: Status
    let createdAt: Timestamp
    /// End of the window. A call that was blocked has none: the moment of the call.
    let expiresAt: Timestamp
    let convertedAt: Timestamp?
    /// The caller's own name of the call.
    let reference: String?
    let address: String?
    /// The messages that were asked for.
    let attempts: Int
    /// The ways that it has taken, with the one that led to the end. Where no channel is noted, those that its messages may
    /// take.
    let channels: [Way]
    /// A carrier has said so of a message, or its code was typed.
    let isDelivered: Bool
    /// The reason of a call that was blocked.
    let reason: Created.Reason?

    /// - Parameter messages: what became of its messages, oldest first.
    init(_ session: Session, _ messages: [MessageStanding]) {
        id = session.correlationID
        number = session.currentNumber?.e164 ?? ""
        (createdAt, expiresAt) = (session.createdAt, session.expiresAt)
        convertedAt = session.proof?.at
        reference = session.request.references.clientRequestID
        address = session.request.subject.ipAddress
        attempts = max(0, session.request.policy.sends - session.sends.sendsLeft)
        channels = Self.channels(of: session, attempts: attempts, messages.compactMap(\.channel))
        isDelivered = session.proof?.method == .otp || messages.contains { $0.end == .delivered }
        // The standing of the number stopped its message.
        reason = session.isDone && session.proof == nil && !session.riskReasons.isEmpty ? .suspicious : nil
        status =
            switch session.phase {
            case _ where reason != nil: .suspectedFraud
            case .created: .sent
            case .active: attempts > 0 ? .pendingCheck : .sent
            case .done(.succeeded, _): .converted
            case .done: .notConverted
            }
    }

    /// - Returns: `nil`: it has a reason that this version does not know.
    init?(_ start: RefusedStart) {
        guard let reason = Created.Reason.allCases.first(where: { $0.rawValue.isSame(as: start.reason) }) else {
            return nil
        }
        id = start.id
        number = start.number.e164
        (createdAt, expiresAt) = (start.id.createdAt, start.id.createdAt)
        (convertedAt, reference, address) = (nil, start.reference, start.address)
        (attempts, channels, isDelivered) = (0, [], false)
        self.reason = reason
        status = Status(reason)
    }

    /// - Parameter taken: the channels that took its messages, in their order.
    private static func channels(
        of session: Session, attempts: Int, _ taken: [OutgoingMessage.Channel]
    ) -> [Way] {
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

    /// At the time of the call, as far as it is known.
    var condition: Condition? { reason == .inBlockList ? .blockListed : nil }

    struct Way: Sendable, Equatable {
        let channel: String
        let converted: Bool

        static let reply = Reply<Way> {
            ReplyMember.always(
                "channel", .text(.choice(["silent", "sms", "voice", "whatsapp", "viber"])),
                "The way of a message, or silent: the phone's operator was asked."
            ) {
                $0.channel
            }
            ReplyMember.always("converted", .flag, "It led to the proof.") { $0.converted }
        }
    }

    /// The form of each entry in a list.
    static let reply = Reply<HistoryEntry> {
        ReplyMember.always("id", .text, "vrf_ and 26 characters, as create answers.") { PreludeID.text($0.id) }
        ReplyMember.always("phone_number", .text, "The number in E.164, with +.") { $0.number }
        ReplyMember.always("status", .choice(Status.allCases), Status.about) { $0.status }
        ReplyMember.always(
            "channels", .list(of: .object(Way.reply)),
            "Each way that was taken, once; of a message that waits, the ways that it may take."
        ) { $0.channels }
        ReplyMember.always("delivered", .flag, "A message of it has arrived.") { $0.isDelivered }
        ReplyMember.always("attempts", .integer(0...100), "Messages that were asked for.") { $0.attempts }
        ReplyMember.always("created_at", .moment, "When the verification began, UTC.") { $0.createdAt }
        ReplyMember.whenThere("converted_at", .moment, "When the number was proven, UTC. Absent without a proof.") {
            $0.convertedAt
        }
        ReplyMember.whenThere(
            "phone_number_condition", .choice(Condition.allCases), "Of a blocked number, at the call."
        ) {
            $0.condition
        }
    }
}
