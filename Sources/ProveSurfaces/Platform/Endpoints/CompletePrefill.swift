internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v3/complete`: the last step of a Pre-Fill run, with the data that the person has confirmed or edited.
///
///     {"correlationId":"0193...","individual":{"firstName":"Marcia","lastName":"Longo"}}
///     ->  200 {"success":true,"next":{"done":"done"},"changeDetected":false,
///              "evaluation":{"identification":{"result":"pass"}}}
///
/// Names, birth date and SSN that differ from the record end the run without success; other differences only set
/// `changeDetected`, which the first SDKs read (Prove 14).
struct CompletePrefill: PlatformEndpoint {
    struct Order: Sendable {
        var reference = SessionReference()
        var person = SubmittedPerson()
    }

    let service: PrefillService

    static let call = Call(
        .post, "/v3/complete", id: "completePrefill", "Confirm the person's data",
        """
        The last step. Names, birth date and SSN that differ from the record end the run without success; a change \
        of address or e-mail only sets changeDetected. Of several addresses the first counts, and so of e-mails.
        """,
        body: .json(
            """
            {"correlationId":"019b7907-8d58-7500-8000-000000000001","individual":{"firstName":"Marcia",\
            "lastName":"Longo"}}
            """, upTo: .person),
        answer: "The end.")
    static let refusals: [PlatformError] = [.unknownCorrelationID, .stepNotAllowed, .sourceUnavailable]
    static let body = Shape(Order(), check: enough) {
        Member.part(\.reference, [SessionReference.correlationID])
        Member.required("individual", .individual, "The data as the person has confirmed or corrected it.") {
            $0.person = $1
        }
    }
    /// Shared with the app surface's last step.
    static let reply = Reply<PrefillService.Completed> {
        ReplyMember.always("success", .flag, "Whether names, birth date and SSN agree with the record.") {
            $0.completion.finding.passes
        }
        PrefillNextStep.member { _ in .done }
        ReplyMember.always("changeDetected", .flag, "Whether anything differs from the record.") {
            $0.completion.changeDetected
        }
        ReplyMember.whenThere("evaluation", .object(.named("IdentityEvaluation")), "The reason why the step failed.") {
            Evaluation.object($0.completion.finding)
        }
        ReplyMember.whenThere("idv", .object(ComplianceSchemas.idv), ComplianceSchemas.aboutIDV) {
            $0.person?.findings?.idvObject
        }
        ReplyMember.whenThere("kyc", .object(ComplianceSchemas.kyc), ComplianceSchemas.aboutKYC) {
            $0.person?.findings?.kycObject
        }
    }

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> PrefillService.Completed {
        try await service.complete(.correlation(try order.reference.id(of: request)), order.person, for: tenant.id)
    }

    private static func enough(_ order: inout Order) throws(FieldDefect) {
        guard order.person.isEnough else {
            throw FieldDefect("individual", "must have firstName and lastName, or ssn")
        }
    }
}
