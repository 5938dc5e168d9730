internal import Administration
internal import Engine
internal import Possession
internal import Storage
internal import Tokens

/// The server's key pair that signs webhooks. It is made with the first endpoint that needs it: most servers have no
/// such endpoint.
extension Store {
    /// Adds the key to the ring if an endpoint needs it, because a restore has removed it.
    func withWebhookKey(_ ring: SigningKeyRing) async throws(StartFault) -> SigningKeyRing {
        let list: WebhookEndpointList
        do { list = try await webhooks.webhookEndpoints(of: nil) } catch { throw .failed("storage: \(error)") }
        guard list.endpoints.contains(where: \.format.isSignedByServer) else { return ring }
        do {
            return try await keeper.first(.webhook, at: now()).map { ring.adding($0) } ?? ring
        } catch { throw .failed(error.advice) }
    }

    /// Makes the key unless it exists.
    func makeWebhookKey(_ changeRing: @escaping Administrator.RingChange) async throws(EngineFault) {
        // Run on another thread than the caller's event loop: making the key may take a second.
        let made = await Task.detached { [keeper, now] () async -> Result<SigningKeyRecord?, SigningKeyFault> in
            do throws(SigningKeyFault) { return .success(try await keeper.first(.webhook, at: now())) } catch {
                return .failure(error)
            }
        }.value
        do throws(SigningKeyFault) {
            if let key = try made.get() { changeRing { $0.adding(key) } }
        } catch { throw .failed(error.advice) }
    }
}
