internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /v3/challenge`: shows the record behind a proven number to who knows the birth date or SSN in it.
///
///     {"correlationId":"0193...","dob":"1982-07-19"}
///     ->  200 {"success":true,"next":{"v3-complete":"/v3/complete"},"individual":{...},
///              "evaluation":{"identification":{"result":"pass"}}}
///
/// A birth date or SSN that differs ends the run.
struct ChallengePerson: Sendable {
    let service: PrefillService

    /// - Throws: `.body`, `.field`, `.unknownCorrelationID`, `.stepNotAllowed`, `.sourceUnavailable`, `.overloaded`,
    /// `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let fields = try PlatformBody.reader(of: request)
        let claim: PersonClaim
        do throws(FieldDefect) {
            _ = try fields.requiredText("correlationId", .any)
            claim = try fields.claim()
        } catch { throw .field(error) }
        let id = try PrefillBody.correlationID(fields, of: request)
        let challenged: PrefillService.Challenged
        do throws(PlatformRefusal) {
            challenged = try await service.challenge(.correlation(id), claim, for: tenant.id)
        } catch {
            throw PlatformError(error)
        }
        var object = JSONObject()
        object.set("success", challenged.finding.passes)
        object.set("next", (challenged.finding.passes ? PrefillNextStep.complete : .done).object)
        object.set("individual", challenged.person.map { Individual($0).object })
        object.set("evaluation", Evaluation.object(challenged.finding))
        return .json(200, object)
    }
}
