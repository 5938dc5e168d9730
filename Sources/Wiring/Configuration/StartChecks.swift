internal import Administration
internal import Clocks
internal import Sandbox
internal import Glibc
internal import Outbound
internal import PhoneNumbers
internal import Possession
internal import SQLiteStorage
internal import Tokens

/// Checks everything outside the configuration that it names: files, directories, the API client of the app surface.
///
/// `check-config` and `serve` share this list of checks (OPS-07). The checks change nothing and do not disturb a
/// running server.
struct StartChecks {
    /// Mistakes that prevent a start.
    private(set) var mistakes: [String] = []
    /// Warnings: the server starts, but some calls fail until the operator acts.
    private(set) var warnings: [String] = []
    /// The texts of messages, each with its language, alphabet and parts.
    private(set) var texts: [String] = []
    /// Things to set up at the providers of gateways.
    private(set) var notes: [String] = []
    /// The plan for reading numbers; `nil`: it has a mistake.
    private(set) var plan: PlanFile?

    init(_ configuration: Configuration) {
        checkRegion(configuration)
        checkPlan(configuration)
        checkUsers(configuration)
        checkMigrations(configuration)
        checkTexts(configuration)
        checkServiceSecrets(configuration)
        checkMessaging(configuration)
        checkTLS(configuration)
        checkDatabase(configuration)
        let isDirectoryUsable = checkDataDirectory(configuration)
        checkMasterKey(configuration, isDirectoryUsable: isDirectoryUsable)
        checkAppClient(configuration)
    }

    // MARK: One setting each

    private mutating func checkRegion(_ configuration: Configuration) {
        do { _ = try NumberingPlan(defaultRegion: configuration.server.defaultRegion) } catch {
            mistakes.append("server.defaultRegion: there is no such region")
        }
    }

    private mutating func checkPlan(_ configuration: Configuration) {
        do throws(StartFault) { plan = try configuration.plan() } catch { mistakes.append(error.reason) }
    }

    private mutating func checkUsers(_ configuration: Configuration) {
        guard let path = configuration.sandbox?.usersFile else { return }
        do throws(StartFault) { _ = try SandboxUsersFile.load(path) } catch { mistakes.append(error.reason) }
    }

    private mutating func checkTexts(_ configuration: Configuration) {
        do throws(StartFault) {
            let (read, _) = try configuration.messageTexts()
            let check = configuration.fullCheck(of: read.catalog)
            texts = check.lines.map(\.description)
            warnings += check.warnings.map { "messaging.textsFile: \($0)" }
            warnings += check.mistakes.map {
                "messaging.textsFile: with the displayName or messageHost of an API client, \($0)"
            }
        } catch {
            mistakes.append(error.reason)
        }
    }

    private mutating func checkMigrations(_ configuration: Configuration) {
        let folder =
            configuration.database == nil ? configuration.data.migrations : configuration.postgresMigrations
        do { try MigrationPlan.checkFolder(folder) } catch {
            mistakes.append("data.migrations: \(error.description)")
        }
    }

    /// Does not connect: `database check` does.
    private mutating func checkDatabase(_ configuration: Configuration) {
        guard let database = configuration.database else { return }
        let files = [
            ("database.passwordFile", database.passwordFile),
            ("database.ownerPasswordFile", database.ownerPasswordFile),
        ]
        for case (let key, let path?) in files {
            do { _ = try SharedSecret.foreign(path) } catch { mistakes.append("\(key): \(error.reason)") }
        }
        if let path = database.authoritiesFile, SmallFile.read(path) == nil {
            mistakes.append("database.caFile: \(path): \(String(cString: strerror(errno)))")
        }
        if database.allowsNoStandby, configuration.mode == .live {
            warnings.append(
                "database.allowNoStandby: the loss of the database's disk loses changes that were acknowledged")
        }
    }

    private mutating func checkServiceSecrets(_ configuration: Configuration) {
        checkSecret(
            "identity", configuration.identity.url ?? configuration.identity.lookupURL,
            configuration.identity.secretFile)
        checkSecret("reputation", configuration.reputation.url, configuration.reputation.secretFile)
    }

