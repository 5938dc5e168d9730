internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /verify`: whether the number is proven and, if a birth date or SSN matches, the person's data.
///
///     {"dob":"1982-07-19"}
///     ->  200 {"success":true,"phoneNumber":"2001001693","firstName":"Marcia","lastName":"Longo","individual":{...}}
///
/// Before the client is done it answers `false` and does not end the run. If neither birth date nor SSN was given yet,
/// it answers `{"success":false,"challengeMissing":true}`. A run of Prove Identity answers only the names.
struct VerifyFlow: AppEndpoint {
    let service: AppService

    static let call = Call(
        .post, "/verify", id: "verifyFlow", "Ask whose number it is",
        """
        Whether the number is proven and, where birth date or SSN agree, the record behind it. May be repeated; \
        three that differ end the run. Without a birth date or SSN, where one is needed, challengeMissing is true.
        """,
        body: .optionalJSON("{}"), answer: "The answer.")
    static let refusals = AppRequest.refusals
    static let body = Shape(PersonClaim()) {
        AppRequest.authID()
        PersonClaim.members
    }
    static let reply = Reply<AppService.Verified>(
        .record([
            must(
                "success", .flag, "Whether the number is proven and, where one is needed, a birth date or SSN agrees."),
            may("challengeMissing", .flag, "true: call again with dob or ssn. Absent otherwise."),
            may("phoneNumber", .text(), "The number as it was sent; one found on the way is E.164."),
            may("firstName", .text(), "First name on record; on success."),
            may("lastName", .text(), "Last name on record; on success."),
            may("individual", .named("Individual"), "The record; on success of a run that needs a birth date or SSN."),
            may(
                "evaluation", .any(of: [.named("Evaluation"), .named("IdentityEvaluation")]),
                "The reasons, by category."),
        ]), write: object)

    func respond(
        to claim: PersonClaim, of request: Request, from credential: AppService.FlowCredential
    ) async throws(AppError) -> AppService.Verified {
        try await AppError.asking { () async throws(PlatformRefusal) in try await service.verify(credential, claim) }
    }

    @Sendable private static func object(_ verified: AppService.Verified) -> JSONObject {
        var object = JSONObject()
        switch verified {
        case .notProven(let session):
            object.set("success", false)
            object.set("phoneNumber", session.shownNumber)
            object.set("evaluation", Evaluation(session).object)
        case .challengeMissing:
            object.set("success", false)
            object.set("challengeMissing", true)
        case .differs(let session, let finding):
            object.set("success", false)
            object.set("phoneNumber", session.shownNumber)
            object.set("evaluation", Evaluation.object(finding))
        case .passed(let session, let person):
            object.set("success", true)
            object.set("phoneNumber", session.shownNumber)
            object.set("firstName", person?.firstName)
            object.set("lastName", person?.lastName)
            if session.needsChallenge {
                object.set("individual", person.map { Individual($0).object })
            }
        }
        return object
    }
}
