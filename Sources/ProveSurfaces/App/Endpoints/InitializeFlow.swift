internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /initialize`: a browser or phone starts a run.
///
///     {"flowType":"mobile","phoneNumber":"2001001693","ssn":"6227"}
///     ->  200 {"authToken":"eyJ...","flowToken":"x3Jv..."} and the flow token as a cookie
struct InitializeFlow: AppEndpoint {
    let service: AppService
    /// The final target of links in the desktop flow, if the request names none (`app.finalTargetUrl`).
    let finalTargetURL: FinalTargetURL?
    /// `nil` outside of the sandbox.
    let runs: OriginRuns?
    let cookie: FlowCookie
    let addresses: ClientAddress

    static let call = Call(
        .post, "/initialize", id: "initializeFlow", "Start a run",
        """
        The flow token is in the answer and in the cookie holdfast_flow; either opens the run for the next \
        calls. In sandbox mode a page of another origin may bring neither: its next calls belong to the newest \
        run of the same Origin and client address (sandbox.flowByOrigin). A desktop run without finalTargetUrl \
        takes app.finalTargetUrl. Messages are in the language of locale, else of Accept-Language. In live mode \
        smsMessage is refused, ipAddress and allowOTPRetry have no effect (app.allowOtpRetry), and finalTargetUrl \
        is app.finalTargetUrl or on a registered host.
        """,
        body: .json(#"{"flowType":"mobile","phoneNumber":"2001001693","ssn":"6227"}"#), demand: .begins,
        answer: "The answer.", headers: ["Set-Cookie"])
    static let refusals: [AppError] = [.platform(.numberNotServed), .platform(.otherProduct)]
    static let body = Shape(PlatformService.SessionOrder(.prefill, flow: .mobile)) {
        PlatformService.SessionOrder.prefillMembers(.typedNumber)
    }
    static let reply = Reply<AppService.Started> {
        ReplyMember.always("authToken", .text, "For the client SDK; good for 15 minutes and one client.") {
            $0.authToken
        }
        ReplyMember.always("flowToken", .text, "Opens the run for /verify and /finish, as Authorization: Bearer.") {
            $0.flowToken
        }
    }

    func respond(
        to order: PlatformService.SessionOrder, of request: Request, from caller: Nothing
    ) async throws(AppError) -> AppService.Started {
        var order = try completed(order)
        order.languages = request.languages
        let started = try await AppError.asking { [order] () async throws(PlatformRefusal) in
            try await service.initialize(order, from: addresses.of(request))
        }
        request.note(started.correlationID)
        runs?.note(started.flowToken, startedBy: request)
        return started
    }

    func headers(_ started: AppService.Started, _ request: Request) -> [(name: String, value: String)] {
        [("Set-Cookie", cookie.field(started.flowToken, for: request))]
    }

    /// The guides' pages send no final target in the desktop flow (contract section 9).
    private func completed(_ order: PlatformService.SessionOrder) throws(AppError) -> PlatformService.SessionOrder {
        guard order.flow == .desktop, order.finalTargetURL == nil else { return order }
        guard let finalTargetURL else {
            throw AppError(
                FieldDefect(
                    "finalTargetUrl",
                    "is missing; a desktop flow needs it: send it, or set app.finalTargetUrl on the server"))
        }
        var order = order
        order.finalTargetURL = finalTargetURL
        return order
    }
}
