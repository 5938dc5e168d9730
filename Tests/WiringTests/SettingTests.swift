import Possession
import StrictJSON
import Testing
import Text

@testable import Wiring

/// The table of settings: each entry is read into a member of its own, printed from there, and documented.
@Suite struct SettingTests {
    private static let operators: JSONObject = [
        "a": .object([
            "authorizeUrl": "https://a.example/authorize", "tokenUrl": "https://a.example/token",
            "apiUrl": "https://a.example/api", "clientId": "us", "networks": .array(["198.51.100.0/24"]),
        ])
    ]
    private static let reputationOperators: JSONObject = [
        "b": .object([
            "tokenUrl": "https://b.example/token", "clientId": "us", "prefixes": .array(["+49"]),
            "simSwapUrl": "https://b.example/sim-swap/v2", "tokenWay": "jwt-bearer", "simSwapCall": "retrieve-date",
        ])
    ]

    /// Values of settings that are no integers, flags or choices. None is a default, and no two are equal.
    private static let samples: [String: JSONValue] = [
        "server.host": "127.0.0.1,::1", "server.publicUrl": "https://a.example",
        "server.hostNames": "b.example,c.example",
        "server.operationsHost": "127.0.0.2", "server.trustedProxies": "10.0.0.0/8",
        "server.tlsCertificateFile": "/certificate", "server.tlsKeyFile": "/key",
        "server.tlsClientCaFile": "/authorities",
        "server.defaultRegion": "DE", "numbers.planFile": "/plan", "data.directory": "/data",
        "data.migrations": "/migrations", "database.url": "postgresql://a@b/c", "database.passwordFile": "/password",
        "database.caFile": "/database-authorities", "database.ownerUrl": "postgresql://d@b/c",
        "database.ownerPasswordFile": "/other", "keys.masterKeyFile": "/master",
        "link.publicUrl": "https://link.example",
        "messaging.textsFile": "/texts", "messaging.brand": "Shop", "messaging.routesFile": "/routes",
        "messaging.presets": "/presets", "messaging.channels": "voice,sms",
        "webhooks.allowedNetworks": "192.168.0.0/16",
        "webhooks.ports": "1,2", "webhooks.proxyUrl": "http://egress:4750", "mobileAuth.operators": .object(operators),
        "app.clientId": "shop", "app.allowedOrigins": "https://d.example",
        "app.finalTargetUrl": "https://e.example/end",
        "identity.url": "https://people.example/", "identity.lookupUrl": "https://look.example/",
        "identity.keys": .array(["birthDate+email:address", "phone:number"]), "identity.secretFile": "/people",
        "reputation.url": "https://standing.example/", "reputation.secretFile": "/standing",
        "reputation.operators": .object(reputationOperators),
        "guard.prices": .object(["DE": .integer(3), "default": .integer(2)]),
        "limits.knownNetworks": "192.0.2.0/24", "limits.lineTypes": .array(["mobile", "voip"]),
        "sandbox.usersFile": "/users",
        "sandbox.clients": .object(["shop": .object(["secret": "long enough"])]),
    ]

