internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /hooks/authgear`: the webhook of Authgear's custom SMS gateway (docs.authgear.com, custom SMS provider).
///
///     {"to":"+12001004014","body":"...","template_variables":{"code":"123456"}}  ->  200 {"code":"ok"}
struct SendForAuthgear: BasicHookEndpoint {
    let relay: CodeRelay
    let gate: HookGate

    static let answers = HookReply.Form.authgear
    static let call = Call(
        .post, HookPath.authgear, id: "SendForAuthgear", "Send a code of Authgear",
        """
        The webhook of a custom SMS gateway. The code of template_variables goes out in this server's own words; body is not \
        looked at. Authgear reads what came of it in `code`.
        """,
        body: .json(#"{"to":"+12001004014","template_variables":{"code":"123456"}}"#, upTo: .message), demand: .begins)
    static let body = Shape(CodeOrder()) {
        Member.required("to", .number, "The number, in E.164.") { $0.number = $1 }
        Member.required("template_variables", .object(variables), "What the text is made of.") {
            ($0.code, $0.codeField) = ($1.code, "template_variables.code")
        }
    }

    private static let variables = Shape(CodeOrder(), name: "AuthgearVariables") {
        Member.required("code", .code, "The code.") { $0.code = $1 }
    }
}
