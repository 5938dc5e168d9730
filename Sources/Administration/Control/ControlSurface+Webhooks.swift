internal import HTTPServer
internal import Possession
internal import StrictJSON

// The orders about webhooks.

extension ControlSurface {
    var webhookRoutes: [Route] {
        WebhookOrder.Verb.allCases.map { verb in
            Route(.post, "/control/webhooks/" + verb.rawValue) { request in
                guard let order = WebhookOrder(verb, request.body) else { return OrderAnswer.malformed.response }
                return await answer(.webhook(order), request.id).response
            }
        }
    }

    func carryOut(_ order: WebhookOrder) async -> OrderAnswer {
        do throws(WebhookManager.Refusal) { return try await outcome(of: order) } catch {
            switch error {
            case .invalid(let defect): return .refused(400, "\(defect.field) \(defect.reason)")
            case .unknownClient: return .refused(404, "no such client, or it is revoked")
            case .unknownEndpoint: return .refused(404, "no such endpoint")
            case .unknownEvent: return .refused(404, "no such event, or it waits to be delivered already")
            case .tooMany: return .refused(409, "the client has \(WebhookRules.mostEndpoints) endpoints already")
            case .behind: return .refused(409, "too much waits for the endpoint already")
            case .noPing: return .refused(409, "the endpoint's format has no ping")
            case .noConsent(let consent): return .refused(409, "the receiver \(consent.reason ?? "did not agree")")
            case .stopped: return .refused(409, "the endpoint is disabled")
            case .revokedClient:
                return .refused(409, "the endpoint's client is revoked: nothing is sent for it any more")
            case .oldKeysSign(let end):
                return .refused(409, "the keys before sign until \(end.rfc3339); with --force they end now")
            case .engine(.overloaded): return .refused(503, "the store is busy")
            case .engine(.failed(let reason)): return .refused(500, reason)
            }
        }
    }

    private func outcome(of order: WebhookOrder) async throws(WebhookManager.Refusal) -> OrderAnswer {
        let webhooks = administrator.webhooks
        guard let id = order.endpoint else { return try await outcomeWithoutEndpoint(of: order) }
        switch order.verb {
        case .test:
            let event = try await webhooks.test(id, of: order.client)
            return OrderAnswer(200, ["event": .string(event.name)])
        case .rotate:
            let shown = try await webhooks.rotate(id, of: order.client, isForced: order.isForced)
            return OrderAnswer(200, Self.object(shown))
        case .enable: return OrderAnswer(200, Self.object(try await webhooks.enable(id, of: order.client)))
        case .disable: return OrderAnswer(200, Self.object(try await webhooks.disable(id, of: order.client)))
        case .remove:
            try await webhooks.remove(id, of: order.client)
            return OrderAnswer(200, ["id": .string(id.name)])
        case .add, .list, .replay, .deliveries: return try await outcomeWithoutEndpoint(of: order)
        }
    }

    private func outcomeWithoutEndpoint(
        of order: WebhookOrder
    ) async throws(WebhookManager.Refusal) -> OrderAnswer {
        let webhooks = administrator.webhooks
        switch order.verb {
        case .add:
            guard let client = order.client else { return .malformed }
            return OrderAnswer(201, Self.object(try await webhooks.add(order.wish, for: client)))
        case .list:
            let list = try await webhooks.endpoints(of: order.client)
            let damaged: [JSONObject] = list.damaged.map { ["id": .string($0.name), "status": .string("damaged")] }
            let all = list.endpoints.map(Self.object) + damaged
            return OrderAnswer(200, ["webhooks": .array(all.map { .object($0) })])
        case .replay:
            guard let what = order.replay else { return .malformed }
            let count = try await webhooks.replay(what, to: order.endpoint, of: order.client)
            return OrderAnswer(200, ["deliveries": .integer(Int64(count))])
        case .deliveries:
            let found = try await webhooks.deliveries(
                at: order.endpoint, of: order.client, in: order.state, limit: order.limit)
            return OrderAnswer(200, ["deliveries": .array(found.map { .object(Self.object($0)) })])
        case .test, .rotate, .enable, .disable, .remove: return .malformed
        }
    }

    private static func object(_ shown: WebhookManager.Shown) -> JSONObject {
        let endpoint = shown.endpoint
        var object: JSONObject = ["id": .string(endpoint.id.name), "client": .string(endpoint.clientID.text)]
        object.set("url", endpoint.url)
        object.set("types", endpoint.filter.words)
        object.set("include", endpoint.includes.words)
        object.set("format", endpoint.format.rawValue)
        object.set("ordering", endpoint.ordering.rawValue)
        object.set("handshake", endpoint.hasHandshake ? true : nil)
        object.set("status", endpoint.isActive ? "active" : "disabled")
        object.set("reason", endpoint.stop?.rawValue)
        object.set("disabledAt", endpoint.stoppedAt.map(\.rfc3339))
        object.set("failingSince", endpoint.failingSince.map(\.rfc3339))
        object.set("failures", endpoint.failures)
        object.set("createdAt", endpoint.createdAt.rfc3339)
        object.set("publicKey", shown.publicKey)
        object.set("secret", shown.secret)
        object.set("oldSecretUntil", shown.oldSecretUntil.map(\.rfc3339))
        return object
    }

    private static func object(_ delivery: WebhookDelivery) -> JSONObject {
        var object: JSONObject = ["event": .string(delivery.event.id.name)]
        object.set("type", delivery.event.news.type.rawValue)
        object.set("endpoint", delivery.endpoint.name)
        object.set("client", delivery.event.clientID.text)
        object.set("session", delivery.event.news.session?.text)
        object.set("sequence", delivery.event.sequence)
        object.set("at", delivery.event.news.at.rfc3339)
        object.set("state", delivery.state.rawValue)
        object.set("attempts", delivery.attempts)
        object.set("nextAt", delivery.plannedAt.map(\.rfc3339))
        object.set("lastStatus", delivery.lastStatus)
        object.set("lastError", delivery.lastFailure?.rawValue)
        object.set("lastAt", delivery.lastAt.map(\.rfc3339))
        return object
    }
}
