internal import HTTPServer
internal import StrictJSON
internal import SurfaceKit

/// `{}`: the message is on its way. Supabase Auth reads the body, and takes an error in it.
struct HookReply: ReplyForm {
    /// Whether an error may stand in the body.
    let tellsErrors: Bool

    private var about: String {
        tellsErrors ? "The message is on its way, or `error` says why not." : "The message is on its way."
    }

    func response(_ value: Nothing) -> Response { .json(200, JSONObject()) }

    func answers(_ call: Call) -> [Answer] {
        let fields = tellsErrors ? [may("error", HookError.detail, "The reason why no message was sent.")] : []
        return [Answer(status: 200, about: about, content: .json(.record(fields), "{}"))]
    }
}
