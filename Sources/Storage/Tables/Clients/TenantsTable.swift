internal import Locks
package import Engine
package import Possession
internal import Records
internal import Text

/// Table `tenants` (migrations 0002, 0017, 0024 to 0026).
package struct TenantsTable: TenantStore {
    private enum SQL {
        static let find: Statement = """
            SELECT client_id, allow_phone_change, mobile_auth, any_final_target_host, final_target_hosts,
                   display_name, message_host, locale, link_match_code, link_same_address, calling_codes,
                   mobile_auth_return_urls,
                   allowed_origins, app_hashes, secret_digest, other_secret_digest, other_secret_until_ms,
                   created_at_ms, revoked_at_ms, public_keys, statement_audiences, least_code_digits,
                   requests_per_second, budget_per_day, unanswered_per_network, unanswered_per_prefix,
                   unanswered_per_country, line_types, smart_channels, seconds_per_channel
              FROM tenants WHERE client_id = ?1
            """
        static let all: Statement = """
            SELECT client_id, allow_phone_change, mobile_auth, any_final_target_host, final_target_hosts,
                   display_name, message_host, locale, link_match_code, link_same_address, calling_codes,
                   mobile_auth_return_urls,
                   allowed_origins, app_hashes, secret_digest, other_secret_digest, other_secret_until_ms,
                   created_at_ms, revoked_at_ms, public_keys, statement_audiences, least_code_digits,
                   requests_per_second, budget_per_day, unanswered_per_network, unanswered_per_prefix,
                   unanswered_per_country, line_types, smart_channels, seconds_per_channel
              FROM tenants ORDER BY client_id
            """
        static let insert: Statement = """
            INSERT INTO tenants
              (client_id, allow_phone_change, mobile_auth, any_final_target_host, final_target_hosts,
               display_name, message_host, locale, link_match_code, link_same_address, calling_codes,
                   mobile_auth_return_urls,
               allowed_origins, app_hashes, secret_digest, other_secret_digest, other_secret_until_ms,
                   created_at_ms, revoked_at_ms, public_keys, statement_audiences, least_code_digits,
                   requests_per_second, budget_per_day, unanswered_per_network, unanswered_per_prefix,
                   unanswered_per_country, line_types, smart_channels, seconds_per_channel)
              VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
                      ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30)
            """
        static let replace: Statement = """
            INSERT INTO tenants
              (client_id, allow_phone_change, mobile_auth, any_final_target_host, final_target_hosts,
               display_name, message_host, locale, link_match_code, link_same_address, calling_codes,
                   mobile_auth_return_urls,
               allowed_origins, app_hashes, secret_digest, other_secret_digest, other_secret_until_ms,
                   created_at_ms, revoked_at_ms, public_keys, statement_audiences, least_code_digits,
                   requests_per_second, budget_per_day, unanswered_per_network, unanswered_per_prefix,
                   unanswered_per_country, line_types, smart_channels, seconds_per_channel)
              VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
                      ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30)
              ON CONFLICT (client_id) DO UPDATE SET
                allow_phone_change = excluded.allow_phone_change, mobile_auth = excluded.mobile_auth,
                any_final_target_host = excluded.any_final_target_host,
                final_target_hosts = excluded.final_target_hosts, display_name = excluded.display_name,
                message_host = excluded.message_host, locale = excluded.locale,
                link_match_code = excluded.link_match_code, link_same_address = excluded.link_same_address,
                calling_codes = excluded.calling_codes, mobile_auth_return_urls = excluded.mobile_auth_return_urls,
                allowed_origins = excluded.allowed_origins, app_hashes = excluded.app_hashes,
                secret_digest = excluded.secret_digest, other_secret_digest = excluded.other_secret_digest,
                other_secret_until_ms = excluded.other_secret_until_ms, created_at_ms = excluded.created_at_ms,
                revoked_at_ms = excluded.revoked_at_ms, public_keys = excluded.public_keys,
                statement_audiences = excluded.statement_audiences, least_code_digits = excluded.least_code_digits,
                requests_per_second = excluded.requests_per_second, budget_per_day = excluded.budget_per_day,
                unanswered_per_network = excluded.unanswered_per_network,
                unanswered_per_prefix = excluded.unanswered_per_prefix,
                unanswered_per_country = excluded.unanswered_per_country, line_types = excluded.line_types,
                smart_channels = excluded.smart_channels, seconds_per_channel = excluded.seconds_per_channel
            """
        static let count: Statement = "SELECT count(*) FROM tenants WHERE revoked_at_ms IS NULL"
        static let ids: Statement = "SELECT client_id FROM tenants"
        static let isRevoked: Statement = """
            SELECT revoked_at_ms IS NOT NULL FROM tenants WHERE client_id = ?1
            """
        static let revoke: Statement = """
            UPDATE tenants SET revoked_at_ms = coalesce(revoked_at_ms, ?2) WHERE client_id = ?1
            """
    }

    /// Whether the tenant may no longer call; read inside the transaction that depends on it.
    static func isRevoked(_ id: ClientID, _ connection: any Connection) throws(StorageFault) -> Bool {
        try connection.first(SQL.isRevoked) {
            $0.text(id.text)
        } _: { (row) throws(StorageFault) in
            try row.integer("tenants.revoked_at_ms") != 0
        } ?? false
    }

    /// Counts the tenants that may call.
    static func count(_ connection: any Connection) throws(StorageFault) -> Int {
        let count = try connection.first(SQL.count) { (row) throws(StorageFault) in try row.integer("count") }
        return Int(clamping: count ?? 0)
    }

    /// All tenants, including those that may not call.
    static func ids(_ connection: any Connection) throws(StorageFault) -> [ClientID] {
        try connection.all(SQL.ids) { (row) throws(StorageFault) in
            guard let id = ClientID(try row.text("tenants.client_id")) else { throw .corrupt("tenants.client_id") }
            return id
        }
    }

    /// Rights of a tenant; read inside the transaction that depends on them. `nil`: they cannot be read.
    static func rules(of id: ClientID, _ connection: any Connection) throws(StorageFault) -> TenantRules? {
        do throws(StorageFault) {
            return try connection.first(SQL.find) {
                $0.text(id.text)
            } _: { (row) throws(StorageFault) in
                try decode(&row).rules
            }
        } catch {
            guard case .corrupt = error else { throw error }
            return nil
        }
    }

    private let database: Database
    /// Cache of tenants, because every call of a backend needs its own. Changes are rare, and each clears the cache.
    private let known = Locked(Known())
    private struct Known {
        var tenants: [ClientID: Tenant] = [:]
        var changes = 0
    }

    /// The current limits of tenants that have their own.
    private let own: OwnLimits
    /// How often they were read, and the latest reading that is in use.
    private let readings = Locked((begun: 0, used: 0))

    package init(_ database: Database, own: OwnLimits = OwnLimits()) {
        self.database = database
        self.own = own
    }

    /// Reads all tenants and applies their own limits. Every change does this; before the first time, no tenant has its
    /// own limits.
    @discardableResult
    package func load() async throws(StorageFault) -> [Tenant] {
        let reading = readings.withLock { readings in
            readings.begun += 1
            return readings.begun
        }
        let all = try await tenants()
        // A reading that began later is newer.
        let isNewest = readings.withLock { readings in
            defer { readings.used = max(readings.used, reading) }
            return reading > readings.used
        }
        if isNewest {
            own.replace(with: Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0.rules.limits) }))
        }
        return all
    }

    package func tenant(_ id: ClientID) async throws(StorageFault) -> Tenant? {
        let (tenant, changes) = known.withLock { ($0.tenants[id], $0.changes) }
        if let tenant { return tenant }
        let found = try await database.read { (connection) throws(StorageFault) in
            try connection.first(SQL.find) {
                $0.text(id.text)
            } _: { (row) throws(StorageFault) in
                try TenantsTable.decode(&row)
            }
        }
        // A row that was read during a change may be outdated.
        if let found { known.withLock { if $0.changes == changes { $0.tenants[id] = found } } }
        return found
    }

    /// Clears the cache, once a change is durable.
    private func forget() {
        known.withLock { $0 = Known(changes: $0.changes + 1) }
    }

    /// Call when another server has changed a tenant.
    package func readAgain() async throws(StorageFault) {
        forget()
        try await load()
    }

    package func tenants() async throws(StorageFault) -> [Tenant] {
        try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.all) { (row) throws(StorageFault) in try TenantsTable.decode(&row) }
        }
    }

    package func add(_ tenant: Tenant) async throws(StorageFault) {
        try await write(tenant, SQL.insert)
    }

    package func save(_ tenant: Tenant) async throws(StorageFault) {
        try await write(tenant, SQL.replace)
    }

    package func revokeTenant(_ id: ClientID, at now: Timestamp) async throws(StorageFault) -> Bool {
        defer { forget() }
        return try await database.transaction(changing: .tenants) { (connection) throws(StorageFault) in
            try connection.run(SQL.revoke) {
                $0.text(id.text)
                $0.time(now)
            }
            return connection.changes == 1
        }
    }

    package func updateTenant(
        _ id: ClientID, _ change: @escaping @Sendable (inout Tenant) -> Void
    ) async throws(StorageFault) -> Tenant? {
        defer { forget() }
        let changed = try await database.transaction(changing: .tenants) {
            (connection) throws(StorageFault) -> Tenant? in
            let found = try connection.first(SQL.find.locking) {
                $0.text(id.text)
            } _: { (row) throws(StorageFault) in
                try TenantsTable.decode(&row)
            }
            guard var tenant = found else { return nil }
            change(&tenant)
            try TenantsTable.write(tenant, SQL.replace, connection)
            return tenant
        }
        await loadAfterChange()
        return changed
    }

    /// If the read fails, the next change reads again, and so does the server's upkeep every five seconds.
    private func loadAfterChange() async {
        do { try await load() } catch {}
    }

    private func write(_ tenant: Tenant, _ sql: Statement) async throws(StorageFault) {
        defer { forget() }
        try await database.transaction(changing: .tenants) { (connection) throws(StorageFault) in
            try TenantsTable.write(tenant, sql, connection)
        }
        await loadAfterChange()
    }

    private static func write(
        _ tenant: Tenant, _ sql: Statement, _ connection: any Connection
    ) throws(StorageFault) {
        let rules = tenant.rules
        let hosts = try TenantsTable.lines(rules.finalTargetHosts, "tenants.final_target_hosts")
        let origins = try TenantsTable.lines(rules.allowedOrigins, "tenants.allowed_origins")
        let pages = try TenantsTable.lines(rules.mobileAuthReturnURLs, "tenants.mobile_auth_return_urls")
        let codes = try TenantsTable.lines(rules.callingCodes, "tenants.calling_codes")
        let hashes = try TenantsTable.lines(rules.appHashes, "tenants.app_hashes")
        let keys = rules.publicKeys.map { Hex.text($0.x + $0.y) }.joined(separator: "\n")
        let audiences = try TenantsTable.lines(rules.statementAudiences, "tenants.statement_audiences")
        guard tenant.secretDigests.count <= 2 else { throw .corrupt("tenants.secret_digest") }
        try connection.run(sql) {
            $0.text(tenant.id.text)
            $0.flag(rules.allowPhoneChange)
            $0.flag(rules.mobileAuth)
            $0.flag(rules.anyFinalTargetHost)
            $0.text(hosts)
            $0.text(rules.displayName)
            $0.text(rules.messageHost)
            $0.text(rules.locale?.text)
            $0.flag(rules.linkMatchCode)
            $0.flag(rules.linkNeedsSameAddress)
            $0.text(codes)
            $0.text(pages)
            $0.text(origins)
            $0.text(hashes)
            $0.blob(tenant.secretDigests.first?.bytes)
            $0.blob(tenant.secretDigests.dropFirst().first?.bytes)
            $0.time(tenant.otherSecretUntil)
            $0.time(tenant.createdAt)
            $0.time(tenant.revokedAt)
            $0.text(keys)
            $0.text(audiences)
            $0.integer(rules.leastCodeDigits.map { Int64($0) })
            for limit in TenantLimits.figures { $0.integer(rules.limits[keyPath: limit.path].map { Int64($0) }) }
            $0.text(rules.limits.lineTypes.map { $0.map(\.rawValue).joined(separator: "\n") })
            $0.text(rules.smartChannels.map(\.rawValue).joined(separator: "\n"))
            $0.integer(rules.secondsPerChannel.map { Int64($0) })
        }
    }

    private static func decode(_ row: inout Row) throws(StorageFault) -> Tenant {
        let id = try row.clientID("tenants.client_id")
        var rules = TenantRules()
        rules.allowPhoneChange = try row.flag("tenants.allow_phone_change")
        rules.mobileAuth = try row.flag("tenants.mobile_auth")
        rules.anyFinalTargetHost = try row.flag("tenants.any_final_target_host")
        rules.finalTargetHosts = try entries(try row.text("tenants.final_target_hosts"))
        rules.displayName = try row.optionalText("tenants.display_name")
        rules.messageHost = try row.optionalText("tenants.message_host")
        if let locale = try row.optionalText("tenants.locale") {
            guard let tag = LanguageTag(locale) else { throw .corrupt("tenants.locale") }
            rules.locale = tag
        }
        rules.linkMatchCode = try row.flag("tenants.link_match_code")
        rules.linkNeedsSameAddress = try row.flag("tenants.link_same_address")
        rules.callingCodes = try entries(try row.text("tenants.calling_codes"))
        rules.mobileAuthReturnURLs = try entries(try row.text("tenants.mobile_auth_return_urls"))
        rules.allowedOrigins = try entries(try row.text("tenants.allowed_origins"))
        rules.appHashes = try entries(try row.text("tenants.app_hashes"))
        let digests = [
            try row.optionalBlob("tenants.secret_digest"), try row.optionalBlob("tenants.other_secret_digest"),
        ]
        let otherSecretUntil = try row.optionalTime("tenants.other_secret_until_ms")
        let createdAt = try row.time("tenants.created_at_ms")
        let revokedAt = try row.optionalTime("tenants.revoked_at_ms")
        rules.publicKeys = try keys(try row.text("tenants.public_keys"))
        rules.statementAudiences = try entries(try row.text("tenants.statement_audiences"))
        if let digits = try row.optionalInteger("tenants.least_code_digits") {
            guard let count = Int(exactly: digits), TenantRules.leastCodeDigitsBounds.contains(count) else {
                throw .corrupt("tenants.least_code_digits")
            }
            rules.leastCodeDigits = count
        }
        rules.limits = try limits(&row)
        rules.smartChannels = try entries(try row.text("tenants.smart_channels")).map { (name) throws(StorageFault) in
            guard let channel = OutgoingMessage.Channel(rawValue: name) else {
                throw .corrupt("tenants.smart_channels")
            }
            return channel
        }
        if let seconds = try row.optionalInteger("tenants.seconds_per_channel") {
            guard let count = Int(exactly: seconds), TenantRules.secondsPerChannelBounds.contains(count) else {
                throw .corrupt("tenants.seconds_per_channel")
            }
            rules.secondsPerChannel = count
        }
        return Tenant(
            id: id, rules: rules, secretDigests: digests.compactMap { $0 }.map(SecretDigest.init),
            otherSecretUntil: otherSecretUntil, createdAt: createdAt, revokedAt: revokedAt)
    }

    private static func limits(_ row: inout Row) throws(StorageFault) -> TenantLimits {
        var limits = TenantLimits()
        for figure in TenantLimits.figures {
            guard let stored = try row.optionalInteger("tenants.limits") else { continue }
            guard let value = Int(exactly: stored), figure.bounds.contains(value) else {
                throw .corrupt("tenants.limits")
            }
            limits[keyPath: figure.path] = value
        }
        if let lines = try row.optionalText("tenants.line_types") {
            limits.lineTypes = try entries(lines).map { (name) throws(StorageFault) in
                guard let kind = NumberKind(rawValue: name) else { throw .corrupt("tenants.line_types") }
                return kind
            }
        }
        return limits
    }

    // MARK: Lists, one entry per line

    private static func lines(_ entries: [String], _ name: StaticString) throws(StorageFault) -> String {
        guard entries.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(10) }) else { throw .corrupt(name) }
        return entries.joined(separator: "\n")
    }

    private static func keys(_ lines: String) throws(StorageFault) -> [PublicKey] {
        var keys: [PublicKey] = []
        for line in try entries(lines) {
            guard let bytes = Hex.bytes(line),
                let key = PublicKey(x: Array(bytes.prefix(32)), y: Array(bytes.dropFirst(32)))
            else { throw .corrupt("tenants.public_keys") }
            keys.append(key)
        }
        return keys
    }

    package static func entries(_ lines: String) throws(StorageFault) -> [String] {
        lines.split(separator: "\n").map(String.init)
    }
}