    /// A value of a setting that is not its default.
    private static func sample(_ key: ConfigurationKey, _ place: Int) throws -> JSONValue {
        switch key.form {
        case .text, .path, .list, .object: return try #require(samples[key.path], "no sample for \(key.path)")
        case .flag: return .bool(!key.standard.hasPrefix("true"))
        case .choice(let names): return .string(try #require(names.last { $0 != key.standard }))
        case .integer(let range):
            let steps = range.count > 1_000 ? place : 0
            let value = range.upperBound - steps
            return .integer(Int64(key.standard == "\(value)" ? range.lowerBound : value))
        }
    }

    /// A file with a sample of each setting.
    private static func file(mode: String, without left: [String]) throws -> [String: JSONValue] {
        var values: [String: JSONValue] = ["mode": .string(mode)]
        for (place, setting) in Setting.all.enumerated() where setting.key.path != "mode" {
            let path = setting.key.path
            guard !left.contains(where: { path == $0 || path.hasPrefix($0 + ".") }) else { continue }
            values[path] = try sample(setting.key, place)
        }
        return values
    }

    private static func read(_ values: [String: JSONValue]) throws -> Configuration {
        var file = JSONObject()
        for (path, value) in values.sorted(by: { $0.key < $1.key }) {
            let names = path.split(separator: ".").map(String.init)
            if names.count == 1 {
                file[path] = value
            } else {
                var section = file[names[0]]?.object ?? JSONObject()
                section[names[1]] = value
                file.set(names[0], section)
            }
        }
        return try Configuration(ConfigurationSources(file: (path: "/file", text: JSONValue.object(file).serialized())))
    }

    @Test(arguments: [
        ("live", ["sandbox", "limits.enforceInSandbox", "reputation.operators"]),
        ("live", ["sandbox", "limits.enforceInSandbox", "reputation.url", "reputation.secretFile"]),
        (
            "sandbox",
            [
                "reputation.url", "reputation.secretFile", "reputation.operators", "mobileAuth.operators",
                "messaging.routesFile",
            ]
        ),
    ])
    func `reads each setting into a member of its own, and prints it from there`(mode: String, without left: [String])
        throws
    {
        let values = try Self.file(mode: mode, without: left)
        let configuration = try Self.read(values)
        for setting in Setting.all {
            let path = setting.key.path
            // Sandbox clients are printed with their rules, and without secrets.
            guard let value = values[path], path != "sandbox.clients" else { continue }
            #expect(setting.printed(configuration) == value, "\(path)")
        }
        #expect(configuration.sandbox?.clients.map(\.id) == (mode == "live" ? nil : ["shop"]))
    }

    @Test func `has each key once`() {
        let paths = Setting.all.map(\.key.path)
        #expect(Set(paths).count == paths.count)
        #expect(paths.allSatisfy { $0 == "mode" || $0.split(separator: ".").count == 2 })
    }

    @Test func `reads and prints every setting once, whatever the order`() {
        let paths = Setting.all.map(\.key.path).sorted()
        #expect(Setting.inReadingOrder.map(\.key.path).sorted() == paths)
        #expect(Setting.inReportOrder.map(\.key.path).sorted() == paths)
        #expect(Set(SettingRules.bySetting.keys).isSubset(of: paths))
    }

    @Test(arguments: [
        ("server.port", "8080"), ("server.host", "localhost"), ("server.loops", "0"), ("webhooks.ports", "443, 8443"),
        ("log.requests", "true"), ("log.format", "text on a terminal, else json"), ("app.allowedOrigins", "none"),
        ("otp.codeLength", "4 in sandbox, 6 in live"), ("server.drainSeconds", "5 in live, 8 in sandbox"),
        ("messaging.channels", "sms"), ("guard.mode", "block"), ("mobileAuth.operators", "none"),
        ("keys.masterKeyFile", "<data.directory>/master.key"),
    ])
    func `has words for a default`(key: ConfigurationKey, words: String) {
        #expect(key.standard == words)
    }

    /// A path of no setting stops the program, where a rule has it.
    @Test func `rules name settings that are there`() throws {
        let path = ServerFixture.repository + "/Sources/Wiring/Configuration/Settings/SettingRules.swift"
        let text = String(decoding: try #require(SmallFile.read(path)), as: UTF8.self)
        let named = text.matches(of: #/"([a-z][A-Za-z]*\.[a-z][A-Za-z]*)"/#).map { String($0.1) }
        #expect(named.count > 40)
        #expect(Set(named).subtracting(Setting.all.map(\.key.path)) == [])
    }

    /// A row is "- `key` (default): what it is for".
    @Test func `the pages of the configuration have a row for each setting, and no other`() throws {
        var rows: [String: (standard: Substring, summary: Substring)] = [:]
        for name in ["server", "messages", "services", "limits", "sandbox"] {
            let path = ServerFixture.repository + "/docs/configuration/\(name).md"
            let page = String(decoding: try #require(SmallFile.read(path)), as: UTF8.self)
            for match in page.matches(of: #/(?m)^- `([a-zA-Z.]+)` \((.*?)\): (.*)$/#) {
                #expect(
                    rows.updateValue((match.2, match.3), forKey: String(match.1)) == nil, "\(match.1) is there twice")
            }
        }
        #expect(Set(rows.keys) == Set(Setting.all.map(\.key.path)))
        for key in ConfigurationKey.all {
            #expect(rows[key.path]?.standard.filter { $0 != "`" } == key.standard, "\(key.path)")
        }
    }

    @Test func `knows which settings a reload takes over`() {
        func paths(_ reload: Setting.Reload) -> [String] { Setting.all.filter { $0.reload == reload }.map(\.key.path) }
        #expect(
            paths(.always) == [
                "numbers.planFile", "messaging.textsFile", "messaging.brand", "messaging.lookalikes",
                "sandbox.usersFile",
                "log.level",
            ])
        let inSameMode = paths(.inSameMode)
        #expect(
            inSameMode.prefix(4) == [
                "otp.codeLength", "otp.lifetimeSeconds", "link.lifetimeSeconds", "limits.sendsPerSession",
            ])
        #expect(
            inSameMode.count == 28 && inSameMode.contains("limits.failuresInARow")
                && inSameMode.contains("guard.prices"))
        #expect(!inSameMode.contains("limits.requestsPerSecond") && !inSameMode.contains("limits.retentionSeconds"))
    }

