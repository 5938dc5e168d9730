internal import HTTPServer
internal import Possession
internal import StrictJSON

// The orders about what messages cost, and about prefixes that are closed.

extension ControlSurface {
    var guardRoutes: [Route] {
        [
            Route(.get, "/control/guard") { _ in await answer(.showGuard).response },
            Route(.post, "/control/guard/open") { request in
                guard let prefix = GuardOrders.opening(request.body) else { return ControlAnswer.malformed.response }
                return await answer(.openPrefix(prefix), request.id).response
            },
            Route(.post, "/control/guard/close") { request in
                guard let order = GuardOrders.closing(request.body) else { return ControlAnswer.malformed.response }
                return await answer(.closePrefix(order.prefix, hours: order.hours), request.id).response
            },
        ]
    }

    func showGuard() async throws(Administrator.Refusal) -> ControlAnswer {
        let standing = try await administrator.guardStanding()
        var lines: [JSONValue] = []
        for spent in standing.spent {
            var object = JSONObject()
            object.set("spentInADay", spent.units / SpendGuard.unit)
            object.set("client", spent.client?.text)
            lines.append(.object(object))
        }
        for closed in standing.closed {
            var object: JSONObject = ["prefix": .string(closed.prefix)]
            object.set("closedUntil", closed.until.rfc3339)
            object.set("timesInARow", closed.times)
            lines.append(.object(object))
        }
        return ControlAnswer(200, ["guard": .array(lines)])
    }
}
