internal import HTTPServer
internal import Possession
internal import SurfaceKit
internal import Text

/// `POST /hooks/supabase/{client_id}`: the Send SMS hook of Supabase Auth.
///
///     {"user":{"phone":"12001004014",...},"sms":{"otp":"123456","phone":"12001004014"}}  ->  200 {}
struct SendForSupabase: HookEndpoint {
    let relay: CodeRelay
    let gate: HookGate

    static let scheme = CallerScheme.standardWebhooks
    static let answers = HookReply.Form.supabase
    static let call = Call(
        .post, HookPath.supabase, id: "SendForSupabase", "Send a code of Supabase Auth",
        """
        The Send SMS hook. The code goes to `sms.phone`; where that is not told, to `user.phone`, unless the person is \
        about to change the number. Why no message was sent stands in `error`, with status 200: Supabase Auth shows that to \
        its caller.
        """,
        body: .json(#"{"user":{"phone":"12001004014"},"sms":{"otp":"123456","phone":"12001004014"}}"#, upTo: .person)
            .skipping("user_metadata", "app_metadata", "identities"),
        demand: .begins)
    static let parameters = Parameters<CodeOrder, HookError> {
        .path(HookGate.client, ParameterInput<String>.text(.reference), "The API client.", orRefuse: .unauthorized) {
            _, _ in
        }
    }
    static let body = Shape(
        CodeOrder(),
        check: { (order) throws(FieldDefect) in
            guard !order.number.utf8.isEmpty else { throw FieldDefect.missing("sms.phone") }
        }
    ) {
        Member.required("sms", .object(sms), "What is to be sent.") { $0 = $1 }
        Member.optional("user", .object(user), "The person.") { (order: inout CodeOrder, user) in
            // Without `sms.phone` a code that proves a new number looks like one that proves the old number.
            if order.number.utf8.isEmpty, user.newPhone.utf8.isEmpty {
                (order.number, order.numberField) = (user.phone, "user.phone")
            }
            // Supabase Auth has already verified the known number, but not a new one.
            let known = NumberText.digits(of: user.phone)
            order.isConfirmed =
                user.isConfirmed && known.map { $0.isSame(as: NumberText.digits(of: order.number) ?? "") } ?? false
        }
        Member.optional("metadata", .object(metadata), "Of the request that Supabase Auth has got.") {
            $0.address = $1.address
        }
    }

    private static let sms = Shape(CodeOrder(), name: "SupabaseSMS") {
        Member.required("otp", .code, "The code.") { ($0.code, $0.codeField) = ($1, "sms.otp") }
        Member.optional("phone", .digits, "The number that the code goes to, without `+`.") {
            ($0.number, $0.numberField) = (plus($1), "sms.phone")
        }
    }

    private struct User: Sendable {
        var phone = ""
        var isConfirmed = false
        var newPhone = ""
    }

    private static let user = Shape(User(), name: "SupabaseUser") {
        Member.optional("phone", .digits, "The number that is known, without `+`.") { $0.phone = plus($1) }
        Member.optional("phone_confirmed_at", .text(.any), "When the person proved `phone`.") { user, _ in
            user.isConfirmed = true
        }
        Member.optional("new_phone", .digits, "The number that is to be known.") { $0.newPhone = $1 }
    }

    private static let metadata = Shape(CodeOrder(), name: "SupabaseMetadata") {
        Member.optional("ip_address", .addressHint(), "Of the person: messages are limited by it.") { $0.address = $1 }
    }

    func caller(of request: Request) async throws(HookError) -> Tenant { try await gate.caller(bySignatureOf: request) }

    /// A body may be large, so the server reads it only if the head has a current time and a code of the right length.
    func checkHead(_ request: Request) throws(HookError) { try gate.signatures.checkHead(request) }
}