    @Test func `sets and prints the value that a source has, else the default`() {
        let port = Setting("server.port", \.server.port, .integer(0...65_535), default: .value(8080), "port")
        var configuration = Configuration()
        var reader = Self.reader()
        port.read(&configuration, &reader)
        #expect(configuration.server.port == 8080 && port.printed(configuration) == 8080)
        reader = Self.reader(["HOLDFAST_SERVER_PORT": "9"])
        port.read(&configuration, &reader)
        #expect(configuration.server.port == 9 && port.printed(configuration) == 9)
        reader = Self.reader(["HOLDFAST_SERVER_PORT": "x"])
        port.read(&configuration, &reader)
        #expect(reader.mistakes == ["HOLDFAST_SERVER_PORT: must be an integer from 0 to 65535"])
    }

    @Test func `sets and prints a member of a part only while the part is there`() {
        let key = Setting("server.tlsKeyFile", in: \.server.tls, \.keyFile, .path, default: .value("", "none"), "key")
        var configuration = Configuration()
        var reader = Self.reader(["HOLDFAST_SERVER_TLS_KEY_FILE": "/key"])
        key.read(&configuration, &reader)
        #expect(configuration.server.tls == nil && key.printed(configuration) == nil)
        configuration.server.tls = Configuration.Server.TLS()
        key.read(&configuration, &reader)
        #expect(configuration.server.tls?.keyFile == "/key" && key.printed(configuration) == "/key")
    }

    @Test func `has a default by mode, in the order of its words`() {
        let live = Setting(
            "otp.codeLength", \.otp.length, .integer(4...6), default: .byMode(live: 6, sandbox: 4), "digits")
        let sandbox = Setting(
            "otp.codeLength", \.otp.length, .integer(4...6), default: .byMode(sandbox: 4, live: 6), "")
        #expect(live.key.standard == "6 in live, 4 in sandbox" && sandbox.key.standard == "4 in sandbox, 6 in live")
        var configuration = Configuration()
        var reader = Self.reader()
        for (mode, length) in [(Configuration.Mode.sandbox, 4), (.live, 6)] {
            configuration.mode = mode
            live.read(&configuration, &reader)
            #expect(configuration.otp.length == length)
        }
    }

    @Test func `counts a budget of the file in units`() {
        let budget = Setting(
            "guard.budgetPerDay", \.spend.perDay, .integer(0...200_000, times: SpendGuard.unit), default: .value(0),
            "cost")
        var configuration = Configuration()
        var reader = Self.reader(["HOLDFAST_GUARD_BUDGET_PER_DAY": "3"])
        budget.read(&configuration, &reader)
        #expect(configuration.spend.perDay == 3 * SpendGuard.unit && budget.printed(configuration) == 3)
    }

    private static func reader(_ environment: [String: String] = [:]) -> ConfigurationReader {
        ConfigurationReader(ConfigurationSources(environment: environment))
    }
}
