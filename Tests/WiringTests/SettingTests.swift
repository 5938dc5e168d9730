import Possession
import StrictJSON
import Testing

@testable import Wiring

/// Entries of the table of settings: how they are read, printed and put into words.
@Suite struct SettingTests {
    private static func reader(_ environment: [String: String] = [:]) -> ConfigurationReader {
        ConfigurationReader(ConfigurationSources(environment: environment))
    }

    @Test func `has an entry for each key, with the same form, default and purpose`() {
        #expect(Setting.all.map(\.key) == ConfigurationKey.all)
    }

    @Test func `reads and prints every setting once, whatever the order`() {
        let paths = Setting.all.map(\.key.path).sorted()
        #expect(Setting.inReadingOrder.map(\.key.path).sorted() == paths)
        #expect(Setting.inReportOrder.map(\.key.path).sorted() == paths)
        #expect(Set(SettingRules.bySetting.keys).isSubset(of: paths))
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
}
