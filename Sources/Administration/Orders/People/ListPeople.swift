internal import Engine
internal import Possession
internal import SurfaceKit

/// Lists people in the order of their import.
struct ListPeople: ReadingOrder, Equatable {
    static let limits = 1...1000
    static let standardLimit = 100

    var after: PersonID?
    var limit = ListPeople.standardLimit
    /// Shows whole numbers instead of masked ones.
    var showsNumbers = false

    static let call = OrderCall(
        .post, "/control/people/list", Self.init, .optional("after", .identifier, \.after),
        .optional("limit", .integer(limits), \.limit, or: standardLimit),
        .optional("showsNumbers", .flag, \.showsNumbers, or: false))
    static let reply = Reply<(people: [(person: ListedPerson, number: String)], count: Int)> {
        ReplyMember.always("people", .list(of: .object(listed))) { $0.people }
        ReplyMember.always("count", .count) { $0.count }
    }
    private static let listed = Reply<(person: ListedPerson, number: String)> {
        ReplyMember.always("id", .identifier()) { $0.person.id }
        ReplyMember.always("phoneNumber", .text) { $0.number }
        ReplyMember.always("createdAt", .moment) { $0.person.createdAt }
        ReplyMember.always("updatedAt", .moment) { $0.person.updatedAt }
    }

    func respond(
        _ administrator: Administrator
    ) async throws(Refusal) -> (people: [(person: ListedPerson, number: String)], count: Int) {
        let (people, count) = try await administrator.people(after: after, limit: limit)
        return (people.map { ($0, showsNumbers ? $0.number.e164 : $0.number.masked) }, count)
    }
}
