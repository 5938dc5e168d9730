import Foundation
import Locks
import StrictJSON
import Testing

@testable import Outbound
@testable import Possession

/// The files of `config/gateways`: what they ask, and what they make of answers.
@Suite struct GatewayPresetsTests {
    /// Settings by an operator, for each preset.
    private static let settings: [String: String] = [
        "hook":
            #""settings":{"url":"https://own.example/send"},"secretFiles":{"secret":"/secrets/whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}"#,
        "infobip": #""settings":{"baseHost":"x.api.infobip.com"},"secretFiles":{"apiKey":"/secrets/key"}"#,
        "jasmin": #""settings":{"baseUrl":"http://127.0.0.1:1401","user":"u"},"secretFiles":{"password":"/secrets/p"}"#,
        "kannel":
            #""settings":{"baseUrl":"http://127.0.0.1:13013","user":"u"},"secretFiles":{"password":"/secrets/p&p"}"#,
        "messagebird": #""secretFiles":{"accessKey":"/secrets/key"}"#,
        "plivo": #""settings":{"authId":"MA1"},"secretFiles":{"authToken":"/secrets/tok"}"#,
        "sinch":
            #""settings":{"region":"us","servicePlan":"p1"},"secretFiles":{"apiToken":"/secrets/tok","webhookSecret":"/secrets/s"}"#,
        "smtp":
            #""settings":{"url":"smtps://mail.example","from":"no-reply@shop.example","user":"u"},"secretFiles":{"password":"/secrets/p"}"#,
        "telnyx":
            #""settings":{"publicKey":"A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg="},"secretFiles":{"apiKey":"/secrets/key"}"#,
        "twilio": #""settings":{"accountSid":"AC1"},"secretFiles":{"authToken":"/secrets/tok"}"#,
        "twilio-voice": #""settings":{"accountSid":"AC1"},"secretFiles":{"authToken":"/secrets/tok"}"#,
        "twilio-whatsapp":
            #""settings":{"accountSid":"AC1","contentSid":"HX1"},"secretFiles":{"authToken":"/secrets/tok"}"#,
        "vonage": #""settings":{"apiKey":"k"},"secretFiles":{"apiSecret":"/secrets/s"}"#,
    ]

    /// A file with the gateway `g` of a preset.
    /// - Parameter files: further secrets.
    static func file(_ preset: String, files: String = "") throws -> MessagingFile {
        let settings = String((Self.settings[preset] ?? "").dropLast()) + files + "}"
        return try GatewayFixture.file(
            #"{"gateways":{"g":{"preset":"\#(preset)",\#(settings)}},"#
                + #""routes":[{"channels":["\#(channel(preset).rawValue)"],"gateways":["g"],"sender":"Acme","entityId":"E1"}]}"#
        )
    }

    private static func channel(_ preset: String) -> OutgoingMessage.Channel {
        preset == "twilio-voice" ? .voice : preset == "twilio-whatsapp" ? .whatsapp : .sms
    }

