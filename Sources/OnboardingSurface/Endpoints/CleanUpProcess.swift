internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /api/onboarding/cleanup`: ends a process because the person gives up.
///
///     {"requestObject":{"processId":"019b..."}}  ->  200 {"status":"OK"}
struct CleanUpProcess: OnboardingEndpoint {
    let processes: Processes

    static let call = Call(
        .post, OnboardingPath.process + "/cleanup", id: "CleanUpOnboarding", "End a process",
        "A process that is over stays as it is: a second call is answered as the first one.",
        body: .json(NamedProcess.example), answer: "It is over.")
    static let body = NamedProcess.body
    static let reply = Reply<Nothing>.done
    static let refusals: [OnboardingError] = [.unknownProcess]

    func respond(
        to process: NamedProcess, of request: Request, from caller: OnboardingCaller
    ) async throws(OnboardingError) -> Nothing {
        request.note(process.id)
        try await processes.cancel(process.id, for: caller.tenant)
        return Nothing()
    }
}
