import Possession
import Testing
import Text

@testable import Wiring

@Suite struct ConfigurationTests {
    static let smallest = #"{"mode":"sandbox","data":{"directory":"d"}}"#

    static func read(
        _ text: String, path: String = "/etc/holdfast/test.json", flags: [String: String] = [:],
        environment: [String: String] = [:]
    ) throws -> Configuration {
        try Configuration(
            ConfigurationSources(flags: flags, environment: environment, file: (path: path, text: Array(text.utf8))))
    }

    static func mistakes(_ text: String, environment: [String: String] = [:]) -> [String] {
        do {
            _ = try read(text, environment: environment)
            return []
        } catch {
            return (error as? ConfigurationError)?.mistakes ?? ["another error"]
        }
    }

    @Test func `fills in the defaults of sandbox mode`() throws {
        let configuration = try Self.read(Self.smallest)
        #expect(configuration.mode == .sandbox)
        #expect(configuration.server.hosts == ["localhost"])
        #expect(configuration.server.port == 8080)
        #expect(configuration.server.publicURL == nil)
        #expect(configuration.otp == Configuration.Codes(length: 4, lifetimeSeconds: 120))
        #expect(configuration.data.directory == "/etc/holdfast/d")
        #expect(configuration.data.changesPerCommit == 512)
        #expect(configuration.keys.masterKeyFile == "/etc/holdfast/d/master.key")
        #expect(configuration.sandbox?.unknownNumbers == .refuse)
        #expect(configuration.sandbox?.usersFile == "builtin:config/sandbox-users.json")
    }

    @Test(arguments: [(0, false), (1, true), (4096, true), (4097, false)])
    func `takes a number of changes a commit from 1 on`(count: Int, isTaken: Bool) throws {
        let environment = ["HOLDFAST_DATA_CHANGES_PER_COMMIT": String(count)]
        #expect(Self.mistakes(Self.smallest, environment: environment).isEmpty == isTaken)
        guard isTaken else { return }
        #expect(try Self.read(Self.smallest, environment: environment).data.changesPerCommit == count)
    }

    @Test func `fills in the defaults of live mode`() throws {
        let text = #"{"mode":"live","data":{"directory":"/d"},"server":{"publicUrl":"HTTPS://Verify.Example.com/"}}"#
        let configuration = try Self.read(text)
        #expect(configuration.sandbox == nil)
        #expect(configuration.otp.length == 6)
        #expect(configuration.server.publicURL == "https://verify.example.com")
        #expect(configuration.server.maxConnectionsPerAddress == 200)
        #expect(configuration.server.maxStreams == 6000)
        #expect(configuration.server.maxStreamsPerAddress == 100)
        #expect(configuration.server.operations == Configuration.Server.Operations(host: "127.0.0.1", port: 8081))
        #expect(!configuration.server.publicMetrics)
        #expect(!configuration.server.publicDocs)
        #expect(configuration.limits.requestsPerSecond == 25)
        #expect(configuration.limits.auditedCallsPerMinute == 10)
        #expect(configuration.limits.callsPerAddressPerSecond == 50)
        #expect(configuration.limits.overSessions.secondsBetweenSends == 30)
    }

    @Test(arguments: [("sandbox", nil, 0), ("sandbox", 7, 7), ("live", nil, 25), ("live", 0, 0), ("live", 400, 400)])
    func `limits the calls of an API client in live, unless it is told otherwise`(
        mode: String, rate: Int?, expected: Int
    ) throws {
        let limits = rate.map { #"{"requestsPerSecond":\#($0)}"# } ?? "{}"
        let text =
            #"{"mode":"\#(mode)","data":{"directory":"/d"},"server":{"publicUrl":"https://a.example"},"limits":\#(limits)}"#
        #expect(try Self.read(text).limits.requestsPerSecond == expected)
    }

    @Test func `leaves no time between the messages of a sandbox, and demands one in live`() throws {
        #expect(try Self.read(Self.smallest).limits.overSessions.secondsBetweenSends == 0)
        let live = #"{"mode":"live","data":{"directory":"/d"},"server":{"publicUrl":"https://a.example"},"limits":"#
        #expect(try Self.read(live + #"{"secondsBetweenSends":1}}"#).limits.overSessions.secondsBetweenSends == 1)
        #expect(
            Self.mistakes(live + #"{"secondsBetweenSends":0}}"#) == [
                "limits.secondsBetweenSends: must be at least 1 in live: one message at a time goes to a number"
            ])
    }

