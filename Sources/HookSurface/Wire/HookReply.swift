internal import HTTPServer
internal import StrictJSON
internal import SurfaceKit

/// The answer that the message was sent.
struct HookReply: ReplyForm {
    /// How a server reads the answer.
    enum Form: Sendable {
        /// It reads only the status.
        case status
        /// Supabase Auth reads an error from a body with status 200.
        case supabase
        /// Authgear reads `code` in every body.
        case authgear
    }

    let form: Form

    /// `{}`, or `{"code":"ok"}`.
    private var body: JSONObject { form == .authgear ? ["code": .string(AuthgearCode.ok.rawValue)] : JSONObject() }

    func response(_ value: Nothing) -> Response { .json(200, body) }

    func answers(_ call: Call) -> [Answer] {
        let content: Content
        switch form {
        case .status: content = .json(.record([]), "{}")
        case .supabase:
            content = .json(.record([may("error", HookError.detail, "The reason why no message was sent.")]), "{}")
        case .authgear:
            content = .json(
                .record([
                    must(
                        "code", .choice([AuthgearCode.ok.rawValue]),
                        "Always ok. An error has another status and another code.")
                ]), #"{"code":"ok"}"#)
        }
        let others = form == .supabase ? ", or `error` says why not" : ""
        return [Answer(status: 200, about: "The message is on its way\(others).", content: content)]
    }

    func refusal(_ error: HookError) -> Response {
        switch form {
        case .status: error.response
        case .supabase: error.responseToSupabase
        case .authgear: error.responseToAuthgear
        }
    }
}

/// The result of a message, in Authgear's words (docs.authgear.com, custom SMS provider).
enum AuthgearCode: String, Sendable, CaseIterable {
    case ok
    case invalidPhoneNumber = "invalid_phone_number"
    case rateLimited = "rate_limited"
    case authenticationFailed = "authentication_failed"
    case deliveryRejected = "delivery_rejected"
}
