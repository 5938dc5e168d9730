internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v3/identity`: enrols a number as an identity of the tenant. Repeating it changes only the members that it
/// sends.
///
///     {"phoneNumber":"2001004031","clientCustomerId":"c-1"}  ->  200 {"proveId":"0193...", ...,"success":true}
struct EnrolIdentity: PlatformEndpoint {
    let manager: IdentityManager

    static let call = Call(
        .post, "/v3/identity", aliases: [.identityWithSlash], id: "enrolIdentity", "Enrol an identity",
        """
        Repeating it changes nothing but what it brings. A number that was proven before keeps its proveId; one that \
        was removed gets a new one.
        """,
        body: .json(#"{"phoneNumber":"2001004014","clientCustomerId":"c-1"}"#, upTo: .person),
        demand: .begins)
    static let refusals: [PlatformError] = [.numberNotServed, .otherProduct]
    static let body = Shape(IdentityManager.Order(.phoneNumber(""))) {
        Member.required(
            "phoneNumber", .phoneNumber, "The number. Blanks, dots, hyphens and brackets do not count."
        ) { $0.subject = .phoneNumber($1) }
        IdentityManager.Order.customerID
        IdentityManager.Order.humanID
        Member.requestID
        IdentityManager.Order.deviceID
        IdentityManager.Order.identityAttributes
    }
    static let reply = Reply<HolderID> {
        ReplyMember.ids { $0 }
        ReplyMember.always("success", .flag, "Always true: a failure is answered with an error.") { _ in true }
    }

    func respond(
        to order: IdentityManager.Order, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> HolderID {
        try await manager.enrol(order, for: tenant)
    }
}
