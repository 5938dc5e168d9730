internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /prelude/v2/verification/management/phone-numbers/sandbox`: test numbers, which get no messages.
///
///     ->  200 {"phone_numbers":[{"phone_number":"+12065550100","attempt_code":"123456","created_at":"..."}]}
struct ListTestNumbers: PreludeEndpoint {
    static let path = "/prelude/v2/verification/management/phone-numbers/sandbox"

    let numbers: TestNumbers

    static let call = Call(
        .get, path, id: "preludeListTestNumbers", "List sandbox numbers", "Those of this API client, while they last.",
        answer: "The numbers.")
    static let reply = Reply<[TestNumber]> {
        ReplyMember.always(
            "phone_numbers", .list(of: .object(entry)), "All sandbox numbers of this API client that have not expired."
        ) { $0 }
    }
    private static let entry = Reply<TestNumber>(name: "TestNumber") {
        ReplyMember.always("phone_number", .text, "The number in E.164, with +.") { $0.number.e164 }
        ReplyMember.always("attempt_code", .text, "The one code that passes.") { $0.code.text }
        ReplyMember.always("created_at", .moment, "When the number was added, UTC. It expires 90 days later.") {
            $0.createdAt
        }
    }

    func respond(
        to body: Nothing, of request: Request, from tenant: Tenant
    ) async throws(PreludeError) -> [TestNumber] {
        numbers.all(of: tenant.id)
    }
}
