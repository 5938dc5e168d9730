internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /api/onboarding/otp/detail`: the newest code of a process. Sandbox only.
///
///     {"requestObject":{"processId":"019b...","otpType":"ACTIVATION"}}
///     ->  200 {"status":"OK","responseObject":{"processId":"019b...","otpCode":"12345678"}}
struct ReadCode: OnboardingEndpoint {
    enum Kind: String, Sendable, CaseIterable {
        case activation = "ACTIVATION"
        case verification = "USER_VERIFICATION"
    }

    struct Question: Sendable {
        var process = CorrelationID(high: 0, low: 0)
        var kind = Kind.activation
    }

    struct Code: Sendable {
        let process: CorrelationID
        let text: String
    }

    let processes: Processes
    let sentCode: @Sendable (Session) -> String?

    static let call = Call(
        .post, OnboardingPath.process + "/otp/detail", id: "ReadOnboardingCode", "The code of a process",
        "Only a sandbox answers it. A process of an unknown person has no code.",
        body: .json(#"{"requestObject":{"processId":"019b7907-8d58-7500-8000-000000000001","otpType":"ACTIVATION"}}"#),
        demand: .reads, answer: "The code.")
    static let body = Shape.wrapping(
        Shape(Question()) {
            Member.required("processId", .identifier(CorrelationID.self), "Of the process.") { $0.process = $1 }
            Member.required("otpType", .choice(Kind.allCases), "No process has a code of the second kind.") {
                $0.kind = $1
            }
        }, Question())
    static let reply = Reply<Code>.wrapping(
        example: """
            {"status":"OK","responseObject":{"processId":"019b7907-8d58-7500-8000-000000000001","otpCode":"12345678"}}
            """
    ) {
        ReplyMember.always("processId", .identifier(), "Of the process.") { $0.process }
        ReplyMember.always("otpCode", .text(.text(pattern: "^[0-9]{8}$")), "As the message has it.") { $0.text }
    }
    static let refusals: [OnboardingError] = [.processFailed("the process waits for no code")]

    func respond(
        to question: Question, of request: Request, from caller: OnboardingCaller
    ) async throws(OnboardingError) -> Code {
        request.note(question.process)
        let session = try await processes.process(question.process, for: caller.tenant)
        guard question.kind == .activation, session.otp.isWaiting, let code = sentCode(session) else {
            throw .processFailed("the process waits for no code")
        }
        return Code(process: session.correlationID, text: code)
    }
}
