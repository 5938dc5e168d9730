internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /v3/validate`: whether the number of a Pre-Fill run is proven. May be repeated.
///
///     {"correlationId":"0193..."}
///     ->  200 {"success":true,"challengeMissing":false,"next":{"v3-challenge":"/v3/challenge"},"phoneNumber":"2001001693"}
///
/// Before the client is done it answers `false`, ends nothing, and names itself as the next step.
struct ValidateNumber: Sendable {
    let service: PrefillService

    /// - Throws: `.body`, `.field`, `.unknownCorrelationID`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let id = try PrefillBody.correlationID(try PlatformBody.reader(of: request), of: request)
        let validated: PrefillService.Validated
        do throws(PlatformRefusal) { validated = try await service.validate(.correlation(id), for: tenant.id) } catch {
            throw PlatformError(error)
        }
        let session = validated.session
        let hasPassed = validated.validation == .passed
        var object = JSONObject()
        object.set("success", hasPassed)
        object.set("challengeMissing", hasPassed && session.isChallengeMissing)
        object.set("next", next(validated).object)
        object.set("phoneNumber", session.shownNumber)
        object.set("evaluation", Evaluation(session).object)
        return .json(200, object)
    }

    private func next(_ validated: PrefillService.Validated) -> PrefillNextStep {
        switch validated.validation {
        case .pending: .validate
        case .passed: nextAfterProof(validated.session)
        case .failed: .done
        }
    }
}

extension ValidateNumber {
    /// Asked again, the call names the step that is due now, not the one that followed at first.
    private func nextAfterProof(_ session: Session) -> PrefillNextStep {
        switch session.prefill?.step {
        case .completed, .failed: .done
        case .challenged: .complete
        case .started, .validated, nil: session.needsChallenge ? .challenge : .complete
        }
    }
}

/// What the bodies of the steps share.
enum PrefillBody {
    /// - Throws: `.field` without one, `.unknownCorrelationID` for an id in any other form than ours.
    static func correlationID(_ fields: FieldReader, of request: Request) throws(PlatformError) -> CorrelationID {
        let text: String
        do throws(FieldDefect) { text = try fields.requiredText("correlationId", .any) } catch { throw .field(error) }
        guard let id = CorrelationID(text) else { throw .unknownCorrelationID }
        request.note(id)
        return id
    }
}
