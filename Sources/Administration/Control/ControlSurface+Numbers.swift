internal import HTTPServer
internal import Possession
internal import StrictJSON

// The orders about the limit counts of a number or an e-mail address.

extension ControlSurface {
    var numberRoutes: [Route] {
        [
            route("/control/numbers/show") { .showNumber($0) },
            route("/control/numbers/unlock") { .unlockNumber($0) },
            route("/control/numbers/explain") { .explainNumber($0) },
        ]
    }

    private func route(_ path: String, _ order: @escaping @Sendable (Target) -> ControlOrder) -> Route {
        Route(.post, path) { request in
            guard let target = NumberOrders.target(request.body) else { return OrderAnswer.malformed.response }
            return await answer(order(target), request.id).response
        }
    }

    func show(_ target: Target) async throws(Administrator.Refusal) -> OrderAnswer {
        let checks = try await administrator.standings(of: target).flatMap { standing in
            standing.checks.map { (standing.client, $0) }
        }.map { (client, check) in
            var object = JSONObject()
            object.set("client", client.text)
            object.set("limit", check.limit.rawValue)
            object.set("counted", check.counted)
            object.set("failuresInARow", check.failuresInARow)
            return JSONValue.object(object)
        }
        return OrderAnswer(200, ["checks": .array(checks)])
    }

    func unlock(_ target: Target) async throws(Administrator.Refusal) -> OrderAnswer {
        OrderAnswer(200, ["forgotten": .integer(Int64(try await administrator.unlock(target)))])
    }

    func explain(_ target: Target) async throws(Administrator.Refusal) -> OrderAnswer {
        let explanation = try await administrator.explanation(of: target)
        var lines = explanation.held.map { held -> JSONValue in
            var object: JSONObject = ["client": .string(held.client.text), "limit": .string(held.limit.rawValue)]
            if held.isPause { object.set("why", "pause_after_message") }
            if let until = held.until {
                object.set("until", until.rfc3339)
            } else {
                object.set("endsBy", "holdfast numbers unlock, or a check that passes")
            }
            return .object(object)
        }
        lines += explanation.closures.map { client, closure in
            var object: JSONObject = ["client": .string(client.text)]
            switch closure {
            case .country:
                object.set("closed", "its country is not open to this client")
                object.set("endsBy", "holdfast clients update \(client.text) --calling-code ...")
            case .line(let reason): object.set("closed", "it \(reason)")
            }
            return .object(object)
        }
        lines += explanation.closed.map { .object(Self.object($0)) }
        lines += explanation.scarce.map { place in
            var object: JSONObject = ["client": .string(place.client.text)]
            object.set("limit", LimitName.prefixClosed.rawValue)
            object.set("prefix", place.place)
            object.set("since", place.since.rfc3339)
            return .object(object)
        }
        lines += explanation.refusals.map { refusal in
            var object: JSONObject = ["refusedBy": .string(refusal.limit.rawValue)]
            object.set("callsInADay", refusal.count)
            object.set("last", refusal.last.rfc3339)
            return .object(object)
        }
        lines += explanation.runs.map { .object(Self.object($0)) }
        return OrderAnswer(200, ["explanation": .array(lines)])
    }

    private static func object(_ run: Explanation.Run) -> JSONObject {
        let session = run.session
        var object: JSONObject = ["correlationId": .string(session.correlationID.text)]
        object.set("client", session.clientID.text)
        object.set("product", session.request.policy.product.text)
        object.set("startedAt", session.createdAt.rfc3339)
        object.set("outcome", session.outcome?.rawValue)
        object.set(
            "events",
            run.events.map { event -> JSONObject in
                var line: JSONObject = ["at": .string(event.at.rfc3339), "event": .string(event.kind.rawValue)]
                if let refusal = event.refusal {
                    line.set("limit", refusal.limit.rawValue)
                    line.set("until", refusal.until?.rfc3339)
                } else {
                    line.set("detail", event.detail)
                }
                return line
            })
        object.set(
            "messages",
            run.messages.map { message -> JSONObject in
                var line: JSONObject = ["state": .string(message.state.rawValue)]
                line.set("gateway", message.gateway)
                line.set("channel", message.channel?.rawValue)
                line.set("carrier", message.end?.rawValue)
                if !message.refusals.isEmpty { line.set("refusedBy", message.refusals.map { Self.object($0) }) }
                return line
            })
        return object
    }

    private static func object(_ refusal: GatewayRefusal) -> JSONObject {
        var object = JSONObject()
        object.set("gateway", refusal.gateway)
        object.set("channel", refusal.channel?.rawValue)
        object.set("why", refusal.outcome)
        object.set("code", refusal.code)
        object.set("reason", refusal.reason)
        return object
    }
}
