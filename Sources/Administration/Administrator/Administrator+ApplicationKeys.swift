internal import Engine
internal import Possession
internal import Tokens

extension Administrator {
    /// Gives a client keys for its apps.
    /// - Throws: `.unknownClient`, `.revoked`, `.invalid`: the client already has keys; `.failed`.
    func addApplicationKeys(of client: ClientID) async throws(Refusal) -> ApplicationCredentials {
        _ = try await validClient(client)
        let keys = try newApplicationKeys()
        let isAdded = try await stored { try await applications.add(keys, to: client) }
        guard isAdded else { throw .invalid("this client has application keys: rotate or export them") }
        return try credentials(of: keys)
    }

    /// Gives a client new keys for its apps. Apps with the previous keys are served until the overlap ends; apps with
    /// older keys are not served any longer.
    /// - Returns: the keys for new builds of the apps, and the end of the previous keys.
    /// - Throws: `.unknownClient`, `.revoked`, `.invalid`: the client has no keys, or they are in the configuration;
    ///   `.failed`.
    func rotateApplicationKeys(
        of client: ClientID, overlapDays: Int
    ) async throws(Refusal) -> (credentials: ApplicationCredentials, previousEndsAt: Timestamp?) {
        _ = try await validClient(client)
        let keys = try newApplicationKeys()
        let rotated = try await stored {
            try await applications.rotate(client, to: keys, at: now(), overlap: .seconds(overlapDays * 86_400))
        }
        guard let rotated else { throw .withoutApplicationKeys }
        guard !rotated.isConfigured else {
            throw .invalid("the application keys of this client stand in the configuration file: change them there")
        }
        return (try credentials(of: keys), rotated.keys.previous?.endsAt)
    }

    /// - Throws: `.unknownClient`, `.failed`.
    func application(of client: ClientID) async throws(Refusal) -> Application? {
        try await stored {
            guard try await tenants.tenant(client) != nil else { throw Refusal.unknownClient }
            return try await applications.application(of: client)
        }
    }

    /// The current keys as texts for the build of the client's apps.
    /// - Throws: `.unknownClient`, `.revoked`, `.invalid`: the client has no keys; `.failed`.
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
