internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /api/onboarding/status`: the status of a process.
///
///     {"requestObject":{"processId":"019b..."}}
///     ->  200 {"status":"OK","responseObject":{"processId":"019b...","onboardingStatus":"FAILED"}}
struct ReadProcess: OnboardingEndpoint {
    let processes: Processes

    static let call = Call(
        .post, OnboardingPath.process + "/status", id: "ReadOnboarding", "How a process stands",
        "A process whose time is over is FAILED.", body: .json(NamedProcess.example), demand: .reads,
        answer: "The process.")
    static let body = NamedProcess.body
    static let reply = ProcessReply.reply
    static let refusals: [OnboardingError] = [.unknownProcess]

    func respond(
        to process: NamedProcess, of request: Request, from caller: OnboardingCaller
    ) async throws(OnboardingError) -> Session {
        request.note(process.id)
        return try await processes.process(process.id, for: caller.tenant)
    }
}
