internal import HTTPServer
internal import Possession
internal import StrictJSON

// The orders about test numbers, which get no messages.

extension ControlSurface {
    var testNumberRoutes: [Route] {
        [
            Route(.get, "/control/testnumbers") { _ in await answer(.listTestNumbers).response },
            Route(.post, "/control/testnumbers") { request in
                guard let order = TestNumberOrder(request.body) else { return OrderAnswer.malformed.response }
                return await answer(.addTestNumber(order), request.id).response
            },
            Route(.post, "/control/testnumbers/remove") { request in
                guard let number = NumberOrders.number(request.body) else { return OrderAnswer.malformed.response }
                return await answer(.removeTestNumber(number), request.id).response
            },
        ]
    }

    func testNumbers() throws(Administrator.Refusal) -> [JSONValue] {
        let now = administrator.now()
        return try administrator.allTestNumbers().map { .object(Self.object($0, at: now)) }
    }

    func add(_ order: TestNumberOrder) async throws(Administrator.Refusal) -> OrderAnswer {
        let entry = try await administrator.add(order)
        return OrderAnswer(201, Self.object(entry, at: entry.createdAt))
    }

    func remove(_ number: PhoneNumber) async throws(Administrator.Refusal) -> OrderAnswer {
        try await administrator.removeTestNumber(number)
        return OrderAnswer(200, JSONObject())
    }

    /// The test number without its code, and with most of its digits masked.
    private static func object(_ entry: TestNumber, at now: Timestamp) -> JSONObject {
        var object: JSONObject = ["phoneNumber": .string(entry.number.masked)]
        object.set("clientId", entry.tenant?.text)
        object.set("createdAt", entry.createdAt.rfc3339)
        object.set("endsAt", entry.endsAt.rfc3339)
        object.set("passes", now < entry.endsAt)
        return object
    }
}
