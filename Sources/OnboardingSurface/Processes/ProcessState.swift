internal import Possession
internal import SurfaceKit

/// The state of a process, in the vendor's words.
enum ProcessState: String, Sendable, CaseIterable {
    case activating = "ACTIVATION_IN_PROGRESS"
    case failed = "FAILED"
    case finished = "FINISHED"

    init(_ session: Session) {
        switch session.outcome {
        case nil: self = .activating
        case .succeeded: self = .finished
        case .failed, .cancelled, .expired, .possessionRequired: self = .failed
        }
    }
}

/// The members of the answers about a process.
enum ProcessReply {
    static let example: StaticString = """
        {"status":"OK","responseObject":{"processId":"019b7907-8d58-7500-8000-000000000001",\
        "onboardingStatus":"ACTIVATION_IN_PROGRESS","config":{"otpResendPeriod":"PT30S","otpResendPeriodSeconds":30}}}
        """

    static let reply = Reply<Session>.wrapping(example: example) {
        ReplyMember.always("processId", .identifier(), "Of the process.") { $0.correlationID }
        ReplyMember.always("onboardingStatus", .choice(ProcessState.allCases), "How it stands.") { ProcessState($0) }
        ReplyMember.whenThere("config", .object(config), "Of a process that goes on.") { $0.isDone ? nil : $0 }
    }

    private static let config = Reply<Session>(name: "ProcessConfig") {
        ReplyMember.always("otpResendPeriod", .text, "The same, as ISO 8601 has it.") { _ in
            "PT\(OnboardingRules.pauseSeconds)S"
        }
        ReplyMember.always("otpResendPeriodSeconds", .integer(0...3_600), "From one code to the next.") { _ in
            OnboardingRules.pauseSeconds
        }
    }
}

/// The process that a call names.
struct NamedProcess: Sendable {
    var id = CorrelationID(high: 0, low: 0)

    static let body = Shape.wrapping(
        Shape(NamedProcess()) {
            Member.required("processId", .identifier(CorrelationID.self), "As the start of the process answered it.") {
                $0.id = $1
            }
        }, NamedProcess())

    static let example: StaticString = #"{"requestObject":{"processId":"019b7907-8d58-7500-8000-000000000001"}}"#
}
