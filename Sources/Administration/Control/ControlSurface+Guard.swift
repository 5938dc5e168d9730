internal import HTTPServer
internal import Possession
internal import StrictJSON

// The orders about the cost of messages, and about closed prefixes.

extension ControlSurface {
    var guardRoutes: [Route] {
        [
            Route(.get, "/control/guard") { _ in await answer(.showGuard).response },
            Route(.post, "/control/guard/open") { request in
                guard let prefix = GuardOrders.opening(request.body) else { return OrderAnswer.malformed.response }
                return await answer(.openPrefix(prefix), request.id).response
            },
            Route(.post, "/control/guard/close") { request in
                guard let order = GuardOrders.closing(request.body) else { return OrderAnswer.malformed.response }
                return await answer(.closePrefix(order.prefix, hours: order.hours), request.id).response
            },
            Route(.post, "/control/guard/reset") { request in
                guard let client = GuardOrders.reset(request.body) else { return OrderAnswer.malformed.response }
                return await answer(.resetGuard(client), request.id).response
            },
        ]
    }

    func showGuard() async throws(Administrator.Refusal) -> OrderAnswer {
        let standing = try await administrator.guardStanding()
        var lines: [JSONValue] = []
        for spent in standing.spent {
            var object = JSONObject()
            switch spent.scope {
            case .common: object.set("scope", "common")
            case .client(let client): object.set("client", client.text)
            case .country(let country): object.set("country", country)
            }
            object.set("spentInADay", SpendGuard.text(ofUnits: spent.units))
            if spent.budget > 0 { object.set("budget", SpendGuard.text(ofUnits: spent.budget)) }
            object.set("reserved", spent.reserved.map { SpendGuard.text(ofUnits: $0) })
            let unit = standing.isMoney ? "currency of guard.prices" : "messages"
            object.set("unit", spent.ledger == .mail ? "\(unit), e-mails alone" : unit)
            lines.append(.object(object))
        }
        lines += standing.closed.map { .object(Self.object($0)) }
        for (place, left) in standing.scarce {
            var object = JSONObject()
            object.set(place.isCountry ? "country" : "prefix", place.place)
            object.set("client", place.client.text)
            object.set("since", place.since.rfc3339)
            object.set("servedNow", left > 0 ? "known networks and known people" : "known people")
            object.set("messagesLeft", max(0, left))
            lines.append(.object(object))
        }
        for (client, left, last) in standing.withoutAddress {
            var object: JSONObject = ["client": .string(client.text)]
            object.set("address", "its backend named none: such people are one network")
            object.set("last", last.rfc3339)
            object.set("messagesLeft", max(0, left))
            object.set("openNumbersInAPrefix", BucketSizes.openOfNetwork)
            object.set("advice", "send ipAddress, signals.ip (Prelude) or DeviceIp (Twilio Verify)")
            lines.append(.object(object))
        }
        return OrderAnswer(200, ["guard": .array(lines)])
    }

    static func object(_ closed: ClosedPrefix) -> JSONObject {
        var object: JSONObject = ["prefix": .string(closed.prefix.text)]
        object.set("closedUntil", closed.until.rfc3339)
        return object
    }
}
