internal import HTTPServer
internal import SurfaceKit

/// `POST /hooks/kratos`: a courier channel of Ory Kratos, with a body template of two lines.
///
///     {"to":"+12001004014","code":"123456"}  ->  200 {}
struct SendForKratos: BasicHookEndpoint {
    let relay: CodeRelay
    let gate: HookGate

    static let call = Call(
        .post, HookPath.kratos, id: "SendForKratos", "Send a code of Ory Kratos",
        """
        A courier channel of type http. Any server that can send this object may call it as well. Kratos calls again after \
        any other status than 2xx.
        """,
        body: .json(#"{"to":"+12001004014","code":"123456"}"#, upTo: .short), demand: .begins)
    static let body = Shape(CodeOrder()) {
        Member.required("to", .number, "The number, in E.164.") { $0.number = $1 }
        Member.required("code", .code, "The code.") { $0.code = $1 }
    }
}
