import Outbound
import Possession
import Testing
import Text

@testable import Wiring

@Suite struct WebhookSettingsTests {
    private func read(_ webhooks: String, mode: String) throws -> Configuration {
        try ConfigurationTests.read(
            #"{"mode":"\#(mode)","data":{"directory":"d"},"server":{"publicUrl":"https://a.example"},"webhooks":\#(webhooks)}"#
        )
    }

    @Test func `a live server calls the Internet on two ports, a sandbox this machine as well`() throws {
        let live = try read("{}", mode: "live").webhooks
        #expect(live.allowedNetworks.isEmpty && live.ports == [443, 8443] && live.retentionDays == 7)
        #expect(live.maxBytesPerClient == 64 * 1024 * 1024)
        let sandbox = try read("{}", mode: "sandbox").webhooks
        #expect(
            sandbox.allowedNetworks.contains(IPAddress("127.1.2.3"))
                && sandbox.allowedNetworks.contains(IPAddress("::1")))
        #expect(!sandbox.allowedNetworks.contains(IPAddress("10.0.0.1")))
    }

    @Test func `takes what an operator lists`() throws {
        let text = #"{"retentionDays":30,"allowedNetworks":["10.1.0.0/16"],"ports":"443, 9443"}"#
        for mode in ["live", "sandbox"] {
            let settings = try read(text, mode: mode)
            #expect(settings.webhooks.retentionDays == 30 && settings.webhooks.ports == [443, 9443])
            #expect(settings.webhooks.allowedNetworks.text == "10.1.0.0/16")
            let rule = settings.webhookURLs(publicURL: "https://a.example")
            #expect(rule.defect(of: "https://b.example:9443/h") == nil)
            #expect(rule.defect(of: "https://b.example:8443/h") != nil)
            #expect(rule.defect(of: "https://a.example/h") == "names this server")
            #expect((rule.defect(of: "http://127.0.0.1:5000/h") == nil) == (mode == "sandbox"))
            #expect(rule.defect(of: "https://10.1.0.9/h") == nil && rule.defect(of: "https://10.2.0.9/h") != nil)
        }
    }

    @Test func `takes a proxy, which decides about addresses then`() throws {
        #expect(try read("{}", mode: "live").webhooks.addresses == .publicAnd(AddressRanges()))
        for proxy in ["http://egress:4750", "http://10.0.0.3:80", "http://[::1]:4750"] {
            let settings = try read(#"{"proxyUrl":"\#(proxy)"}"#, mode: "live")
            #expect(settings.webhooks.addresses == .behind(proxy: proxy))
            #expect(settings.webhookURLs(publicURL: "https://a.example").defect(of: "https://10.2.0.9/h") != nil)
        }
    }

    @Test(arguments: [
        #"{"maxBytesPerClient":1048575}"#, #"{"maxBytesPerClient":"64 MiB"}"#, #"{"ports":"x"}"#, #"{"ports":"0"}"#,
        #"{"ports":"70000"}"#, #"{"retentionDays":0}"#, #"{"retentionDays":91}"#,
        #"{"allowedNetworks":"10.0.0.0/40"}"#, #"{"proxyUrl":"https://p:1"}"#,
        #"{"proxyUrl":"http://u:p@h:1"}"#, #"{"proxyUrl":"http://p:1/x"}"#, #"{"proxyUrl":"http://p:0"}"#,
        #"{"proxyUrl":"p:1"}"#, #"{"proxyUrl":"socks5://p:1"}"#, #"{"proxyUrl":7}"#,
    ])
    func `refuses anything else`(text: String) {
        #expect(throws: ConfigurationError.self) { try read(text, mode: "live") }
    }
}
