internal import HTTPServer
internal import Possession
internal import StrictJSON

// The orders about people.

extension ControlSurface {
    var peopleRoutes: [Route] {
        [
            route("/control/people", PeopleOrders.people),
            route("/control/people/list", PeopleOrders.page),
            route("/control/people/erase", PeopleOrders.erasure),
        ]
    }

    private func route(_ path: String, _ read: @escaping @Sendable ([UInt8]) -> ControlOrder?) -> Route {
        Route(.post, path) { request in
            guard let order = read(request.body) else { return OrderAnswer.malformed.response }
            return await answer(order, request.id).response
        }
    }

    func save(_ people: [NumberedPerson]) async throws(Administrator.Refusal) -> OrderAnswer {
        let saved = try await administrator.save(people)
        return OrderAnswer(200, ["new": .integer(Int64(saved.new)), "replaced": .integer(Int64(saved.replaced))])
    }

    func list(_ page: PeoplePage) async throws(Administrator.Refusal) -> OrderAnswer {
        let (people, count) = try await administrator.people(page)
        let entries = people.map { person in
            var object: JSONObject = ["id": .string(person.id.text)]
            object.set("phoneNumber", page.showsNumbers ? person.number.e164 : person.number.masked)
            object.set("createdAt", person.createdAt.rfc3339)
            object.set("updatedAt", person.updatedAt.rfc3339)
            return JSONValue.object(object)
        }
        return OrderAnswer(200, ["people": .array(entries), "count": .integer(Int64(count))])
    }

    func erase(_ order: NumberErasure) async throws(Administrator.Refusal) -> OrderAnswer {
        let erased = try await administrator.erase(order)
        var object = JSONObject()
        for (name, count) in erased.counts { object.set(name, count) }
        return OrderAnswer(200, object)
    }
}

extension ErasedData {
    /// Each count with its name in the answer, in the order for a reader.
    var counts: [(name: String, count: Int)] {
        [
            ("people", people), ("identities", identities), ("deviceKeys", deviceKeys),
            ("activations", activations), ("listEntries", listEntries), ("sessions", sessions),
            ("limitEntries", limitEntries), ("messages", messages),
        ]
    }
}
