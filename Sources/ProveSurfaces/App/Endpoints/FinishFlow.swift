internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /finish`: the last step, with the data as the person left it: flat, or in `individual`.
///
///     {"firstName":"Marcia","lastName":"Longo"}
///     ->  200 {"success":true,"next":{"done":"done"},"changeDetected":false,
///              "evaluation":{"identification":{"result":"pass"}}}
struct FinishFlow: Sendable {
    let service: AppService
    /// `nil` outside of the sandbox.
    let runs: OriginRuns?

    /// - Throws: `.platform`, `.noFlow`, `.unknownFlow`, `.endedFlow`.
    func respond(to request: Request) async throws(AppError) -> Response {
        let fields = try AppRequest.fields(of: request)
        let credential = try AppRequest.credential(request, fields, runs)
        let submitted: SubmittedPerson
        do throws(FieldDefect) { submitted = try Self.submitted(fields) } catch { throw .platform(.field(error)) }
        let completed: PrefillService.Completed
        do throws(PlatformRefusal) { completed = try await service.finish(credential, submitted) } catch {
            throw AppError(error)
        }
        return .json(200, CompletePrefill.object(completed))
    }

    /// A member of `individual` goes before the same one beside it.
    private static func submitted(_ fields: FieldReader) throws(FieldDefect) -> SubmittedPerson {
        let flat = try IndividualReader(fields.object).submitted()
        guard let object = try fields.object("individual") else { return try enough(flat, "firstName") }
        var person = try IndividualReader(object, at: "individual.").submitted()
        person.firstName = person.firstName ?? flat.firstName
        person.lastName = person.lastName ?? flat.lastName
        person.dob = person.dob ?? flat.dob
        person.ssn = person.ssn ?? flat.ssn
        person.emailAddress = person.emailAddress ?? flat.emailAddress
        person.address = person.address ?? flat.address
        return try enough(person, "individual")
    }

    private static func enough(_ person: SubmittedPerson, _ field: String) throws(FieldDefect) -> SubmittedPerson {
        guard person.isEnough else { throw FieldDefect(field, "is missing; firstName and lastName are needed, or ssn") }
        return person
    }
}
