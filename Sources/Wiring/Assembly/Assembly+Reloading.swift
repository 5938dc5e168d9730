internal import Administration
internal import Clocks
internal import PhoneNumbers
internal import Sandbox
internal import Locks
internal import Logging
internal import Observation
internal import Outbound
internal import Engine
internal import Possession
internal import StrictJSON

extension Assembly {
    /// Applies what may change while the server runs: the users file, the numbering plan, the gateways and routes, the
    /// texts of messages, the log level (contract section 9), and the certificate with its key.
    ///
    /// If the configuration or a file is wrong, nothing changes. The log shows the changes, the errors, and the
    /// settings that need a restart.
    package func reload(_ read: @Sendable () throws(ConfigurationFault) -> Configuration) {
        let wanted: Configuration
        let users: SandboxUsersFile?
        let newTexts: MessageTexts
        let newPlan: PlanInUse.Change?
        let textCheck: CatalogCheck
        do throws(ConfigurationFault) { wanted = try read() } catch {
            return refuse(error.description)
        }
        do throws(StartFault) {
            users = try wanted.sandbox.map { (sandbox) throws(StartFault) in
                try SandboxUsersFile.load(sandbox.usersFile)
            }
            (newTexts, textCheck) = try wanted.messageTexts()
            newPlan = try planChange(to: wanted.plan())
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
        if let newPlan { changes.append(take(newPlan)) }
        let oldTexts = texts.withLock { current in
            defer { current = newTexts }
            return current
        }
        if oldTexts != newTexts {
            changes.append("texts of messages: \(newTexts.catalog.entries.count)")
            logger.warn(of: textCheck)
        }
        changes += takeLimits(of: wanted)
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

    /// - Returns: `nil`: the plan is already in use.
    private func planChange(to plan: PlanFile) throws(StartFault) -> PlanInUse.Change? {
        guard plan != numberingPlan.file else { return nil }
        return try .made(of: plan)
    }

    /// - Returns: a description of the change for the log.
    private func take(_ change: PlanInUse.Change) -> String {
        let before = numberingPlan.take(change)
        logger.note(change.file, at: SystemClock.now())
        return "\(before.line) to \(change.file.version) of \(change.file.released)"
    }

    private func refuse(_ reason: String) {
        logger.error("not reloaded: everything stays as it was", metadata: ["reason": .string(reason)])
    }

    /// Applies changed limits on sessions and on cost.
    /// - Returns: the changed limits with their values.
    private func takeLimits(of wanted: Configuration) -> [String] {
        // Another mode has other limits, which need a restart.
        guard wanted.mode == configuration.mode else { return [] }
        let before = takenLimits.withLock { taken in
            defer { taken = wanted }
            return taken
        }
        let limits = store.limits.limits.reloaded(from: wanted)
        store.limits.replace(with: limits)
        engine.take(limits)
        return Assembly.changes(from: before, to: wanted) { $0 == .inSameMode }
            .map { "\($0.path): \(Assembly.text($0.old)) to \(Assembly.text($0.new))" }
    }

    private static func text(_ value: JSONValue?) -> String {
        value.map { String(decoding: $0.serialized(), as: UTF8.self) } ?? "none"
    }

    /// The paths of changed settings that are read only at the start.
    static func settingsThatWait(_ running: Configuration, _ wanted: Configuration) -> [String] {
        let changes = changes(from: running, to: wanted) { reload in
            switch reload {
            case .atRestart: true
            case .inSameMode: running.mode != wanted.mode
            case .always: false
            }
        }
        // The printed settings contain no secrets, so clients are compared directly.
        let clients = running.sandbox?.clients != wanted.sandbox?.clients ? ["sandbox.clients"] : []
        return Set(changes.map(\.path) + clients).sorted()
    }

    /// Settings with another value, sorted by path.
    private static func changes(
        from running: Configuration, to wanted: Configuration, of reloads: (Setting.Reload) -> Bool
    ) -> [(path: String, old: JSONValue?, new: JSONValue?)] {
        let settings = Setting.all.filter { reloads($0.reload) }
        let (old, new) = (values(of: settings, in: running), values(of: settings, in: wanted))
        return Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted().map { ($0, old[$0], new[$0]) }
    }

    /// Printed values by path. Everything below the clients or the operators counts as one setting.
    private static func values(of settings: [Setting], in configuration: Configuration) -> [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        func add(_ value: JSONValue, at path: String) {
            guard let object = value.object, path != "sandbox.clients", path != "mobileAuth.operators" else {
                values[path] = value
                return
            }
            for member in object.members { add(member.value, at: "\(path).\(member.name)") }
        }
        for setting in settings {
            if let value = setting.printed(configuration) { add(value, at: setting.key.path) }
        }
        return values
    }
}

extension Logger {
    /// Logs a warning for each text that costs more than necessary.
    func warn(of check: CatalogCheck) {
        for text in check.warnings { warning("messaging.textsFile: \(text)") }
    }

    /// Logs the numbering plan in use, and warns if it is old.
    func note(_ plan: PlanFile, at now: Timestamp) {
        info("numbering plan", metadata: ["version": "\(plan.version)", "released": "\(plan.released)"])
        if let text = plan.warning(at: now) { warning("\(text)") }
    }

    /// Logs an operator's act in one line.
    func note(_ act: OperatorAct) {
        notice("\(act.what)", metadata: act.context.mapValues { .string($0) })
    }
}
