internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// Shows why messages or checks for a number or an address failed.
struct ExplainNumber: ReadingOrder {
    let target: Target

    static let call = OrderCall(.post, "/control/numbers/explain", Self.init, .target(\.target))
    static let reply = Reply<Explanation> {
        ReplyMember.always("explanation", .list(of: .object(.anything))) { $0.lines }
    }

    func respond(_ administrator: Administrator) async throws(Refusal) -> Explanation {
        try await administrator.explanation(of: target)
    }
}

extension Explanation {
    /// Each reason as the list shows it.
    fileprivate var lines: [JSONObject] {
        var lines = held.map { held -> JSONObject in
            var object: JSONObject = ["client": .string(held.client.text), "limit": .string(held.limit.rawValue)]
            if held.isPause { object.set("why", "pause_after_message") }
            if let until = held.until {
                object.set("until", until.rfc3339)
            } else {
                object.set("endsBy", "holdfast numbers unlock, or a check that passes")
            }
            return object
        }
        lines += closures.map { client, closure -> JSONObject in
            var object: JSONObject = ["client": .string(client.text)]
            switch closure {
            case .country:
                object.set("closed", "its country is not open to this client")
                object.set("endsBy", "holdfast clients update \(client.text) --calling-code ...")
            case .line(let reason): object.set("closed", "it \(reason)")
            }
            return object
        }
        lines += closed.map(\.line)
        lines += scarce.map { place -> JSONObject in
            var object: JSONObject = ["client": .string(place.client.text)]
            object.set("limit", LimitName.prefixClosed.rawValue)
            object.set("prefix", place.place)
            object.set("since", place.since.rfc3339)
            return object
        }
        lines += refusals.map { refusal -> JSONObject in
            var object: JSONObject = ["refusedBy": .string(refusal.limit.rawValue)]
            object.set("callsInADay", refusal.count)
            object.set("last", refusal.last.rfc3339)
            return object
        }
        return lines + runs.map { Self.object($0) }
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
