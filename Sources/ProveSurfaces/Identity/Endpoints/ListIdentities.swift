internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /v3/identity`: the tenant's identities, oldest first; inactive ones on request.
///
///     ?limit=2  ->  200 {"results":[{"proveId":"0193...", ...},{"proveId":"0193...", ...}],"lastKey":"0193..."}
///
/// `lastKey` is present if there are more; send it as `startKey` to get the next page.
struct ListIdentities: PlatformEndpoint {
    struct Order: Sendable {
        var limit = Identity.Limit.defaultPage
        var after: HolderID?
        var includesInactive = false
    }

    let manager: IdentityManager

    static let call = Call(
        .get, "/v3/identity", aliases: [.identityWithSlash], id: "listIdentities", "List identities",
        "Oldest first. lastKey is there when there is more: as startKey it asks for the next page.")
    static let body = Shape(Order())
    static let parameters = Parameters<Order, PlatformError> {
        ParameterMember.optionalQuery("limit", .wholeNumber(in: 1...Identity.Limit.page), "100 unless it is given.") {
            $0.limit = $1
        }
        ParameterMember.optionalQuery(
            "startKey", .identifier(HolderID.self), "The lastKey of the page before."
        ) { $0.after = $1 }
        ParameterMember.optionalQuery("showInactive", .flag, "Inactive ones as well.") { $0.includesInactive = $1 }
        ParameterMember.requestID
    }
    static let reply = Reply<IdentityManager.Page> {
        ReplyMember.always("results", .list(of: .object(IdentityReplies.ids)), "Ids of this page, oldest first.") {
            $0.ids
        }
        ReplyMember.whenThere("lastKey", .identifier(), "The startKey of the next page. Absent on the last page.") {
            $0.lastID
        }
    }

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> IdentityManager.Page {
        try await manager.identities(
            after: order.after, limit: order.limit, includingInactive: order.includesInactive, for: tenant)
    }
}
