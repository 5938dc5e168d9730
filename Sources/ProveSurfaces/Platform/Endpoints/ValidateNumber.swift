internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v3/validate`: whether the number of a Pre-Fill run is proven. May be repeated.
///
///     {"correlationId":"0193..."}
///     ->  200 {"success":true,"challengeMissing":false,"next":{"v3-challenge":"/v3/challenge"},"phoneNumber":"2001001693"}
///
/// Before the client is done it answers `false`, does not end the run, and names itself as the next step.
struct ValidateNumber: PlatformEndpoint {
    let service: PrefillService

    static let call = Call(
        .post, "/v3/validate", id: "validateNumber", "Ask whether the number is proven",
        "May be repeated. Before the client is done it answers false, ends nothing, and names itself as next.",
        body: .json(#"{"correlationId":"019b7907-8d58-7500-8000-000000000001"}"#), answer: "Whether it is.")
    static let refusals: [PlatformError] = [.unknownCorrelationID]
    static let body = Shape(SessionReference()) { SessionReference.correlationID }
    static let reply = Reply<PrefillService.Validated> {
        ReplyMember.always("success", .flag, "Whether the number is proven; false also before the client is done.") {
            $0.hasPassed
        }
        ReplyMember.always("challengeMissing", .flag, "Whether challenge has to be told a birth date or SSN.") {
            $0.hasPassed && $0.session.isChallengeMissing
        }
        PrefillNextStep.member { $0.next }
        ReplyMember.whenThere("phoneNumber", .text, "The number as it was sent; one found on the way is E.164.") {
            $0.session.shownNumber
        }
        ReplyMember.whenThere("evaluation", .object(.named("Evaluation")), "The reasons, by category.") {
            Evaluation($0.session).object
        }
    }

    func respond(
        to reference: SessionReference, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> PrefillService.Validated {
        try await service.validate(.correlation(try reference.id(of: request)), for: tenant.id)
    }
}

extension PrefillService.Validated {
    fileprivate var hasPassed: Bool { validation == .passed }

    fileprivate var next: PrefillNextStep {
        switch validation {
        case .pending: .validate
        case .passed: nextAfterProof
        case .failed: .done
        }
    }

    /// When repeated, the call names the step that is due now, not the one that was next at first.
    private var nextAfterProof: PrefillNextStep {
        switch session.prefill?.step {
        case .completed, .failed: .done
        case .challenged: .complete
        case .started, .validated, nil: session.needsChallenge ? .challenge : .complete
        }
    }
}
