internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /hooks/zitadel`: the HTTP SMS provider of Zitadel.
///
///     {"contextInfo":{"recipientPhoneNumber":"+12001004014",...},"templateData":{...},"args":{"code":"123456",...}}  ->  200 {}
struct SendForZitadel: BasicHookEndpoint {
    let relay: CodeRelay
    let gate: HookGate

    static let call = Call(
        .post, HookPath.zitadel, id: "SendForZitadel", "Send a code of Zitadel",
        """
        The HTTP SMS provider. The code of `args` goes out in this server's own words; `templateData` is not looked at. \
        Zitadel calls again after any other status than 2xx.
        """,
        body: .json(
            #"{"contextInfo":{"recipientPhoneNumber":"+12001004014"},"args":{"code":"123456"}}"#, upTo: .message),
        demand: .begins)
    static let body = Shape(
        CodeOrder(),
        check: { (order) throws(FieldDefect) in if order.code == nil { throw .missing("args.code") } }
    ) {
        Member.required("contextInfo", .object(recipient), "Whom it goes to.") {
            ($0.number, $0.numberField) = ($1.number, "contextInfo.recipientPhoneNumber")
        }
        Member.required("args", .object(arguments), "What the text is made of.") {
            ($0.code, $0.codeField) = ($1.code, $1.codeField)
        }
    }

    private static let recipient = Shape(CodeOrder(), name: "ZitadelContext") {
        Member.required("recipientPhoneNumber", .number, "In E.164.") { $0.number = $1 }
    }

    private static let arguments = Shape(CodeOrder(), name: "ZitadelArguments") {
        Member.optional("code", .code, "Of a number to be verified, or a password to be set.") {
            ($0.code, $0.codeField) = ($1, "args.code")
        }
        Member.optional("oTP", .code, "Of a login.") { ($0.code, $0.codeField) = ($1, "args.oTP") }
    }
}
