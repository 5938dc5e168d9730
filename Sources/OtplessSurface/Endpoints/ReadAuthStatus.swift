internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /otpless/auth/v2/status?requestId=...`: the status of a request, and facts about its number.
///
///     ->  200 {"auths":[{"type":"PRIMARY","status":"SUCCESS","channel":"SILENT_AUTH",...}],"phoneDetail":{...}}
struct ReadAuthStatus: OtplessEndpoint {
    struct Status: Sendable {
        let factor: AuthFactor
        let phone: PhoneDetail?
        /// The operator that the phone was sent to.
        let operatorName: String?
    }

    let verifications: OtplessVerifications

    static let call = Call(
        .get, OtplessPath.base + "/auth/v2/status", id: "ReadAuthStatus", "What a request has come to, in detail",
        "Ask every second or two. FAILED and SUCCESS are final. PENDING also until the app begins a request of create.",
        answer: "How the request stands.")
    static let body = Shape(RequestName?.none)
    static let parameters = Parameters<RequestName?, OtplessError> {
        ParameterMember.requiredQuery("requestId", .requestName, "Of the request, with or without ARID_.") { $0 = $1 }
    }
    static let reply = Reply<Status>(
        example: """
            {"auths":[{"identityType":"MOBILE","identityValue":"12001004016","channel":"SILENT_AUTH",\
            "methods":["SILENT_AUTH"],"status":"SUCCESS","type":"PRIMARY","verifiedTimestamp":1767254400000}],\
            "phoneDetail":{"countryCode":"1","country":"US"},"networkDetail":{"operator":"simulated"}}
            """
    ) {
        ReplyMember.always("auths", AuthFactor.list, "One.") { [$0.factor] }
        ReplyMember.whenThere("phoneDetail", PhoneDetail.output, "By the numbering plan.") { $0.phone }
        ReplyMember.whenThere("networkDetail", .object(network), "Once the phone was sent to its operator.") {
            $0.operatorName
        }
    }
    static let refusals: [OtplessError] = [.unknownRequest]

    private static let network = Reply<String>(name: "Network") {
        ReplyMember.always("operator", .text, "As the server names it.") { $0 }
    }

    func respond(
        to name: RequestName?, of request: Request, from tenant: Tenant
    ) async throws(OtplessError) -> Status {
        guard let name else { throw .field(.missing("requestId")) }
        let session = try await verifications.find(name, for: tenant)
        request.note(session.correlationID)
        let events = try await verifications.events(of: session)
        let messages = try await verifications.messages(of: session)
        guard let factor = AuthFactor(session, events, messages) else {
            throw .internalFault("a request without a number or an address")
        }
        return Status(
            factor: factor, phone: factor.target.number.map { PhoneDetail($0, verifications.engine.network.numbers) },
            operatorName: events.last { $0.kind == .mobileAuthSentToOperator }?.detail)
    }
}