    /// Checks the secret of an operator's own service.
    private mutating func checkSecret(_ service: String, _ url: String?, _ path: String?) {
        guard url != nil, let path else { return }
        do { _ = try SharedSecret.load(path) } catch { mistakes.append("\(service).secretFile: \(error.reason)") }
    }

    private mutating func checkMessaging(_ configuration: Configuration) {
        guard let path = configuration.messaging.routesFile else {
            if configuration.mode == .live {
                warnings.append("messaging.routesFile: is not set, so no code and no link can be sent")
            }
            return
        }
        do throws(StartFault) {
            let file = try MessagingFile.load(path, presets: configuration.messaging.presets)
            for channel in configuration.messaging.channels
            where !file.routes.contains(where: { $0.channels.contains(channel) }) {
                mistakes.append("messaging.channels: no route of messaging.routesFile takes \(channel.rawValue)")
            }
            let database = DataDirectory.databasePath(in: configuration.data.directory)
            let unreached = file.warnings(of: DatabaseLook.openCountries(in: database))
            warnings += (file.warnings + unreached).map { "messaging.routesFile: \($0)" }
            notes = file.notes
        } catch { mistakes.append(error.reason) }
    }

    private mutating func checkTLS(_ configuration: Configuration) {
        let (defect, warning) = PublicTLS.inspect(
            configuration.server, now: SystemClock.now().milliseconds / 1000)
        if let defect { mistakes.append(defect) }
        if let warning { warnings.append(warning) }
    }

    /// Whether the directory exists or can be made.
    private mutating func checkDataDirectory(_ configuration: Configuration) -> Bool {
        let path = configuration.data.directory
        if let defect = DataDirectory.defect(of: path) {
            mistakes.append("data.directory: \(defect.description)")
            return false
        }
        do throws(StartFault) { try ModeMark.compare(configuration.mode, in: path) } catch {
            mistakes.append("data.directory: \(error.reason)")
        }
        return true
    }

    private mutating func checkMasterKey(_ configuration: Configuration, isDirectoryUsable: Bool) {
        let path = configuration.keys.masterKeyFile
        let isInDirectory = Self.directory(of: path).utf8.elementsEqual((configuration.data.directory + "/").utf8)
        if Self.exists(path) {
            do { _ = try MasterKey.load(path) } catch { mistakes.append("keys.masterKeyFile: \(error.reason)") }
        } else if Self.exists(DataDirectory.databasePath(in: configuration.data.directory)) {
            mistakes.append(
                "keys.masterKeyFile: \(path) is missing, and the database needs it: restore it from a backup")
        } else if !isInDirectory, access(Self.directory(of: path), W_OK | X_OK) != 0 {
            let reason = String(cString: strerror(errno))
            mistakes.append("keys.masterKeyFile: \(path) cannot be made: \(reason)")
        }
    }

    /// In a sandbox the file defines the API clients, so an unknown client is a typing error. On a live server, clients
    /// are added separately, also while the server runs: a missing or revoked one must not keep the server from
    /// starting for all others.
    private mutating func checkAppClient(_ configuration: Configuration) {
        // The clients of a PostgreSQL are not looked up here: the server warns when it runs.
        guard let id = configuration.app.clientID, configuration.database == nil else { return }
        if let sandbox = configuration.sandbox, sandbox.clients.contains(where: { ClientID($0.id) == id }) { return }
        let path = DataDirectory.databasePath(in: configuration.data.directory)
        guard let state = DatabaseLook.client(id, in: path), state != .active else { return }
        let text = "app.clientId: \(AppClientFault(id, isRevoked: state == .revoked).description)"
        if state == .unknown && configuration.mode == .sandbox { mistakes.append(text) } else { warnings.append(text) }
    }

    // MARK: Paths

    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// The directory with a slash at the end; `./` for a name without a directory.
    private static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
    }
}

/// The API client of `app.clientId` cannot be used. The text names the remedy.
struct AppClientFault: CustomStringConvertible {
    let description: String

    init(_ id: ClientID, isRevoked: Bool) {
        let state = isRevoked ? "the API client \(id.text) is revoked" : "there is no API client \(id.text)"
        let remedy =
            isRevoked
            ? "add another one with `holdfast clients add` and name it"
            : "add it with `holdfast clients add \(id.text)`"
        description = "\(state), so /initialize, /verify and /finish fail: \(remedy)"
    }
}
