internal import Possession
internal import SurfaceKit

/// The events of a verification in the words of the wire format, without codes and message texts.
struct HistoryTimeline: Sendable {
    enum Kind: String, CaseIterable, Sendable { case create, attempt, check }

    struct Event: Sendable {
        let kind: Kind
        let at: Timestamp
        /// The id of an attempt.
        var id: String?
        /// Whether the attempt was sent; false if a carrier refused its message.
        var hasLeft: Bool?
        /// The result of a check.
        var isValid: Bool?
    }

    let events: [Event]

    init(_ events: [SessionEvent], of session: CorrelationID) {
        var all: [Event] = []
        var newestMessage: Int?
        for event in events {
            switch event.kind {
            case .created: all.append(Event(kind: .create, at: event.at))
            case .otpSent, .mobileAuthBegun:
                if event.kind == .otpSent { newestMessage = all.count }
                let id = PreludeID.text(session, PreludeID.attempt) + "_\(all.count)"
                all.append(Event(kind: .attempt, at: event.at, id: id, hasLeft: true))
            case .otpSendFailed:
                // The engine refunds only the newest message. Its failure is not a new attempt.
                if let newestMessage { all[newestMessage].hasLeft = false }
            case .otpMismatch, .otpExpired, .mobileAuthFailed, .fingerprintRefused:
                all.append(Event(kind: .check, at: event.at, isValid: false))
            case .otpPassed, .mobileAuthPassed: all.append(Event(kind: .check, at: event.at, isValid: true))
            default: break
            }
        }
        self.events = all
    }

    /// The timeline of a blocked call: nothing followed it.
    init(ofBlockedAt time: Timestamp) {
        events = [Event(kind: .create, at: time)]
    }

    static let reply = Reply<HistoryTimeline> {
        ReplyMember.always("events", .list(of: .object(event)), "The oldest first.") { $0.events }
    }
    private static let event = Reply<Event>(name: "HistoryEvent") {
        ReplyMember.always("type", .choice(Kind.allCases), "Names the member that has the event's details.") { $0.kind }
        ReplyMember.whenThere("create", .object(create), "With the type create: the verification began.") {
            $0.kind == .create ? $0 : nil
        }
        ReplyMember.whenThere(
            "attempt", .object(attempt), "With the type attempt: a message, or the start of a silent verification."
        ) { $0.kind == .attempt ? $0 : nil }
        ReplyMember.whenThere(
            "check", .object(check), "With the type check: a code, or the operator's answer, was checked."
        ) { $0.kind == .check ? $0 : nil }
    }
    private static let create = Reply<Event>(name: "CreateEvent") {
        ReplyMember.always("created_at", .moment, "When the verification began, UTC.") { $0.at }
    }
    private static let attempt = Reply<Event>(name: "AttemptEvent") {
        ReplyMember.always(
            "id", .text, "Names the attempt: att_, the 26 characters of the verification, and _ with a number."
        ) { $0.id ?? "" }
        ReplyMember.always("created_at", .moment, "When the attempt was made, UTC.") { $0.at }
        ReplyMember.always(
            "status", .text(.choice(["succeeded", "failed"])),
            "succeeded: the attempt began. failed: its message could not be sent."
        ) {
            $0.hasLeft == true ? "succeeded" : "failed"
        }
    }
    private static let check = Reply<Event>(name: "CheckEvent") {
        ReplyMember.always("created_at", .moment, "When the check was made, UTC.") { $0.at }
        ReplyMember.always(
            "is_valid", .flag,
            """
            true: the number is proven. false: the code was wrong or expired, or the operator did not \
            confirm the number.
            """
        ) { $0.isValid == true }
    }
}
