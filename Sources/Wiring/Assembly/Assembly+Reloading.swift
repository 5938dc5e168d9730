internal import Administration
internal import Sandbox
internal import Locks
internal import Logging
internal import Observation
internal import Outbound
internal import Possession
internal import StrictJSON

extension Assembly {
    /// Takes over what may change while the server runs: the users file, the gateways and routes, the texts of messages,
    /// the log level (contract section 9), and the certificate with its key.
    ///
    /// Nothing changes when the configuration or the file is wrong. What changed, what went wrong and which settings wait
    /// for a restart is in the log.
    package func reload(_ read: @Sendable () throws(ConfigurationFault) -> Configuration) {
        let wanted: Configuration
        let users: SandboxUsersFile?
        let newTexts: MessageTexts
        let textCheck: CatalogCheck
        do throws(ConfigurationFault) { wanted = try read() } catch {
            return refuse(error.description)
        }
        do throws(StartFault) {
            users = try wanted.sandbox.map { (sandbox) throws(StartFault) in
                try SandboxUsersFile.load(sandbox.usersFile)
            }
            (newTexts, textCheck) = try wanted.messageTexts()
        } catch {
            return refuse(error.reason)
        }

        let messaging: MessagingFile?
        do throws(StartFault) {
            messaging = try wanted.messaging.routesFile.map { (path) throws(StartFault) in
                try MessagingFile.load(path, presets: wanted.messaging.presets)
            }
        } catch {
            return refuse(error.reason)
        }

        var changes: [String] = []
        do throws(StartFault) { if let tls { changes.append(try tls.reload()) } } catch {
            return refuse(error.reason)
        }
        if let messaging, network.messages.replace(with: messaging) {
            changes.append("messaging: \(messaging.gateways.count) gateways, \(messaging.routes.count) routes")
        }
        if let users, let userList = played?.userList {
            let change = userList.replace(with: users.entries)
            changes.append("sandbox users: \(change.count), \(change.added) new, \(change.removed) gone")
        }
        let oldTexts = texts.withLock { current in
            defer { current = newTexts }
            return current
        }
        if oldTexts != newTexts {
            changes.append("texts of messages: \(newTexts.catalog.entries.count)")
            logger.warn(of: textCheck)
        }
        let level = Logger.Level(rawValue: wanted.log.level) ?? .info
        let before = sink.level.withLock { current in
            defer { current = level }
            return current
        }
        if before != level { changes.append("log.level: \(before.rawValue) to \(level.rawValue)") }
        logger.notice("reloaded", metadata: ["changes": .array(changes.map { .string($0) })])
        let waiting = Assembly.settingsThatWait(configuration, wanted)
        if !waiting.isEmpty {
            logger.warning(
                "some changed settings wait for a restart", metadata: ["settings": .array(waiting.map { .string($0) })])
        }
    }

    private func refuse(_ reason: String) {
        logger.error("not reloaded: everything stays as it was", metadata: ["reason": .string(reason)])
    }

    /// The paths of settings that differ and are only read at the start.
    static func settingsThatWait(_ running: Configuration, _ wanted: Configuration) -> [String] {
        var (old, new): ([String: JSONValue], [String: JSONValue]) = ([:], [:])
        flatten(.object(running.settings), "", into: &old)
        flatten(.object(wanted.settings), "", into: &new)
        var paths = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
        // Secrets are not among the printed settings.
        if running.sandbox?.clients != wanted.sandbox?.clients { paths.insert("sandbox.clients") }
        // Read on the way.
        return paths.subtracting(["log.level", "messaging.brand", "messaging.textsFile", "sandbox.usersFile"]).sorted()
    }

    /// Objects by path; what is below the clients or the operators counts as one setting.
    private static func flatten(_ value: JSONValue, _ path: String, into paths: inout [String: JSONValue]) {
        guard let object = value.object, path != "sandbox.clients", path != "mobileAuth.operators" else {
            paths[path] = value
            return
        }
        for member in object.members {
            flatten(member.value, path.isEmpty ? member.name : "\(path).\(member.name)", into: &paths)
        }
    }
}

extension Logger {
    /// A line for each text that costs more than it must.
    func warn(of check: CatalogCheck) {
        for text in check.warnings { warning("messaging.textsFile: \(text)") }
    }

    /// One line for what an operator did by a command.
    func note(_ act: ControlNote) {
        notice("\(act.what)", metadata: act.context.mapValues { .string($0) })
    }
}
