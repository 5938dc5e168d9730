internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// A verification in the history: a stored session, or a call that was refused before a session began.
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

        /// Reasons in the wire format that this server never uses.
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

    /// The list of the API client that a number is on.
    enum Condition: String, CaseIterable, Sendable {
        case allowListed = "allow_listed"
        case blockListed = "block_listed"
        case sandboxed
    }

    let id: CorrelationID
    let number: String
    let status: Status
    let createdAt: Timestamp
    /// The end of the window. A blocked call has no window: here it is the time of the call.
    let expiresAt: Timestamp
    let convertedAt: Timestamp?
    /// The caller's own name for the call.
    let reference: String?
    let address: String?
    /// The number of messages that were asked for.
    let attempts: Int
    /// The channels that the verification used, and which one led to the proof. If no channel is recorded, the channels
    /// that its messages may use.
    let channels: [Way]
    /// Whether a carrier reported delivery of a message, or a code was typed correctly.
    let isDelivered: Bool
    /// Why the call was blocked.
    let reason: Created.Reason?

    /// - Parameter messages: the states of its messages, oldest first.
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
        // A risk check of the number stopped the message.
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

    /// - Returns: `nil`: this version does not know the reason.
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

    /// - Parameter taken: the channels that took its messages, in order.
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

    /// The list at the time of the call. Only a blocked number's list is known.
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
