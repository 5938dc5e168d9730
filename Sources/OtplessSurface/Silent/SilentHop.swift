internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// A hop that a phone follows over its cellular connection.
///
/// A program, such as an app's SDK, continues at once. A browser identifies itself (Fetch Metadata, `Sec-Fetch-Mode`)
/// and gets a page where a person must tap first. So neither a link sent to a person nor a page that loads the link
/// proves a number.
protocol SilentHop: PhoneHop where Refusal == OtplessError, Replied == ResponseReply<Response> {
    var silent: OtplessSilent { get }
}

extension OtplessError: PhoneHopError {}

extension SilentHop {
    var service: MobileAuthService { silent.chain }

    static var operations: [Operation] {
        [
            operation(
                .otplessPhone, caller: nil, schema: .anything,
                errors: [
                    .overloaded, .internalFault(""), .rateLimited(.init(.callsPerAddress, retryAfterSeconds: 1)),
                ], shape: .otpless)
        ]
    }
}

extension Request {
    /// Whether a browser makes this call.
    var isOfBrowser: Bool { headers.count("sec-fetch-mode") > 0 || headers.count("sec-fetch-site") > 0 }

    /// Whether a browser makes this call from a page of this server.
    var isOfOwnPage: Bool {
        headers.count("sec-fetch-site") == 1 && headers["sec-fetch-site"]?.isSame(as: "same-origin") == true
    }
}

/// The answer at the end of a chain: a word for programs, a page for people.
struct SilentAnswer: Sendable {
    enum State: String, CaseIterable, Sendable {
        case success = "SUCCESS"
        case failed = "FAILED"
    }

    let pages: PagePolicy

    /// 200 for success and failure: no SDK uses another status. Only the backend learns the reason of a failure.
    func end(_ state: State, of request: Request) -> Response {
        guard !request.isOfBrowser, !AcceptedForm.isPage(request.headers) else {
            return pages.response(200, SilentPage.end(state))
        }
        return Response.json(200, ["status": .string(state.rawValue)]).asHopEnd
    }

    /// The page that asks the person to continue.
    func question(_ asker: String?, of request: Request) -> Response {
        guard let asker else { return end(.failed, of: request) }
        return pages.response(200, SilentPage.question(asker), hasForm: true)
    }

    static let ends = Answer(
        status: 200, about: "How it ended: to browsers a page, which may also ask for a tap first.",
        content: .json(
            .record([
                must(
                    "status", .choice(State.self),
                    "SUCCESS: the number is proven. FAILED: it is not; auth/v2/status has the reason.")
            ])), isPageForBrowsers: true)
}
