internal import Possession
internal import Tokens

extension Administrator {
    /// Gives a client the keys that its apps are built with.
    /// - Throws: `.unknownClient`, `.revoked`, `.invalid` where it has keys, `.failed`.
    func addApplicationKeys(of client: ClientID) async throws(Refusal) -> ApplicationCredentials {
        _ = try await validClient(client)
        let keys = try newApplicationKeys()
        let isAdded: Bool
        do { isAdded = try await applications.add(keys, to: client) } catch { throw .failed("storage: \(error)") }
        guard isAdded else { throw .invalid("this client has application keys: rotate or export them") }
        return try credentials(of: keys)
    }

    /// Gives a client new keys. Apps with those before are served until the overlap ends; apps with still older ones no more.
    /// - Returns: what apps are built with from now on, and when the keys before end.
    /// - Throws: `.unknownClient`, `.revoked`, `.invalid` where it has none or they are configured, `.failed`.
    func rotateApplicationKeys(
        of client: ClientID, overlapDays: Int
    ) async throws(Refusal) -> (credentials: ApplicationCredentials, previousEndsAt: Timestamp?) {
        _ = try await validClient(client)
        let keys = try newApplicationKeys()
        let stored: Application?
        do {
            stored = try await applications.rotate(
                client, to: keys, at: now(), overlap: .seconds(overlapDays * 86_400))
        } catch { throw .failed("storage: \(error)") }
        guard let stored else { throw .withoutApplicationKeys }
        guard !stored.isConfigured else {
            throw .invalid("the application keys of this client stand in the configuration file: change them there")
        }
        return (try credentials(of: keys), stored.keys.previous?.endsAt)
    }

    /// - Throws: `.unknownClient`, `.failed`.
    func application(of client: ClientID) async throws(Refusal) -> Application? {
        do {
            guard try await tenants.tenant(client) != nil else { throw Refusal.unknownClient }
            return try await applications.application(of: client)
        } catch let refusal as Refusal {
            throw refusal
        } catch { throw .failed("storage: \(error)") }
    }

    /// The texts that the client's apps are built with now.
    /// - Throws: `.unknownClient`, `.revoked`, `.invalid` where it has none, `.failed`.
    func exportApplicationKeys(of client: ClientID) async throws(Refusal) -> ApplicationCredentials {
        _ = try await validClient(client)
        guard let application = try await application(of: client) else { throw .withoutApplicationKeys }
        return try credentials(of: application.keys.current)
    }

    private func newApplicationKeys() throws(Refusal) -> ApplicationKeys {
        do { return try devices.makeApplicationKeys() } catch { throw .failed("keys: \(error.reason)") }
    }

    private func credentials(of keys: ApplicationKeys) throws(Refusal) -> ApplicationCredentials {
        do { return try devices.credentials(of: keys) } catch { throw .failed("keys: \(error.reason)") }
    }
}

extension Administrator.Refusal {
    fileprivate static var withoutApplicationKeys: Self {
        .invalid("this client has no application keys: add them first")
    }
}
