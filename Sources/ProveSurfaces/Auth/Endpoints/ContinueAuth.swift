internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /v1/server/auth/continue`: the tenant has checked possession itself and vouches for the number.
///
///     {"authId":"0193...","requestId":"r-1","subjects":{"mobile":{"claim":{"mobileNumber":"2001004014"}}}}
///     ->  200 {"subjects":{"mobile":{"success":true}}}
///
/// A wrong number answers `false` and costs one of three tries. So does a session without a key to bind, and that costs
/// none.
struct ContinueAuth: Sendable {
    let service: PlatformService

    private static let numberField = "subjects.mobile.claim.mobileNumber"

    /// - Throws: `.body`, `.field`, `.unknownAuthID`, `.stepNotAllowed`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let fields = try PlatformBody.reader(of: request)
        let authID: String
        let number: String
        do throws(FieldDefect) {
            authID = try fields.requiredText("authId", .any)
            _ = try fields.text("requestId", .reference)
            number = try Self.number(fields)
        } catch {
            throw .field(error)
        }
        guard let id = AuthID(authID) else { throw .unknownAuthID }
        let result: PlatformService.BindResult
        do throws(PlatformRefusal) {
            result = try await service.bind(
                .auth(id), of: .auth, to: number, for: tenant.id)
        } catch {
            throw PlatformError(ofAuth: error)
        }
        var mobile = JSONObject()
        switch result {
        case .bound(let session):
            request.note(session.correlationID)
            mobile.set("success", true)
        case .refused(let session):
            request.note(session.correlationID)
            mobile.set("success", false)
            mobile.set("error", AuthResult.missing(session.device.isPending ? "mobile" : "device").object)
        }
        return .json(200, ["subjects": ["mobile": .object(mobile)]])
    }

    private static func number(_ fields: FieldReader) throws(FieldDefect) -> String {
        let number = try fields.inside("subjects") { (members) throws(FieldDefect) in
            try members.inside("mobile") { (members) throws(FieldDefect) in try members.claimedNumber() }
        }
        guard let number else { throw .missing(numberField) }
        return number
    }
}
