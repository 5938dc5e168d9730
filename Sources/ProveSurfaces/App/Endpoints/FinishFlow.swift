internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /finish`: the last step, with the data that the person has confirmed or edited: flat, or in `individual`.
///
///     {"firstName":"Marcia","lastName":"Longo"}
///     ->  200 {"success":true,"next":{"done":"done"},"changeDetected":false,
///              "evaluation":{"identification":{"result":"pass"}}}
struct FinishFlow: AppEndpoint {
    let service: AppService

    static let call = Call(
        .post, "/finish", id: "finishFlow", "Confirm the person's data",
        "The last step. A member may stand in individual or beside it.",
        body: .optionalJSON(#"{"firstName":"Marcia","lastName":"Longo"}"#), answer: "The answer.")
    static let refusals = AppRequest.refusals
    static let body = Shape(SubmittedPerson()) {
        AppRequest.authID()
        Member.whole(PersonSchemas.submittedFields + [individual]) { (fields, person) throws(FieldDefect) in
            person = try submitted(fields)
        }
    }
    static let reply = CompletePrefill.reply

    private static let individual = may(
        "individual", Schema.record(PersonSchemas.submittedFields, others: true).called("EnteredIndividual"),
        "The same members in an object. A member in it counts before the one beside it.")

    func respond(
        to submitted: SubmittedPerson, of request: Request, from credential: AppService.FlowCredential
    ) async throws(AppError) -> PrefillService.Completed {
        try await AppError.asking { () async throws(PlatformRefusal) in
            try await service.finish(credential, submitted)
        }
    }

    /// A member of `individual` takes precedence over the same flat member.
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
