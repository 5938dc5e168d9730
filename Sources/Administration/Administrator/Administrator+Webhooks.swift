internal import Engine
internal import Possession

extension Administrator {
    /// Runs a call of the webhook manager, and says its refusal in words for an operator.
    /// - Throws: `.invalid`, `.missing`, `.conflict`, `.overloaded`, `.failed`.
    func onWebhooks<Value: Sendable>(
        _ work: (WebhookManager) async throws(WebhookManager.Refusal) -> Value
    ) async throws(Refusal) -> Value {
        do throws(WebhookManager.Refusal) { return try await work(webhooks) } catch {
            switch error {
            case .invalid(let defect): throw .invalid("\(defect.field) \(defect.reason)")
            case .unknownClient: throw .missing("no such client, or it is revoked")
            case .unknownEndpoint: throw .missing("no such endpoint")
            case .unknownEvent: throw .missing("no such event, or it waits to be delivered already")
            case .tooMany: throw .conflict("the client has \(WebhookRules.mostEndpoints) endpoints already")
            case .behind: throw .conflict("too much waits for the endpoint already")
            case .noPing: throw .conflict("the endpoint's format has no ping")
            case .noConsent(let consent): throw .conflict("the receiver \(consent.reason ?? "did not agree")")
            case .stopped: throw .conflict("the endpoint is disabled")
            case .revokedClient:
                throw .conflict("the endpoint's client is revoked: nothing is sent for it any more")
            case .oldKeysSign(let end):
                throw .conflict("the keys before sign until \(end.rfc3339); with --force they end now")
            case .engine(.overloaded): throw .overloaded
            case .engine(.failed(let reason)): throw .failed(reason)
            }
        }
    }
}
