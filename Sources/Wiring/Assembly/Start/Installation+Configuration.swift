internal import Administration

extension Installation {
    /// The installation of the configuration. Opens nothing until a command needs it.
    init(_ configuration: Configuration) {
        self.init(
            isLive: configuration.mode == .live, credentialKinds: configuration.identity.kinds,
            controlSocket: Assembly.controlSocketPath(configuration),
            readNumber: { () throws(StartFault) in try PeopleNumbers(configuration).number },
            openStore: { () async throws(StartFault) in
                let store = try await Store.open(configuration)
                do throws(StartFault) { try await store.saveSandboxClients(configuration) } catch {
                    await store.close()
                    throw error
                }
                // No server runs. The next one will find the waiting events.
                let webhooks = store.webhookManager(
                    configuration.webhookURLs(publicURL: configuration.server.publicURL))
                return OpenedStore(store.administrator(webhooks: webhooks) { _ in }, close: store.close)
            })
    }
}
