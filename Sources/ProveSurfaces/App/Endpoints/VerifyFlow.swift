internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /verify`: whether the number is proven and, where a birth date or SSN agrees, whose it is.
///
///     {"dob":"1982-07-19"}
///     ->  200 {"success":true,"phoneNumber":"2001001693","firstName":"Marcia","lastName":"Longo","individual":{...}}
///
/// Before the client is done it answers `false` and ends nothing. Where neither birth date nor SSN was given yet it
/// answers `{"success":false,"challengeMissing":true}`. A run of Prove Identity answers the names alone.
struct VerifyFlow: Sendable {
    let service: AppService
    /// `nil` outside of the sandbox.
    let runs: OriginRuns?

    /// - Throws: `.platform`, `.noFlow`, `.unknownFlow`, `.endedFlow`.
    func respond(to request: Request) async throws(AppError) -> Response {
        let fields = try AppRequest.fields(of: request)
        let credential = try AppRequest.credential(request, fields, runs)
        let claim: PersonClaim
        do throws(FieldDefect) { claim = try fields.claim() } catch { throw .platform(.field(error)) }
        let verified: AppService.Verified
        do throws(PlatformRefusal) { verified = try await service.verify(credential, claim) } catch {
            throw AppError(error)
        }
        return .json(200, Self.object(verified))
    }

    private static func object(_ verified: AppService.Verified) -> JSONObject {
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
