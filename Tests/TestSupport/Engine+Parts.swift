package import Engine
package import Possession

extension Engine.Stores {
    /// Stores in memory.
    package convenience init(
        _ store: InMemoryStore, outbox: (any Outbox)? = nil, lists: InMemoryLists = InMemoryLists(),
        brands: any BrandStore = InMemoryBrands(), apiKeys: any APIKeyStore = InMemoryAPIKeys(),
        applications: any ApplicationKeyStore = NoApplicationKeys()
    ) {
        self.init(
            sessions: store, outbox: outbox ?? InMemoryOutbox(store), deviceKeys: store, activations: store,
            deviceTokens: store, identities: store, limitCounts: store, webhooks: store, notices: lists,
            refusedStarts: lists,
            clients: Engine.ClientStores(
                tenants: store, apiKeys: apiKeys, applications: applications, brands: brands, domains: store,
                numberLists: lists, senderNames: lists, testNumbers: lists))
    }
}

extension Engine.Reports {
    /// Reports to those that are given; the others go nowhere.
    package convenience init(
        log: @escaping @Sendable (String) -> Void, audit: any AuditLog = NoAudit(),
        announce: @escaping @Sendable (AuthID) -> Void = { _ in },
        recordLimit: @escaping @Sendable (LimitName, PhoneNumber?) -> Void = { _, _ in },
        recordNews: @escaping @Sendable (EngineNews) -> Void = { _ in }
    ) {
        self.init(
            log: log, audit: audit, announce: announce, recordLimit: recordLimit, recordNews: recordNews,
            wakeWebhooks: { _ in })
    }
}
