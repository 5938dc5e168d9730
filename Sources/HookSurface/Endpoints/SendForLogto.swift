internal import HTTPServer
internal import Possession
internal import SurfaceKit
internal import Text

/// `POST /hooks/logto`: the HTTP SMS connector of Logto (docs.logto.io/integrations/http-sms).
///
///     {"to":"12001004014","type":"SignIn","payload":{"code":"123456"},"ip":"192.0.2.7"}  ->  200 {}
struct SendForLogto: BasicHookEndpoint {
    let relay: CodeRelay
    let gate: HookGate

    static let call = Call(
        .post, HookPath.logto, id: "SendForLogto", "Send a code of Logto",
        "The HTTP SMS connector. Logto keeps numbers without their plus sign, so digits are a number with country code.",
        body: .json(#"{"to":"12001004014","type":"SignIn","payload":{"code":"123456"}}"#, upTo: .message),
        demand: .begins)
    static let body = Shape(CodeOrder()) {
        Member.required("to", .digits, "The number, with or without `+`.") { $0.number = plus($1) }
        Member.required("payload", .object(payload), "What the text is made of.") {
            ($0.code, $0.codeField) = ($1.code, "payload.code")
        }
        Member.optional("ip", .addressHint(), "Of the person: messages are limited by it.") { $0.address = $1 }
    }

    private static let payload = Shape(CodeOrder(), name: "LogtoPayload") {
        Member.required("code", .code, "The code.") { $0.code = $1 }
    }
}
