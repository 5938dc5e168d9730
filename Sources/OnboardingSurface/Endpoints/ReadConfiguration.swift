internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /api/configuration`: whether and how this server onboards people. Newer apps ask before they start.
///
///     {"requestObject":{"processType":"ONBOARDING"}}
///     ->  200 {"status":"OK","responseObject":{"enabled":true,"otpForIdentification":true,...}}
///
/// The SDKs of 1.x read `onboarding`. Those from 2.0.0 on read the other members, and fail if one is missing.
struct ReadConfiguration: OnboardingEndpoint {
    static let call = Call(
        .post, OnboardingPath.configuration, id: "ReadOnboardingConfiguration", "How onboarding is done",
        "It always is on.",
        body: .optionalJSON("{}", upTo: .short), demand: .reads, answer: "It is.")
    static let body = Shape.nothing
    static let reply = Reply<Nothing>.wrapping(
        example: """
            {"status":"OK","responseObject":{"enabled":true,"otpForIdentification":true,"otpForIdentityVerification":false,\
            "useTemporaryActivation":false,"otpResendPeriodSeconds":30,"documents":{"totalRequiredDocumentsCount":0,\
            "groups":[]},"onboarding":{"enabled":true}}}
            """
    ) {
        ReplyMember.always("enabled", .flag, "People can be onboarded.") { _ in true }
        ReplyMember.always("otpForIdentification", .flag, "A code activates a phone.") { _ in true }
        ReplyMember.always("otpForIdentityVerification", .flag, "Nothing is verified after it.") { _ in false }
        ReplyMember.always("useTemporaryActivation", .flag, "An activation is made once, for good.") { _ in false }
        ReplyMember.always("otpResendPeriodSeconds", .integer(0...3_600), "From one code to the next.") { _ in
            OnboardingRules.pauseSeconds
        }
        ReplyMember.always("documents", .object(documents), "No document is asked for.") { $0 }
        ReplyMember.always("onboarding", .object(onboarding), "The calls below /api/onboarding.") { $0 }
    }

    private static let documents = Reply<Nothing>(name: "OnboardingDocuments") {
        ReplyMember.always("totalRequiredDocumentsCount", .integer(0...0), "Always 0.") { _ in 0 }
        ReplyMember.always("groups", .list(of: .text), "Always empty.") { _ in [] }
    }

    private static let onboarding = Reply<Nothing>(name: "OnboardingConfig") {
        ReplyMember.always("enabled", .flag, "Always true.") { _ in true }
    }

    func respond(
        to body: Nothing, of request: Request, from caller: OnboardingCaller
    ) async throws(OnboardingError) -> Nothing {
        body
    }
}
