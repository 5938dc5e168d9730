internal import Possession
internal import SurfaceKit

/// Events of a verification, in the words of the wire format: no codes, and no texts of messages.
struct HistoryTimeline: Sendable {
    enum Kind: String, CaseIterable, Sendable { case create, attempt, check }

    struct Event: Sendable {
        let kind: Kind
        let at: Timestamp
        /// The id of an attempt.
        var id: String?
        var hasLeft: Bool?
        /// The result of a check.
        var isValid: Bool?
    }

    let events: [Event]

    init(_ events: [SessionEvent], of session: CorrelationID) {
        var all: [Event] = []
        for event in events {
            switch event.kind {
            case .created: all.append(Event(kind: .create, at: event.at))
            case .otpSent, .otpSendFailed, .mobileAuthBegun:
                let id = PreludeID.text(session, "att_") + "_\(all.count)"
                all.append(Event(kind: .attempt, at: event.at, id: id, hasLeft: event.kind != .otpSendFailed))
            case .otpMismatch, .otpExpired, .mobileAuthFailed, .fingerprintRefused:
                all.append(Event(kind: .check, at: event.at, isValid: false))
            case .otpPassed, .mobileAuthPassed: all.append(Event(kind: .check, at: event.at, isValid: true))
            default: break
            }
        }
        self.events = all
    }

    /// The timeline of a call that was blocked: nothing followed it.
    init(ofBlockedAt time: Timestamp) {
        events = [Event(kind: .create, at: time)]
    }

    static let reply = Reply<HistoryTimeline> {
        ReplyMember.always("events", .list(of: .object(event))) { $0.events }
    }
    private static let event = Reply<Event>(name: "HistoryEvent") {
        ReplyMember.always("type", .choice(Kind.allCases)) { $0.kind }
        ReplyMember.whenThere("create", .object(create)) { $0.kind == .create ? $0 : nil }
        ReplyMember.whenThere("attempt", .object(attempt)) { $0.kind == .attempt ? $0 : nil }
        ReplyMember.whenThere("check", .object(check)) { $0.kind == .check ? $0 : nil }
    }
    private static let create = Reply<Event>(name: "CreateEvent") {
        ReplyMember.always("created_at", .moment) { $0.at }
    }
    private static let attempt = Reply<Event>(name: "AttemptEvent") {
        ReplyMember.always("id", .text) { $0.id ?? "" }
        ReplyMember.always("created_at", .moment) { $0.at }
        ReplyMember.always("status", .text(.choice(["succeeded", "failed"]))) {
            $0.hasLeft == true ? "succeeded" : "failed"
        }
    }
    private static let check = Reply<Event>(name: "CheckEvent") {
        ReplyMember.always("created_at", .moment) { $0.at }
        ReplyMember.always("is_valid", .flag) { $0.isValid == true }
    }
}
