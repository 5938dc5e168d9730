internal import Administration
internal import Observation
internal import Outbound
internal import Possession
internal import Tokens

extension Assembly {
    /// What signs questions to the operator's identity service; `nil` without one.
    static func identityKey(_ configuration: Configuration) throws(StartFault) -> KeyedHash? {
        guard configuration.identity.url != nil, let path = configuration.identity.secretFile else { return nil }
        do { return KeyedHash(key: try SharedSecret.load(path)) } catch {
            throw .configuration("identity.secretFile: \(error.reason)")
        }
    }

    /// Who knows the people that are no sandbox users: the operator's service where there is one, else the store.
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
}
