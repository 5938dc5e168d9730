import Locks
import StrictJSON
import Testing
import Text

@testable import Outbound
@testable import Possession

/// Gateways that carry e-mail: mail servers, and an endpoint of the operator's own.
@Suite struct SMTPGatewayTests {
    private static let server = #""url":"smtps://mail.example:465","from":"no-reply@shop.example""#
    private static let route = #"{"channels":["email"],"gateways":["g"]}"#

    private static func text(_ preset: String, _ settings: String, _ more: String = "") -> String {
        #"{"gateways":{"g":{"preset":"\#(preset)","settings":{\#(settings)}\#(more)}},"routes":[\#(route)]}"#
    }

    /// Request of a gateway for one e-mail, and result that it makes of the answer.
    private static func played(
        _ text: String, _ answer: OutboundResponse = OutboundResponse(status: 250)
    ) async throws -> (request: OutboundRequest, result: Result<String?, GatewayFault>) {
        let file = try GatewayFixture.file(text)
        let seen = Locked<OutboundRequest?>(nil)
        let plan = file.plan(
            send: { request in
                seen.withLock { $0 = request }
                return answer
            }, crypto: GatewayFixture.crypto, systemNow: { GatewayFixture.sentAt })
        let gateway = try #require(plan.gateways["g"]?.template)
        let message = GatewayFixture.message(channels: [.email])
        let result: Result<String?, GatewayFault>
        do throws(GatewayFault) {
            result = .success(
                try await gateway.send(
                    message, message.forms[0], file.routes[0].legs[0], timeout: .seconds(5), remaining: .seconds(120),
                    receiptURL: ""))
        } catch { result = .failure(error) }
        return (try #require(seen.withLock { $0 }), result)
    }

    @Test func `hands a mail to its server, with its login`() async throws {
        let more = #","secretFiles":{"password":"/secrets/p"}"#
        let (request, result) = try await Self.played(
            Self.text("smtp", Self.server + #","user":"u","fromName":"Shop","caFile":"/etc/ca.pem""#, more))
        #expect(try result.get() == nil)
        #expect(request.url == "smtps://mail.example:465" && request.timeout == .seconds(5) && request.defect == nil)
        let envelope = try #require(request.envelope)
        #expect(envelope.from.text == "no-reply@shop.example" && envelope.to == GatewayFixture.address)
        #expect(envelope.login?.user == "u" && envelope.login?.password.text == "p")
        #expect(envelope.authorities == "/etc/ca.pem" && !"\(envelope)".contains("Secret(\"p\")"))
        let mail = String(decoding: request.body, as: UTF8.self)
        #expect(
            mail.contains("\r\nFrom: \"Shop\" <no-reply@shop.example>\r\n")
                && mail.contains("\r\nTo: ada@example.com\r\n"))
        #expect(mail.contains("\r\nMessage-ID: <00000000-0000-0000-0000-000000000007@shop.example>\r\n"))
        #expect(mail.hasSuffix("\r\n\r\nYour code is 123456.\r\n"))
    }

    @Test func `a refusal of the server is a fault of its kind`() async throws {
        var answer = OutboundResponse(status: 550)
        answer.step = .recipient
        let (request, result) = try await Self.played(Self.text("smtp", Self.server), answer)
        #expect(request.envelope?.login == nil)
        #expect(result == .failure(GatewayFault("SMTP status 550", kind: .number, code: "550")))
    }

    @Test(arguments: [
        (
            #""url":"https://mail.example","from":"a@shop.example""#, "",
            "the URL that they make must begin with smtps://"
        ),
        (#""url":"smtp://mail.example/x","from":"a@shop.example""#, "", "the URL that they make must have a host"),
        (#""url":"smtp://u:p@mail.example","from":"a@shop.example""#, "", "the URL that they make must have a host"),
        (#""url":"smtps://","from":"a@shop.example""#, "", "the URL that they make must have a host"),
        (#""url":"smtps://mail.example","from":"shop""#, "", "the sender that they make is no e-mail address"),
        (#""url":"smtps://mail.example""#, "", "'from' is missing"),
        (#""url":"smtps://mail.example","from":"a@shop.example","user":"u""#, "", "user and password belong together"),
        (
            #""url":"smtps://mail.example","from":"a@shop.example""#, #","secretFiles":{"password":"/secrets/p"}"#,
            "user and password belong together"
        ),
    ])
    func `names what is wrong with a mail server`(settings: String, more: String, mistake: String) {
        let mistakes = GatewayFixture.mistakes(Self.text("smtp", settings, more))
        #expect(mistakes.contains { $0.hasPrefix("gateways.g.settings: \(mistake)") }, "\(mistakes)")
    }

    @Test(arguments: [
        (
            #""channels":["sms"],"mail":{"url":"{{url}}","from":"{{from}}"}"#,
            "channels: must be email where mail is there"
        ),
        (#""channels":["email"],"mail":{"url":"{{url}}"}"#, "mail.from: is missing"),
        (
            #""channels":["email"],"mail":{"url":"{{url}}","from":"{{from}}"},"request":{"url":"https://a.example"}"#,
            "mail: stands beside request: one of them"
        ),
        (#""channels":["email"]"#, "request: is missing"),
    ])
    func `names what is wrong with a specification of one`(members: String, mistake: String) {
        let mistakes = GatewayFixture.mistakes(
            #"{"gateways":{"g":{"specification":{"settings":["url","from"],\#(members)}}},"routes":[\#(Self.route)]}"#)
        #expect(mistakes.contains("gateways.g.specification.\(mistake)"), "\(mistakes)")
    }

    @Test(arguments: ["http://mail.example", "mail.example", "smtps:/mail", "smtps:///x", "smtp://a b"])
    func `a mail goes to no other URL`(url: String) {
        var request = OutboundRequest(method: "", url: url, timeout: .seconds(1))
        request.envelope = MailEnvelope(from: GatewayFixture.address, to: GatewayFixture.address)
        #expect(request.defect != nil)
    }

    @Test func `an own endpoint gets an e-mail as any other message`() async throws {
        let secret = #","secretFiles":{"secret":"/secrets/whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}"#
        let (request, _) = try await Self.played(
            Self.text("hook", #""url":"https://own.example/send""#, secret), OutboundResponse(status: 200))
        let data = try JSONObject.parse(request.body)["data"]?.object
        #expect(data?["channel"]?.string == "email" && data?["to"]?.string == "ada@example.com")
        #expect(data?["subject"]?.string == "Your code" && data?["text"]?.string == "Your code is 123456.")
        #expect(data?["country"] == nil && data?["code"]?.string == "123456")
    }
}
