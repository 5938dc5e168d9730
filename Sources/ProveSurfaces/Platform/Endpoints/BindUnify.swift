internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v3/unify-bind`: the tenant has checked possession itself and vouches for the number.
///
///     {"correlationId":"0193...","phoneNumber":"2001004014"}  ->  200 {"success":"true","phoneNumber":"2001004014", ...}
///
/// A wrong number answers `"false"` and costs one of three tries.
struct BindUnify: PlatformEndpoint {
    struct Order: Sendable {
        var reference = SessionReference()
        var phoneNumber = ""
    }

    let service: PlatformService

    static let call = Call(
        .post, "/v3/unify-bind", aliases: [.short("/unify-bind")], id: "bindUnify",
        "Bind a number that you have checked",
        "The backend has checked possession itself. A wrong number answers \"false\" and costs one of three tries.",
        body: .json(#"{"correlationId":"019b7907-8d58-7500-8000-000000000001","phoneNumber":"2001004014"}"#),
        answer: "The outcome.")
    static let refusals: [PlatformError] = [.unknownCorrelationID, .stepNotAllowed, .otherProduct]
    static let body = Shape(Order()) {
        Member.part(\.reference, [SessionReference.correlationID])
        Member.required("phoneNumber", .phoneNumber, "The number whose possession the backend has checked.") {
            $0.phoneNumber = $1
        }
        Member.part(\.reference, [SessionReference.clientRequestID])
    }
    static let reply = UnifyResult.reply

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> UnifyResult {
        let id = try order.reference.id(of: request)
        let result = try await service.bind(
            .correlation(id), of: .unify, to: order.phoneNumber, for: tenant.id)
        let (session, isRefusal) =
            switch result {
            case .bound(let session): (session, false)
            case .refused(let session): (session, true)
            }
        return UnifyResult(
            session: session, clientRequestID: order.reference.clientRequestID, sentNumber: order.phoneNumber,
            isRefusal: isRefusal)
    }
}
