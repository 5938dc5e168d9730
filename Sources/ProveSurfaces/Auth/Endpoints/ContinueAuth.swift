internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /v1/server/auth/continue`: the tenant has checked possession itself and vouches for the number.
///
///     {"authId":"0193...","requestId":"r-1","subjects":{"mobile":{"claim":{"mobileNumber":"2001004014"}}}}
///     ->  200 {"subjects":{"mobile":{"success":true}}}
///
/// A wrong number answers `false` and costs one of three tries. A session without a key to bind also answers `false`,
/// but costs no try.
struct ContinueAuth: AuthEndpoint {
    struct Order: Sendable {
        var authID = ""
        var number = ""
    }

    let service: PlatformService

    private static let numberField = "subjects.mobile.claim.mobileNumber"

    static let call = Call(
        .post, "/v1/server/auth/continue", id: "continueAuth", "Bind a number that you have checked, by auth ID",
        "The backend has checked possession itself. A wrong number answers false and costs one of three tries.",
        body: .json(
            """
            {"authId":"019b7907-8d58-7500-8000-000000000001","requestId":"r-2",\
            "subjects":{"mobile":{"claim":{"mobileNumber":"2001004014"}}}}
            """))
    static let refusals: [PlatformError] = [.unknownAuthID, .stepNotAllowed, .otherProduct]
    static let body = Shape(Order()) {
        Member.part(\.authID, [.authID])
        Member.ignored("requestId", .reference, "The caller's own name of the call.")
        Member.required("subjects", number, "The number whose possession the backend has checked.") { $0.number = $1 }
    }
    /// The answer for the subject of the call.
    static let reply = Reply<PlatformService.BindResult> {
        ReplyMember.always(
            "subjects",
            .object(
                Reply(name: "BoundSubjects") {
                    ReplyMember.always("mobile", .object(mobile), "The result for the number.") { $0 }
                }), "The subject that the request named."
        ) { $0 }
    }
    private static let mobile = Reply<PlatformService.BindResult>(name: "BoundMobile") {
        ReplyMember.always("success", .flag, "Whether the session's device key is bound to the number.") {
            if case .bound = $0 { true } else { false }
        }
        ReplyMember.whenThere("error", .object(AuthSchemas.failure), "The reason why the key was not bound.") {
            guard case .refused(let session) = $0 else { return nil }
            return AuthResult.missing(session.device.isPending ? "mobile" : "device").object
        }
    }

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> PlatformService.BindResult {
        let result = try await service.bind(
            .auth(try Self.id(order.authID)), of: .auth, to: order.number, for: tenant.id)
        switch result {
        case .bound(let session), .refused(let session): request.note(session.correlationID)
        }
        return result
    }

    /// The number within `subjects`. If any member on the path is missing, the error names the number.
    private static let number = Input<String>(
        .record([must("mobile", mobileSubject, "The phone number.")], others: true).called("CheckedSubjects")
    ) { (fields, name) throws(FieldDefect) in
        let number = try fields.inside(name) { (members) throws(FieldDefect) in
            try members.inside("mobile") { (members) throws(FieldDefect) in try members.claimedNumber() }
        }
        guard let number else { throw .missing(numberField) }
        return number
    }
    private static let mobileSubject = Schema.record(
        [must("claim", claim, "The checked number.")], others: true
    ).called("CheckedMobile")
    private static let claim = Schema.record(
        [
            must(
                "mobileNumber", Input<String>.phoneNumber.schema,
                "The number that the person has proven to the backend.")
        ],
        others: true
    ).called("CheckedMobileClaim")
}
