internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /api/onboarding/otp/resend`: sends another code.
///
///     {"requestObject":{"processId":"019b..."}}  ->  200 {"status":"OK"}
struct ResendCode: OnboardingEndpoint {
    let processes: Processes

    static let call = Call(
        .post, OnboardingPath.process + "/otp/resend", id: "ResendOnboardingCode", "Send another code",
        "The codes before it are good no more. It is refused until the pause of the answers' config is over.",
        body: .json(NamedProcess.example), answer: "It is on its way.")
    static let body = NamedProcess.body
    static let reply = Reply<Nothing>.done
    static let refusals: [OnboardingError] = [
        .unknownProcess, .codeNotSent("the last code is too new for another one", retryAfterSeconds: 30),
    ]

    func respond(
        to process: NamedProcess, of request: Request, from caller: OnboardingCaller
    ) async throws(OnboardingError) -> Nothing {
        request.note(process.id)
        try await processes.sendAgain(process.id, for: caller)
        return Nothing()
    }
}
