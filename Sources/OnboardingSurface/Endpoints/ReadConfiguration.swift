internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /api/configuration`: whether people can be onboarded here. Newer apps ask before they start.
///
///     {"requestObject":{}}  ->  200 {"status":"OK","responseObject":{"onboarding":{"enabled":true}}}
struct ReadConfiguration: OnboardingEndpoint {
    static let call = Call(
        .post, OnboardingPath.configuration, id: "ReadOnboardingConfiguration", "How onboarding is done",
        "It always is on.",
        body: .optionalJSON("{}", upTo: .short), demand: .reads, answer: "It is.")
    static let body = Shape.nothing
    static let reply = Reply<Nothing>.wrapping(
        example: #"{"status":"OK","responseObject":{"onboarding":{"enabled":true}}}"#
    ) {
        ReplyMember.always("onboarding", .object(onboarding), "The calls below /api/onboarding.") { $0 }
    }

    private static let onboarding = Reply<Nothing>(name: "OnboardingConfig") {
        ReplyMember.always("enabled", .flag) { _ in true }
    }

    func respond(
        to body: Nothing, of request: Request, from caller: OnboardingCaller
    ) async throws(OnboardingError) -> Nothing {
        body
    }
}
