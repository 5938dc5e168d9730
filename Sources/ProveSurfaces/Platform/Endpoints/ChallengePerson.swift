internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v3/challenge`: returns the record of a proven number to a caller that knows its birth date or SSN.
///
///     {"correlationId":"0193...","dob":"1982-07-19"}
///     ->  200 {"success":true,"next":{"v3-complete":"/v3/complete"},"individual":{...},
///              "evaluation":{"identification":{"result":"pass"}}}
///
/// A birth date or SSN that differs ends the run.
struct ChallengePerson: PlatformEndpoint {
    struct Order: Sendable {
        var reference = SessionReference()
        var claim = PersonClaim()
    }

    let service: PrefillService

    static let call = Call(
        .post, "/v3/challenge", id: "challengePerson", "Show the record behind the number",
        """
        To who knows the birth date or SSN in it, whole or in part. One that differs ends the run. Values sent here \
        replace those sent to start.
        """,
        body: .json(#"{"correlationId":"019b7907-8d58-7500-8000-000000000001","dob":"1982-07-19"}"#),
        answer: "The record, where they agree.")
    static let refusals: [PlatformError] = [.unknownCorrelationID, .stepNotAllowed, .sourceUnavailable]
    static let body = Shape(Order()) {
        Member.part(\.reference, [SessionReference.correlationID])
        Member.part(\.claim, PersonClaim.members)
    }
    static let reply = Reply<PrefillService.Challenged> {
        ReplyMember.always("success", .flag, "Whether the birth date and SSN that were given agree with the record.") {
            $0.finding.passes
        }
        PrefillNextStep.member { $0.finding.passes ? .complete : .done }
        ReplyMember.whenThere("individual", .object(.named("Individual")), "The record of the person; on success.") {
            $0.person.map { Individual($0).object }
        }
        ReplyMember.whenThere("evaluation", .object(.named("IdentityEvaluation")), "The reason why the step failed.") {
            Evaluation.object($0.finding)
        }
    }

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> PrefillService.Challenged {
        try await service.challenge(.correlation(try order.reference.id(of: request)), order.claim, for: tenant.id)
    }
}
