internal import HTTPServer
internal import Possession
internal import StrictJSON

// The orders about what limits have counted for a number.

extension ControlSurface {
    var numberRoutes: [Route] {
        [
            route("/control/numbers/show") { .showNumber($0) },
            route("/control/numbers/unlock") { .unlockNumber($0) },
        ]
    }

    private func route(_ path: String, _ order: @escaping @Sendable (PhoneNumber) -> ControlOrder) -> Route {
        Route(.post, path) { request in
            guard let number = NumberOrders.number(request.body) else { return ControlAnswer.malformed.response }
            return await answer(order(number)).response
        }
    }

    func show(_ number: PhoneNumber) async throws(Administrator.Refusal) -> ControlAnswer {
        let checks = try await administrator.standing(of: number).checks.map { check in
            var object = JSONObject()
            object.set("limit", check.limit.rawValue)
            object.set("counted", check.counted)
            object.set("failuresInARow", check.failuresInARow)
            return JSONValue.object(object)
        }
        return ControlAnswer(200, ["checks": .array(checks)])
    }

    func unlock(_ number: PhoneNumber) async throws(Administrator.Refusal) -> ControlAnswer {
        ControlAnswer(200, ["forgotten": .integer(Int64(try await administrator.unlock(number)))])
    }
}
