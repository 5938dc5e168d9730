internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v3/unify`: an app's backend starts a session.
///
///     {"possessionType":"mobile","phoneNumber":"2001004014","clientRequestId":"r-1"}
///     ->  200 {"correlationId":"0193...","success":"pending","authToken":"eyJ..."}
struct StartUnify: PlatformEndpoint {
    let service: PlatformService

    static let call = Call(
        .post, "/v3/unify", aliases: [.short("/unify")], id: "startUnify", "Start a session",
        "The backend hands authToken to its client, and asks for the outcome with correlationId.",
        body: .json(#"{"possessionType":"mobile","phoneNumber":"2001004014","clientRequestId":"r-1"}"#),
        demand: .begins, answer: "The session.")
    static let refusals: [PlatformError] = [.numberNotServed, .otherProduct]

    /// All members in the order of the documentation (Prove 5.1).
    static let body = Shape(PlatformService.SessionOrder(.unify, flow: .mobile)) {
        Member.required(
            "possessionType", .choice(SessionRequest.Flow.allCases),
            "mobile: code or link. desktop: link. none: device key only, then bind."
        ) { $0.flow = $1 }
        Member.optional("clientRequestId", .reference, "The caller's own name of the call; echoed.") {
            $0.references.clientRequestID = $1
        }
        Member.optional(
            "phoneNumber", .phoneNumber, "The claimed number. Blanks, dots, hyphens and brackets do not count."
        ) { $0.phoneNumber = $1 }
        Member.optional("proveId", .identifier(HolderID.self), "A number proven before, in place of phoneNumber.") {
            $0.holderID = $1
        }
        Member.optional("finalTargetUrl", .finalTargetURL, "The page that the link leads to in the end.") {
            $0.finalTargetURL = $1
        }
        Member.optional("smsMessage", .messageTemplate, "The message; #### is the code.") {
            $0.codeTemplate = $1
            $0.linkTemplate = $1
        }
        Member.optional("allowOTPRetry", .flag, "More than one try at a code.") { $0.allowOTPRetry = $1 }
        Member.optional("rebind", .flag, "The device key may move to this number.") { $0.rebind = $1 }
        Member.optional("deviceId", .identifier(DeviceID.self), "The device key that is expected.") {
            $0.deviceID = $1
        }
        Member.optional("checkReputation", .flag, "Whether the number's standing counts.") { $0.checkReputation = $1 }
        Member.optional("clientCustomerId", .reference, "The caller's own name of the person.") {
            $0.references.clientCustomerID = $1
        }
        Member.optional("clientHumanId", .reference, "The answer repeats it on success.") {
            $0.references.clientHumanID = $1
        }
        Member.optional("emailAddress", .emailAddress, "The e-mail address of the person.") { $0.emailAddress = $1 }
        Member.optional("ipAddress", .ipAddress, "The IP address of the person's device.") { $0.ipAddress = $1 }
        Member.optional("mobileAuthEnabled", .flag, "Overrides the API client's setting.") {
            $0.mobileAuthEnabled = $1
        }
        Member.optional("locale", .locale, "The language of messages.") { $0.locale = $1 }
    }

    static let reply = Reply<PlatformService.StartedSession> {
        ReplyMember.always("correlationId", .identifier(), "The session, for the backend alone.") { $0.correlationID }
        ReplyMember.always(
            "success", .choice([UnifyResult.Success.pending]), "Always pending: unify-status answers the outcome."
        ) { _ in .pending }
        ReplyMember.always("authToken", .text, "For the client; good for 15 minutes and one client.") { $0.authToken }
    }

    func respond(
        to order: PlatformService.SessionOrder, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> PlatformService.StartedSession {
        let started = try await service.start(order, for: tenant)
        request.note(started.correlationID)
        return started
    }
}