    /// Request of a preset for one message, and result that it makes of the answer.
    static func played(
        _ preset: String, _ answer: OutboundResponse, text: String = "Your code is 123456."
    ) async throws -> (request: OutboundRequest, result: Result<String?, GatewayFault>) {
        let file = try Self.file(preset)
        let seen = Locked<OutboundRequest?>(nil)
        let plan = file.plan(
            send: { request in
                seen.withLock { $0 = request }
                return answer
            }, crypto: GatewayFixture.crypto, systemNow: { GatewayFixture.sentAt })
        let gateway = try #require(plan.gateways["g"]?.template)
        let message = GatewayFixture.message(channels: [channel(preset)], text: text)
        let result: Result<String?, GatewayFault>
        do throws(GatewayFault) {
            result = .success(
                try await gateway.send(
                    message, message.forms[0], file.routes[0].legs[0], timeout: .seconds(5), remaining: .seconds(120),
                    receiptURL: "https://holdfast.example/receipts/g/T"))
        } catch { result = .failure(error) }
        return (try #require(seen.withLock { $0 }), result)
    }

    private static func response(_ status: Int, _ body: String) -> OutboundResponse {
        OutboundResponse(status: status, body: Array(body.utf8))
    }

    @Test func `every file of the folder is tested here`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: GatewayFixture.presets.path)
        #expect(files.map { String($0.dropLast(5)) }.sorted() == Self.settings.keys.sorted())
    }

    @Test(arguments: [
        (
            "twilio", "POST https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json",
            ["Authorization: Basic QUMxOnRvaw==", "Content-Type: application/x-www-form-urlencoded"],
            "To=%2B12065550123&From=Acme&Body=Your%20code%20is%20123456.&ValidityPeriod=120&StatusCallback=https%3A%2F%2Fholdfast.example%2Freceipts%2Fg%2FT"
        ),
        (
            "vonage", "POST https://rest.nexmo.com/sms/json",
            ["Authorization: Basic azpz", "Content-Type: application/x-www-form-urlencoded"],
            "to=12065550123&from=Acme&text=Your%20code%20is%20123456.&type=text&ttl=120000&client-ref=00000000-0000-0000-0000-000000000007&status-report-req=1&callback=https%3A%2F%2Fholdfast.example%2Freceipts%2Fg%2FT&entity-id=E1"
        ),
        (
            "telnyx", "POST https://api.telnyx.com/v2/messages",
            [
                "Authorization: Bearer key", "Content-Type: application/json",
                "Idempotency-Key: 00000000-0000-0000-0000-000000000007",
            ],
            #"{"to":"+12065550123","from":"Acme","text":"Your code is 123456.","webhook_url":"https://holdfast.example/receipts/g/T"}"#
        ),
        (
            "infobip", "POST https://x.api.infobip.com/sms/3/messages",
            ["Authorization: App key", "Content-Type: application/json"],
            #"{"messages":[{"sender":"Acme","destinations":[{"to":"12065550123","messageId":"00000000-0000-0000-0000-000000000007"}],"content":{"text":"Your code is 123456."},"webhooks":{"delivery":{"url":"https://holdfast.example/receipts/g/T"}},"options":{"validityPeriod":{"amount":120,"timeUnit":"SECONDS"}}}]}"#
        ),
        (
            "sinch", "POST https://us.sms.api.sinch.com/xms/v1/p1/batches",
            ["Authorization: Bearer tok", "Content-Type: application/json"],
            #"{"to":["12065550123"],"from":"Acme","body":"Your code is 123456.","delivery_report":"per_recipient","expire_at":"2026-01-01T00:02:00Z","callback_url":"https://holdfast.example/receipts/g/T","client_reference":"00000000-0000-0000-0000-000000000007"}"#
        ),
        (
            "plivo", "POST https://api.plivo.com/v1/Account/MA1/Message/",
            ["Authorization: Basic TUExOnRvaw==", "Content-Type: application/json"],
            #"{"src":"Acme","dst":"12065550123","text":"Your code is 123456.","type":"sms","url":"https://holdfast.example/receipts/g/T","method":"POST","message_expiry":120,"dlt_entity_id":"E1"}"#
        ),
        (
            "messagebird", "POST https://rest.messagebird.com/messages",
            ["Authorization: AccessKey key", "Content-Type: application/json"],
            #"{"originator":"Acme","recipients":["12065550123"],"body":"Your code is 123456.","datacoding":"auto","validity":120,"reference":"00000000-0000-0000-0000-000000000007","reportUrl":"https://holdfast.example/receipts/g/T"}"#
        ),
        (
            "kannel",
            "GET http://127.0.0.1:13013/cgi-bin/sendsms?username=u&password=p%26p&to=%2B12065550123&from=Acme&text=Your%20code%20is%20123456.&charset=UTF-8&coding=0&validity=2&dlr-mask=27&dlr-url=https%3A%2F%2Fholdfast.example%2Freceipts%2Fg%2FT%3Fstate%3D%25d",
            [], ""
        ),
        (
            "twilio-whatsapp", "POST https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json",
            ["Authorization: Basic QUMxOnRvaw==", "Content-Type: application/x-www-form-urlencoded"],
            "To=whatsapp%3A%2B12065550123&From=whatsapp%3AAcme&ContentSid=HX1&ContentVariables=%7B%221%22%3A%22123456%22%7D&StatusCallback=https%3A%2F%2Fholdfast.example%2Freceipts%2Fg%2FT"
        ),
    ])
    func `asks as its vendor's documentation has it`(
        preset: String, line: String, headers: [String], body: String
    ) async throws {
        let (request, _) = try await Self.played(preset, Self.response(200, "{}"))
        #expect("\(request.method) \(request.url)" == line)
        #expect(request.headers.map { "\($0.name): \($0.value)" }.sorted() == headers)
        #expect(String(decoding: request.body, as: UTF8.self) == body)
    }

    @Test func `a text beyond the GSM alphabet is marked so`() async throws {
        let (kannel, _) = try await Self.played("kannel", Self.response(202, ""), text: "Twój kod: 123456 ą")
        #expect(kannel.url.contains("&coding=2&"))
        let (jasmin, _) = try await Self.played("jasmin", Self.response(200, ""), text: "ą1")
        #expect(String(decoding: jasmin.body, as: UTF8.self).contains("&coding=8&hex-content=01050031&"))
    }

    /// The last line of a message that a browser fills in has an at sign.
    @Test func `a text of the GSM alphabet goes to Jasmin in that alphabet`() async throws {
        let (jasmin, _) = try await Self.played("jasmin", Self.response(200, ""), text: "ä_1€\n@a.b #1")
        #expect(
            String(decoding: jasmin.body, as: UTF8.self).contains(
                "&coding=0&hex-content=7b11311b650a00612e62202331&"))
    }

    @Test func `a text that is read out stands in XML`() async throws {
        let (request, _) = try await Self.played("twilio-voice", Self.response(201, "{}"), text: "1 < 2 & 3")
        #expect(
            String(decoding: request.body, as: UTF8.self).contains(
                "Twiml=%3CResponse%3E%3CSay%3E1%20%26lt%3B%202%20%26amp%3B%203%3C%2FSay%3E%3C%2FResponse%3E"))
    }

    @Test(
        arguments: [
            ("twilio", 201, #"{"sid":"SM1","status":"queued"}"#, "SM1"),
            ("vonage", 200, #"{"messages":[{"status":"0","message-id":"v1"}]}"#, "v1"),
            ("sinch", 201, #"{"id":"b1"}"#, "b1"), ("messagebird", 201, #"{"id":"m1"}"#, "m1"),
            ("plivo", 202, #"{"message_uuid":["p1"]}"#, "p1"), ("telnyx", 200, #"{"data":{"id":"t1"}}"#, "t1"),
            ("infobip", 200, #"{"messages":[{"messageId":"i1","status":{"groupName":"PENDING"}}]}"#, "i1"),
            ("jasmin", 200, #"Success "j1""#, "j1"), ("kannel", 202, "0: Accepted for delivery", nil),
            ("kannel", 202, "3: Queued for later delivery", nil), ("hook", 202, "", nil),
            ("hook", 200, #"{"id":"h1"}"#, "h1"),
        ] as [(String, Int, String, String?)])
    func `knows an acceptance and its id`(preset: String, status: Int, body: String, id: String?) async throws {
        #expect(try await Self.played(preset, Self.response(status, body)).result.get() == id)
    }

    @Test(
        arguments: [
            ("twilio", 400, #"{"code":21211}"#, GatewayFault.Kind.number),
            ("twilio", 400, #"{"code":21610}"#, .refused),
            ("twilio", 400, #"{"code":21408}"#, .route), ("twilio", 401, #"{"code":20003}"#, .account),
            ("twilio", 429, #"{"code":20429}"#, .busy), ("twilio", 400, #"{"code":99999}"#, .ours),
            ("vonage", 200, #"{"messages":[{"status":"4","error-text":"Bad Credentials"}]}"#, .account),
            ("vonage", 200, #"{"messages":[{"status":"1"}]}"#, .busy),
            ("vonage", 200, #"{"messages":[{"status":"6"}]}"#, .route),
            ("vonage", 200, #"{"messages":[{"status":"7"}]}"#, .refused), ("vonage", 200, "<html>", .route),
            (
                "infobip", 200,
                #"{"messages":[{"status":{"groupName":"REJECTED","name":"REJECTED_NOT_ENOUGH_CREDITS"}}]}"#, .account
            ),
            ("kannel", 202, "4: odd", .route), ("kannel", 403, "Authorization failed", .account),
            ("kannel", 503, "Temporal failure, try again later.", .busy),
            ("jasmin", 412, #"Error "No route found""#, .route),
            ("hook", 400, #"{"error":{"kind":"number"}}"#, .number), ("hook", 500, "", .busy),
            ("hook", 404, "", .route),
        ] as [(String, Int, String, GatewayFault.Kind)])
    func `knows what a refusal means`(preset: String, status: Int, body: String, kind: GatewayFault.Kind) async throws {
        guard case .failure(let fault) = try await Self.played(preset, Self.response(status, body)).result else {
            return #expect(Bool(false), "it was refused")
        }
        #expect(fault.kind == kind)
    }

    @Test func `an own endpoint gets a body signed after Standard Webhooks`() async throws {
        let (request, _) = try await Self.played("hook", Self.response(200, ""))
        let headers = Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) })
        #expect(headers["webhook-id"] == "00000000-0000-0000-0000-000000000007")
        #expect(headers["webhook-timestamp"] == "1767225600")
        let signed = Array("00000000-0000-0000-0000-000000000007.1767225600.".utf8) + request.body
        let code = GatewayFixture.crypto.hmac(.sha256, Array(0...31), signed)
        #expect(headers["webhook-signature"] == "v1," + Data(code).base64EncodedString())
        #expect(try JSONObject.parse(request.body)["data"]?.object?["code"] == "123456")
    }
}
