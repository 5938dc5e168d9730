internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /v3/complete`: the last step of a Pre-Fill run, with the data as the person left it.
///
///     {"correlationId":"0193...","individual":{"firstName":"Marcia","lastName":"Longo"}}
///     ->  200 {"success":true,"next":{"done":"done"},"changeDetected":false,
///              "evaluation":{"identification":{"result":"pass"}}}
///
/// Names, birth date and SSN that differ from the record end the run without success; other differences only set
/// `changeDetected`, which the first SDKs know (Prove 14).
struct CompletePrefill: Sendable {
    let service: PrefillService

    /// - Throws: `.body`, `.field`, `.unknownCorrelationID`, `.stepNotAllowed`, `.sourceUnavailable`, `.overloaded`,
    /// `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let fields = try PlatformBody.reader(of: request, upTo: .person)
        let submitted: SubmittedPerson
        do throws(FieldDefect) {
            _ = try fields.requiredText("correlationId", .any)
            guard let individual = try fields.object("individual") else { throw .missing("individual") }
            submitted = try IndividualReader(individual, at: "individual.").submitted()
            guard submitted.isEnough else {
                throw FieldDefect("individual", "must have firstName and lastName, or ssn")
            }
        } catch { throw .field(error) }
        let id = try PrefillBody.correlationID(fields, of: request)
        let completed: PrefillService.Completed
        do throws(PlatformRefusal) {
            completed = try await service.complete(.correlation(id), submitted, for: tenant.id)
        } catch {
            throw PlatformError(error)
        }
        return .json(200, Self.object(completed))
    }

    /// Shared with the app surface's last step.
    static func object(_ completed: PrefillService.Completed) -> JSONObject {
        let finding = completed.completion.finding
        var object = JSONObject()
        object.set("success", finding.passes)
        object.set("next", PrefillNextStep.done.object)
        object.set("changeDetected", completed.completion.changeDetected)
        object.set("evaluation", Evaluation.object(finding))
        object.set("idv", completed.person?.findings?.idvObject)
        object.set("kyc", completed.person?.findings?.kycObject)
        return object
    }
}
