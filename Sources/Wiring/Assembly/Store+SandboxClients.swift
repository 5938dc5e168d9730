internal import Administration
internal import Engine
internal import Possession
internal import SandboxSurfaces
internal import Storage
internal import Text
internal import Tokens

/// Stores the API clients of a sandbox's configuration file, their keys and their applications. Unchanged data is not
/// written again, and a revoked client stays revoked.
extension Store {
    func saveSandboxClients(_ configuration: Configuration) async throws(StartFault) {
        guard let clients = configuration.sandbox?.clients else { return }
        do {
            for client in clients { try await save(client) }
            try await apiKeys.setConfigured(try apiKeys(of: clients))
            try await applicationKeys.setConfigured(try await applications(of: clients))
        } catch let fault as StartFault {
            throw fault
        } catch { throw .failed("storage: \(error)") }
    }

    private func save(_ client: Configuration.SandboxClient) async throws(StorageFault) {
        guard let id = ClientID(client.id) else { return }
        let stored = try await tenants.tenant(id)
        let wanted = Tenant(
            id: id, rules: client.rules, secretDigests: [keyed.secret(client.secret.text, id)],
            createdAt: stored?.createdAt ?? now(), revokedAt: stored?.revokedAt)
        if stored != wanted { try await tenants.save(wanted) }
    }

    private func apiKeys(of clients: [Configuration.SandboxClient]) throws(StartFault) -> [APIKey] {
        var keys: [APIKey] = []
        for client in clients {
            guard let id = ClientID(client.id) else { continue }
            for (kind, text) in [(APIKey.Kind.api, client.apiKey), (.sdk, client.sdkKey)] {
                guard let text = text?.text else { continue }
                let bytes: [UInt8]
                do { bytes = try random.bytes(16) } catch { throw .failed("the random generator refused") }
                keys.append(
                    APIKey(
                        id: APIKeyID(at: now(), random: bytes), kind: kind, client: id, digest: keyed.apiKey(text),
                        name: "configuration", ending: APIKey.ending(of: text), isConfigured: true, createdAt: now()))
            }
        }
        return keys
    }

    /// Keys that the store already has are returned as stored, because sealing them again would give another text.
    private func applications(
        of clients: [Configuration.SandboxClient]
    ) async throws -> [(client: ClientID, keys: ApplicationKeys)] {
        var applications: [(client: ClientID, keys: ApplicationKeys)] = []
        for (id, keys) in try givenApplications(of: clients) {
            let stored = try await applicationKeys.application(of: id)?.keys.current
            if let stored, (try? devices.isSame(stored, keys)) == true {
                applications.append((id, stored))
            } else {
                applications.append((id, keys))
            }
        }
        return applications
    }

    /// The keys for the apps of the file's clients as texts, for `GET /sandbox/users`.
    func sandboxApplications(_ configuration: Configuration) throws(StartFault) -> [SandboxApplication] {
        var applications: [SandboxApplication] = []
        for (client, keys) in try givenApplications(of: configuration.sandbox?.clients ?? []) {
            do throws(TokenFault) {
                applications.append(SandboxApplication(client: client, credentials: try devices.credentials(of: keys)))
            } catch { throw .failed("keys: \(error.reason)") }
        }
        return applications
    }

    private func givenApplications(
        of clients: [Configuration.SandboxClient]
    ) throws(StartFault) -> [(client: ClientID, keys: ApplicationKeys)] {
        var applications: [(client: ClientID, keys: ApplicationKeys)] = []
        for client in clients {
            guard let id = ClientID(client.id), let application = client.application else { continue }
            do throws(TokenFault) {
                applications.append((id, try devices.applicationKeys(application.given)))
            } catch {
                throw .configuration("sandbox.clients.\(client.id).application: \(error.reason)")
            }
        }
        return applications
    }
}

extension PowerAuthProtocol {
    /// Whether both are the same keys, sealed twice. Equal public keys mean equal master keys.
    fileprivate func isSame(_ stored: ApplicationKeys, _ keys: ApplicationKeys) throws(TokenFault) -> Bool {
        guard stored.masterPublicKey == keys.masterPublicKey else { return false }
        return try credentials(of: stored) == credentials(of: keys)
    }
}
