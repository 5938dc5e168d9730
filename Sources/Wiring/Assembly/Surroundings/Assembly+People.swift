internal import Administration
internal import Observation
internal import Outbound
internal import Possession
internal import Tokens

extension Assembly {
    /// The source of people that are no sandbox users: the operator's service where there is one, else the store.
    ///
    /// - Parameter systemNow: stands in signatures, whatever the sandbox's clock says: the service has a clock too.
    static func knownPeople(
        _ configuration: Configuration, key: KeyedHash?, imported: any IdentitySource, send: @escaping OutboundSend,
        systemNow: @escaping Now, registry: MetricsRegistry
    ) -> any IdentitySource {
        guard let settings = configuration.identity.service, let key else { return imported }
        let service = IdentityService(
            SignedService(settings, send: send, sign: { key.digest($0) }, now: systemNow))
        return CountedIdentityService(service, registry)
    }

    /// The finder of people by credentials, beside those of a sandbox: the operator's service where there is one, else the store.
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
