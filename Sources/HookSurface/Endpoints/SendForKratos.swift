internal import HTTPServer
internal import SurfaceKit

/// `POST /hooks/kratos`: a courier channel of Ory Kratos, with a body template of a few lines.
///
///     {"to":"+12001004014","code":"123456"}  ->  200 {}
///     {"to":"+12001004014","send":false}     ->  200 {}, and nothing is sent
///
/// Other servers send the same members as JSON or as a form; some call the number `phoneNumber`.
struct SendForKratos: BasicHookEndpoint {
    let relay: CodeRelay
    let gate: HookGate

    static let call = Call(
        .post, HookPath.kratos, id: "SendForKratos", "Send a code of Ory Kratos",
        """
        A courier channel of type http. Any server that can send this object may call it as well. Kratos calls again after \
        any other status than 2xx, so a message that has no code is taken, with send false, and goes nowhere. A form with \
        the same members is taken as JSON is.
        """,
        body: .jsonOrForm(#"{"to":"+12001004014","code":"123456"}"#, upTo: .short), demand: .begins)
    static let body = Shape(
        CodeOrder(),
        refine: { $0.requiring(["to"], unless: ["phoneNumber"]) },
        check: { (order) throws(FieldDefect) in
            guard !order.number.utf8.isEmpty else { throw .missing("to") }
            if order.hasMessage, order.code == nil { throw .missing("code") }
        }
    ) {
        Member.optional("phoneNumber", .number, "The number, where `to` is not there.") {
            ($0.number, $0.numberField) = ($1, "phoneNumber")
        }
        Member.optional("to", .number, "The number, in E.164.") { ($0.number, $0.numberField) = ($1, "to") }
        Member.optional("code", .code, "The code.") { $0.code = $1 }
        Member.optional("send", .flag, "false: the message has no code, and nothing is sent.") { $0.hasMessage = $1 }
    }
}
