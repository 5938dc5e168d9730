internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /sandbox/operator/operator-token`: the token that a phone gets from its operator over any network (GSMA
/// TS.43). A real phone requests it from its operator's entitlement server with its SIM.
///
///     login_hint=tel:%2B12001004016  ->  200 {"operator_token":"...","expires_in":300,"plmn":"00101"}
///
/// The token is valid once. Without `login_hint` it is for the default number, as with `authorize`.
struct IssueOperatorToken: Endpoint {
    struct Order: Sendable {
        var hint: String?
    }

    struct Issued: Sendable {
        let token: String
    }

    let network: SimulatedNetwork
    let grants: OperatorGrants

    static let call = Call(
        .post, SimulatedOperator.phoneTokenPath, id: "issueOperatorToken", "Give a phone its token",
        "In place of TS.43, which needs a SIM: the token of the phone with this number, good once.", body: .form(),
        answer: "The token.")
    static let refusals: [OAuthError] = [
        .invalidRequest("login_hint must be tel: and an E.164 number"), .serverError,
    ]
    static let body = Shape(Order()) {
        Member.described(may("login_hint", .text(), "tel:+..."), "login_hint", .anyText) { $0.hint = $1 }
    }
    static let reply = Reply<Issued> {
        ReplyMember.always("operator_token", .text, "To be handed in at mobile-auth/token; good once.") { $0.token }
        ReplyMember.always("expires_in", .integer(1...Int.max), "Seconds until the token expires.") { _ in
            Int(OperatorGrants.phoneTokenLifetime.components.seconds)
        }
        ReplyMember.always("plmn", .text, "The network that is played.") { _ in SimulatedOperator.plmn }
    }

    /// The API description of the endpoint.
    static var operations: [Operation] {
        [
            operation(
                .simulatedOperator, caller: nil, schema: body.schema(others: true),
                errors: call.body.defects.map { OAuthError($0) }, shape: .oauth)
        ]
    }

    var routes: [Route] {
        SurfaceRoute<Self>(report: { _ in }).routes { request, form throws(OAuthError) in
            try await answer(request, from: Nothing(), form)
        }
    }

    func respond(to order: Order, of request: Request, from caller: Nothing) async throws(OAuthError) -> Issued {
        let connection = network.connection(of: try order.hint.map(AuthorizeConnection.number(of:)))
        guard let token = grants.issue(to: connection) else { throw .serverError }
        return Issued(token: token)
    }
}