    @Test(arguments: ["sandbox", "live"]) func `ends within the ten seconds of a container engine`(mode: String) throws
    {
        let server = try Self.read(
            #"{"mode":"\#(mode)","data":{"directory":"/d"},"server":{"publicUrl":"https://a.example"}}"#
        ).server
        #expect(server.drainNoticeSeconds + server.drainSeconds == 9)
    }

    @Test func `has an operations listener in sandbox where one is set`() throws {
        #expect(try Self.read(Self.smallest).server.operations == nil)
        let port = try Self.read(Self.smallest, environment: ["HOLDFAST_SERVER_OPERATIONS_PORT": "0"]).server
        #expect(port.operations == Configuration.Server.Operations(host: "127.0.0.1", port: 0))
        #expect(!port.publicMetrics)
        #expect(port.publicDocs)
        let mistakes = Self.mistakes(Self.smallest, environment: ["HOLDFAST_SERVER_OPERATIONS_PORT": "8080"])
        #expect(mistakes == ["server.operationsPort: must differ from server.port"])
        #expect(
            Self.mistakes(Self.smallest, environment: ["HOLDFAST_SERVER_OPERATIONS_HOST": "ops.example"])
                == ["server.operationsHost: must be an IP address"])
    }

    /// D6 of live findings: nobody said what a day may cost.
    @Test func `says in live what messages may cost without a budget`() throws {
        let live =
            #""mode":"live","data":{"directory":"/d"},"server":{"publicUrl":"https://a.example","host":"127.0.0.1"}"#
        let warnings = try Self.read("{\(live)}").warnings
        #expect(warnings.count == 1 && warnings[0].contains("may cost 350 at once and 50 a day"))
        let priced = try Self.read(#"{\#(live),"guard":{"prices":{"US":0.01,"default":0.1}}}"#).warnings
        #expect(priced[0].contains("(35 and 5 by guard.prices)"))
        #expect(try Self.read(Self.smallest).warnings.isEmpty)
    }

    /// D9: everybody could say which address it has.
    @Test(arguments: [
        "0.0.0.0/0", "::/0", "10.0.0.0/8,0.0.0.0/0", "0.0.0.0/1,128.0.0.0/1", "2000::/3", "::/1,8000::/1",
    ])
    func `trusts not every address as a proxy`(list: String) {
        let mistakes = Self.mistakes(Self.smallest, environment: ["HOLDFAST_SERVER_TRUSTED_PROXIES": list])
        #expect(mistakes.count == 1 && mistakes[0].hasPrefix("server.trustedProxies: the entry '"))
    }

    @Test(arguments: [
        (#"{"host":"0.0.0.0"}"#, ["server.host"]), (#"{"host":"0.0.0.0","trustedProxies":"10.0.0.0/8"}"#, []),
        (#"{"host":"127.0.0.1"}"#, []), (#"{"operationsHost":"0.0.0.0"}"#, ["server.operationsHost"]),
        (#"{"drainSeconds":10}"#, ["server.drainNoticeSeconds"]),
    ])
    func `warns of what is probably not meant in live`(server: String, settings: [String]) throws {
        let members = #""publicUrl":"https://a.example",\#(server.dropFirst())"#
        let text = #"{"mode":"live","data":{"directory":"/d"},"guard":{"budgetPerDay":1},"server":{\#(members)}"#
        let warnings = try Self.read(text).warnings
        #expect(warnings.map { $0.prefix { $0 != ":" && $0 != " " } } == settings.map { $0[...] })
    }

    @Test(arguments: [
        (#""::1,127.0.0.1""#, #""10.0.0.0/8, fd00::/8""#), (#""::1 127.0.0.1""#, #"["10.0.0.0/8","fd00::/8"]"#),
        (#"["::1","127.0.0.1"]"#, #""10.0.0.0/8 fd00::/8""#),
    ])
    func `reads lists of addresses as arrays and as text`(hosts: String, proxies: String) throws {
        let text =
            #"{"mode":"sandbox","data":{"directory":"d"},"server":{"host":\#(hosts),"trustedProxies":\#(proxies)}}"#
        let server = try Self.read(text).server
        #expect(server.hosts == ["::1", "127.0.0.1"])
        #expect(server.trustedProxies.text == "10.0.0.0/8,fd00::/8")
    }

    @Test(arguments: [
        (
            #"{"host":["127.0.0.1","example.com"]}"#,
            "server.host: the entry 'example.com' must be localhost or an IP address"
        ),
        (#"{"host":" , "}"#, "server.host: must name localhost or IP addresses"),
        (
            #"{"trustedProxies":["10.0.0.0/8","proxy"]}"#,
            "server.trustedProxies: the entry 'proxy' is neither an IP address nor a range such as 10.0.0.0/8 or fd00::/8"
        ),
    ])
    func `names the entry of a list that is wrong`(server: String, mistake: String) {
        let text = #"{"mode":"sandbox","data":{"directory":"d"},"server":\#(server)}"#
        #expect(Self.mistakes(text) == [mistake])
    }

    @Test func `puts flags over the environment over the file`() throws {
        let text = #"{"mode":"sandbox","data":{"directory":"/f"},"server":{"port":1,"host":"127.0.0.1","loops":1}}"#
        let configuration = try Self.read(
            text, flags: ["server.port": "3", "data.directory": "there"],
            environment: ["HOLDFAST_SERVER_PORT": "2", "HOLDFAST_SERVER_LOOPS": "2", "PATH": "/bin"])
        #expect(configuration.server.port == 3)
        #expect(configuration.server.loops == 2)
        #expect(configuration.server.hosts == ["127.0.0.1"])
        #expect(configuration.data.directory == "there")
    }

    @Test(
        arguments: [
            ("true", true), ("Yes", true), ("1", true), ("FALSE", false), ("no", false), ("0", false), ("on", nil),
            ("", nil),
        ] as [(String, Bool?)])
    func `takes a flag of the environment in each of its spellings`(words: String, expected: Bool?) {
        let environment = ["HOLDFAST_LOG_REQUESTS": words]
        #expect((try? Self.read(Self.smallest, environment: environment))?.log.requests == expected)
        let mistakes = expected == nil ? ["HOLDFAST_LOG_REQUESTS: must be true or false"] : []
        #expect(Self.mistakes(Self.smallest, environment: environment) == mistakes)
    }

    @Test func `needs no file`() throws {
        let configuration = try Configuration(
            ConfigurationSources(
                environment: [
                    "HOLDFAST_MODE": "sandbox", "HOLDFAST_DATA_DIRECTORY": "d", "HOLDFAST_LOG_REQUESTS": "false",
                ]))
        #expect(!configuration.log.requests)
        #expect(configuration.sandbox?.usersFile == "builtin:config/sandbox-users.json")
    }

    @Test(arguments: [
        (#""leastCodeDigits":3"#, "leastCodeDigits: must be a number of digits, 4 to 6"),
        (#""leastCodeDigits":7"#, "leastCodeDigits: must be a number of digits, 4 to 6"),
        (#""leastCodeDigits":"4""#, "leastCodeDigits: must be a number of digits, 4 to 6"),
        (#""requestsPerSecond":-1"#, "requestsPerSecond: must be a number of requests a second, 0 to 1000000"),
        (#""unansweredPerPrefix":100001"#, "unansweredPerPrefix: must be a number of messages, 0 to 100000"),
        (
            #""smartChannels":["sms","sms"]"#,
            "smartChannels: must be a list of channels, each once: sms, voice, whatsapp, viber"
        ),
        (
            #""smartChannels":["email"]"#,
            "smartChannels: must be a list of channels, each once: sms, voice, whatsapp, viber"
        ),
        (#""secondsPerChannel":4"#, "secondsPerChannel: must be a number of seconds, 5 to 600"),
        (
            #""lineTypes":["pager"]"#,
            "lineTypes: must be a list of lines: fixedLine, mobile, fixedLineOrMobile, tollFree, voip"
        ),
        (
            #""statementAudiences":["*"]"#,
            "statementAudiences: must be a list of audiences of 1 to 256 visible characters without *, such as https://partner.example"
        ),
        (
            #""statementAudiences":["a b"]"#,
            "statementAudiences: must be a list of audiences of 1 to 256 visible characters without *, such as https://partner.example"
        ),
    ]) func `refuses a rule that is none`(rule: String, mistake: String) {
        let text =
            #"{"mode":"sandbox","data":{"directory":"d"},"sandbox":{"clients":{"a":{"secret":"12345678",\#(rule)}}}}"#
        #expect(Self.mistakes(text) == ["sandbox.clients.a." + mistake])
    }

    @Test(arguments: [(4, 4), (5, 5), (6, 6)]) func `in live, codes are as long as they are without a call's word`(
        length: Int, least: Int
    ) throws {
        let live = try Self.read(
            #"{"mode":"live","data":{"directory":"/d"},"server":{"publicUrl":"https://a.example"},"otp":{"codeLength":\#(length)}}"#
        )
        #expect(Possession.Limits(live).leastCodeDigits == least)
        let sandbox = try Self.read(
            #"{"mode":"sandbox","data":{"directory":"d"},"otp":{"codeLength":\#(length)},"limits":{"enforceInSandbox":true}}"#
        )
        #expect(Possession.Limits(sandbox).leastCodeDigits == nil)
    }

    @Test func `takes every rule of an API client in a sandbox's file`() throws {
        let rules = #"""
            "finalTargetHosts":["a.example","*.b.example"],"allowedOrigins":["https://a.example"],"appHashes":["AAAAAAAAAAA"],
            "callingCodes":["44"],"mobileAuthReturnUrls":["https://a.example/back"],"mobileAuth":false,
            "statementAudiences":["https://partner.example"],"leastCodeDigits":5,
            "smartChannels":["voice","sms"],"secondsPerChannel":30
            """#
        let text =
            #"{"mode":"sandbox","data":{"directory":"d"},"sandbox":{"clients":{"a":{"secret":"12345678",\#(rules)},"b":{"secret":"12345678"}}}}"#
        let clients = try #require(try Self.read(text).sandbox?.clients)
        #expect(
            clients[0].rules
                == TenantRules(
                    allowPhoneChange: true, mobileAuth: false, finalTargetHosts: ["a.example", "*.b.example"],
                    callingCodes: ["44"], mobileAuthReturnURLs: ["https://a.example/back"],
                    allowedOrigins: ["https://a.example"], appHashes: ["AAAAAAAAAAA"],
                    statementAudiences: ["https://partner.example"], leastCodeDigits: 5,
                    smartChannels: [.voice, .sms], secondsPerChannel: 30))
        #expect(
            clients[1].rules
                == TenantRules(
                    allowPhoneChange: true, mobileAuth: true, anyFinalTargetHost: true,
                    smartChannels: [.whatsapp, .sms]))
    }

    @Test(arguments: [
        #""https://a.example,http://192.168.1.20:5173""#, #""https://a.example, http://192.168.1.20:5173""#,
        #""https://a.example  http://192.168.1.20:5173""#, #"["https://a.example","http://192.168.1.20:5173"]"#,
    ]) func `takes a list as text with commas and blanks, or as an array`(list: String) throws {
        let text = #"{"mode":"sandbox","data":{"directory":"d"},"app":{"allowedOrigins":\#(list)}}"#
        #expect(try Self.read(text).app.allowedOrigins == ["https://a.example", "http://192.168.1.20:5173"])
    }

    @Test(arguments: [
        "http://10.0.0.1", "http://172.31.255.1:3000", "http://192.168.0.9", "http://169.254.1.1",
        "http://[fd00::1]:80",
        "http://[fe80::1]",
    ]) func `a page on a private address may call in sandbox, and not in live`(origin: String) {
        let sandbox = #"{"mode":"sandbox","data":{"directory":"d"},"app":{"allowedOrigins":["\#(origin)"]}}"#
        #expect(Self.mistakes(sandbox) == [])
        let live =
            #"{"mode":"live","data":{"directory":"d"},"app":{"allowedOrigins":["https://a.example","\#(origin)"]}}"#
        #expect(Self.mistakes(live).contains { $0.hasPrefix("app.allowedOrigins: the entry '\(origin)' must be ") })
    }

    @Test(arguments: ["http://172.32.0.1", "http://8.8.8.8", "http://shop.example", "https://a.example/x"])
    func `names the origin that it refuses`(origin: String) {
        let text =
            #"{"mode":"sandbox","data":{"directory":"d"},"app":{"allowedOrigins":["https://a.example","\#(origin)"]}}"#
        #expect(Self.mistakes(text).contains { $0.hasPrefix("app.allowedOrigins: the entry '\(origin)' must be ") })
    }

    @Test(arguments: [#"{"mode":"sandbox",}"#, "", "[]", #"{"mode":"sandbox""#])
    func `says nothing is missing from a file that cannot be read`(text: String) {
        let mistakes = Self.mistakes(text)
        #expect(mistakes.count == 1)
        #expect(mistakes.first?.hasPrefix("the file is no JSON object, line 1: ") == true)
    }

    @Test(arguments: [
        (#"{"data":{"directory":"d"}}"#, "mode: missing; must be one of: sandbox, live"),
        (#"{"mode":"sandbox"}"#, "data.directory: missing; set it or give --data"),
        (#"{"mode":"test","data":{"directory":"d"}}"#, "mode: must be one of: sandbox, live"),
        (#"{"mode":1,"data":{"directory":"d"}}"#, "mode: must be one of: sandbox, live"),
        (#"{"mode":"sandbox","data":{"directory":""}}"#, "data.directory: must be a string that is not empty"),
        (#"{"mode":"sandbox","data":{"directory":null}}"#, "data.directory: must be a string that is not empty"),
        (#"{"mode":"sandbox","data":"d"}"#, "data: no such setting"),
        (#"{"mode":"sandbox","data":{"directory":"d"},"server.port":1}"#, "server.port: no such setting"),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"server":{"prot":1}}"#,
            "server.prot: no such setting; did you mean server.port?"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"server":{"port":{"is":1}}}"#,
            "server.port: must be an integer from 0 to 65535"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"server":{"port":65536}}"#,
            "server.port: must be an integer from 0 to 65535"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"server":{"port":-1}}"#,
            "server.port: must be an integer from 0 to 65535"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"server":{"port":"80"}}"#,
            "server.port: must be an integer from 0 to 65535"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"server":{"port":80.5}}"#,
            "server.port: must be an integer from 0 to 65535"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"server":{"port":true}}"#,
            "server.port: must be an integer from 0 to 65535"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"server":{"port":[80]}}"#,
            "server.port: must be an integer from 0 to 65535"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"server":{"host":"example.com"}}"#,
            "server.host: the entry 'example.com' must be localhost or an IP address"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"server":{"defaultRegion":"us"}}"#,
            "server.defaultRegion: must be two capital letters, such as US"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"server":{"publicUrl":"verify.example.com"}}"#,
            "server.publicUrl: must be http:// or https:// with host and optional port, and no path"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"server":{"publicUrl":"https://example.com/v3"}}"#,
            "server.publicUrl: must be http:// or https:// with host and optional port, and no path"
        ),
        (#"{"mode":"live","data":{"directory":"d"}}"#, "server.publicUrl: missing; a live configuration must set it"),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"limits":{"enforceInSandbox":1}}"#,
            "limits.enforceInSandbox: must be true or false"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"otp":{"codeLength":3}}"#,
            "otp.codeLength: must be an integer from 4 to 6"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"sandbox":{"unknownNumbers":"allow"}}"#,
            "sandbox.unknownNumbers: must be one of: refuse, simulate"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"sandbox":{"clients":[]}}"#,
            "sandbox.clients: must be an object"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"sandbox":{"clients":{"a":{"secret":"short"}}}}"#,
            "sandbox.clients.a.secret: must be a string of 8 to 256 characters"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"sandbox":{"clients":{"a":{"secret":"long enough","x":1}}}}"#,
            "sandbox.clients.a.x: no such setting"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"sandbox":{"clients":{"a":{"secret":"long enough","displayName":""}}}}"#,
            "sandbox.clients.a.displayName: must be a text of 1 to 64 bytes without control characters"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"sandbox":{"clients":{"a":{"secret":"long enough","allowedOrigins":["a"]}}}}"#,
            "sandbox.clients.a.allowedOrigins: must be a list of origins: https:// and a host in lower case, http on loopback, or a web view's such as capacitor://localhost or http://tauri.localhost"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"sandbox":{"clients":{"a":{"secret":"long enough","apiKey":"hf_live_x"}}}}"#,
            "sandbox.clients.a.apiKey: must be hf_test_ and more visible characters, 8 to 256 in all"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"sandbox":{"clients":{"a":{"secret":"long enough","sdkKey":1}}}}"#,
            "sandbox.clients.a.sdkKey: must be sdk_ and more visible characters, 8 to 256 in all"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"sandbox":{"clients":{"a":{"secret":"long enough","apiKey":"hf_test_a"},"b":{"secret":"long enough","apiKey":"hf_test_a"}}}}"#,
            "sandbox.clients: no two may have the same key"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"sandbox":{"clients":{"a":{"secret":"long enough","application":1}}}}"#,
            "sandbox.clients.a.application: must be an object of: key, secret, masterPrivateKey"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"sandbox":{"clients":{"a":{"secret":"long enough","application":{"key":"AAAA"}}}}}"#,
            "sandbox.clients.a.application.key: must be Base64 of 16 bytes"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"sandbox":{"clients":{"a":{"secret":"long enough","application":{"x":1}}}}}"#,
            "sandbox.clients.a.application.x: no such setting"
        ),
        (
            #"{"mode":"sandbox","data":{"directory":"d"},"sandbox":{"clients":{"a":{"secret":"long enough","application":{"key":"aG9sZGZhc3Qtc2FuZGJveA==","secret":"cHVibGljLXNlY3JldC0wMQ==","masterPrivateKey":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}}}}}"#,
            "sandbox.clients.a.application.masterPrivateKey: must be from 1 to the order of P-256 less 1"
        ),
        (#"{"mode":"sandbox","mode":"live","data":{"directory":"d"}}"#, "the file is no JSON object, line 1"),
        (#"["mode"]"#, "the file is no JSON object, line 1"),
        ("{\"mode\":\"sandbox\",\n\"data\" {}}", "the file is no JSON object, line 2"),
        ("", "the file is no JSON object, line 1"),
    ])
    func `names what is wrong with a file`(text: String, expected: String) {
        #expect(Self.mistakes(text).contains { $0.hasPrefix(expected) }, "\(Self.mistakes(text))")
    }

    @Test func `names every mistake at once, wherever it stands`() {
        let found = Self.mistakes(
            #"{"mode":"sandbox","server":{"port":"x","unknown":1},"log":{"level":"loud"}}"#,
            environment: [
                "HOLDFAST_SERVER_LOOPS": "many", "HOLDFAST_CONFIG": "f", "HOME": "/",
            ])
        #expect(
            Set(found) == [
                "server.unknown: no such setting",
                "server.port: must be an integer from 0 to 65535",
                "HOLDFAST_SERVER_LOOPS: must be an integer from 0 to 64",
                "data.directory: missing; set it or give --data",
                "log.level: must be one of: trace, debug, info, notice, warning, error, critical",
            ])
    }

    /// A shop's own variable may begin so too, and Kubernetes makes some for a service of this name.
    @Test func `a variable that is no setting is told, and ends nothing`() throws {
        let environment = ["HOLDFAST_URL": "x", "HOLDFAST_SERVER_PROT": "1", "HOLDFAST_CONFIG": "f", "HOME": "/"]
        let warnings = try Configuration(
            ConfigurationSources(environment: environment, file: ("f", Array(Self.smallest.utf8)))
        ).warnings
        #expect(
            warnings == [
                "HOLDFAST_SERVER_PROT: no such setting, it is not used; did you mean HOLDFAST_SERVER_PORT?",
                "HOLDFAST_URL: no such setting, it is not used",
            ])
    }

    @Test(arguments: ["[]", #""""#, #"" ""#])
    func `an empty list means none`(list: String) throws {
        let text =
            #"{"mode":"sandbox","data":{"directory":"d"},"server":{"trustedProxies":\#(list)},"#
            + #""webhooks":{"allowedNetworks":\#(list)},"app":{"allowedOrigins":\#(list)}}"#
        let read = try Self.read(text)
        #expect(read.server.trustedProxies.isEmpty && read.webhooks.allowedNetworks.isEmpty)
        #expect(read.app.allowedOrigins == [])
        #expect(
            Self.mistakes(#"{"mode":"sandbox","data":{"directory":"d"},"webhooks":{"ports":\#(list)}}"#)
                == ["webhooks.ports: must name a port"])
    }

    @Test func `an empty variable takes the place of the file's list`() throws {
        let text = #"{"mode":"sandbox","data":{"directory":"d"},"server":{"trustedProxies":"10.0.0.0/8"}}"#
        let read = try Configuration(
            ConfigurationSources(
                environment: ["HOLDFAST_SERVER_TRUSTED_PROXIES": ""], file: ("f", Array(text.utf8))))
        #expect(read.server.trustedProxies.isEmpty)
    }

    @Test func `a header of proxies needs proxies`() throws {
        let environment = ["HOLDFAST_SERVER_PROXY_PROTOCOL": "true"]
        #expect(
            Self.mistakes(Self.smallest, environment: environment)
                == ["server.proxyProtocol: names no proxy: set server.trustedProxies"])
    }

    @Test(arguments: ["usersFile", "unknownNumbers"])
    func `refuses a sandbox setting in a live file`(name: String) {
        let text = """
            {"mode":"live","data":{"directory":"d"},"server":{"publicUrl":"https://a.example"},"sandbox":{"\(name)":"refuse"}}
            """
        #expect(Self.mistakes(text) == ["sandbox.\(name): a live configuration must not have sandbox settings"])
    }

    @Test func `refuses sandbox settings of the environment and sandbox clients in live mode`() {
        let text =
            #"{"mode":"live","data":{"directory":"d"},"server":{"publicUrl":"https://a.example"},"sandbox":{"clients":{}}}"#
        let found = Self.mistakes(text, environment: ["HOLDFAST_SANDBOX_UNKNOWN_NUMBERS": "refuse"])
        #expect(found.count == 2)
    }

    @Test func `takes comments, but not inside strings`() throws {
        let text = """
            // the mode
            {"mode": "sandbox", // what it is
             "data": {"directory": "/a//b\\\\"}} // "end
            """
        #expect(try Self.read(text).data.directory == #"/a//b\"#)
    }

    @Test func `prints secrets nowhere`() throws {
        let text = #"{"mode":"sandbox","data":{"directory":"d"},"sandbox":{"clients":{"a":{"secret":"very-secret"}}}}"#
        let configuration = try Self.read(text)
        #expect(configuration.sandbox?.clients.first?.secret.text == "very-secret")
        #expect(configuration.report.contains(#""secret": "<redacted>""#))
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in [configuration.report, "\(configuration)", String(reflecting: configuration), dumped] {
            #expect(!text.contains("very-secret"))
        }
    }

    @Test func `reports a configuration that reads back as itself`() throws {
        let configuration = try Self.read(Self.smallest, path: "test.json")
        #expect(try Self.read(configuration.report, path: "test.json") == configuration)
    }

    @Test func `documents every setting`() throws {
        var page = ""
        for name in ["server", "messages", "services", "limits", "sandbox"] {
            let path = ServerFixture.repository + "/docs/configuration/\(name).md"
            page += String(decoding: try #require(SmallFile.read(path)), as: UTF8.self)
        }
        let plain = page.filter { $0 != "`" }
        for key in ConfigurationKey.all {
            #expect(page.contains("\n- `\(key.path)` ("), "\(key.path)")
            #expect(plain.contains("): \(key.summary)\n"), "\(key.path)")
        }
    }

    @Test(arguments: ["sandbox.json", "live.example.json"])
    func `reads the example files`(name: String) throws {
        let path = ServerFixture.repository + "/config/" + name
        let text = try #require(SmallFile.read(path))
        _ = try Configuration(ConfigurationSources(file: (path: path, text: text)))
    }

    @Test func `spells a variable after its setting`() {
        #expect(ConfigurationSources.variable(.publicURL) == "HOLDFAST_SERVER_PUBLIC_URL")
        #expect(ConfigurationSources.variable(.mode) == "HOLDFAST_MODE")
        #expect(Set(ConfigurationKey.all.map(ConfigurationSources.variable)).count == ConfigurationKey.all.count)
    }
}
