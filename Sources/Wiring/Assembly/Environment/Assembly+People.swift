internal import Administration
internal import Observation
internal import Outbound
internal import Engine
internal import Possession
internal import Tokens

extension Assembly {
    /// The source of people other than sandbox users: the operator's service if there is one, else the store.
    ///
    /// - Parameter systemNow: the time in signatures. The service uses a real clock, so the sandbox's clock must not be
    ///   used.
    static func knownPeople(
        _ configuration: Configuration, key: KeyedHash?, imported: any IdentitySource, send: @escaping OutboundSend,
        systemNow: @escaping Now, registry: MetricsRegistry
    ) -> any IdentitySource {
        guard let settings = configuration.identity.service, let key else { return imported }
        let service = IdentityService(
            SignedService(settings, send: send, sign: { key.digest($0) }, now: systemNow))
        return CountedIdentityService(service, registry)
    }

    /// The finder of people by credentials other than those of a sandbox: the operator's service if there is one, else
    /// the store.
    ///
    /// - Parameter systemNow: as in `knownPeople`.
    static func personFinder(
        _ configuration: Configuration, key: KeyedHash?, imported: any PersonFinder, send: @escaping OutboundSend,
        systemNow: @escaping Now, registry: MetricsRegistry
    ) -> any PersonFinder {
        guard let settings = configuration.identity.lookup, let key else { return imported }
        let lookup = PersonLookup(SignedService(settings, send: send, sign: { key.digest($0) }, now: systemNow))
        return CountedPersonLookup(lookup, registry)
    }
}
