import Foundation
import Testing

@testable import Outbound
@testable import Engine
@testable import Possession

/// Receipts and answers as the vendors' own pages and libraries print them, and every state that they name. All were
/// read on 2026-11-27; `config/gateways` has the addresses of the pages.
@Suite struct PublishedExamplesTests {
    private static let url = "https://h.example/receipts/g/T"
    private static let time = "1767225600"

    /// A gateway of a preset.
    /// - Parameter files: further secrets.
    private static func gateway(
        _ preset: String, files: String = "", crypto: GatewayCrypto = GatewayFixture.crypto
    ) throws -> RoutedGateway {
        RoutedGateway(
            try GatewayPresetsTests.file(preset, files: files).plan(
                send: { (_) throws(OutboundFault) in throw .connect }, crypto: crypto,
                systemNow: { GatewayFixture.sentAt }),
            receiptURL: { "https://h.example/receipts/\($0)/\($1)" }, note: { _ in }, instant: { FixedInstant().now })
    }

    /// - Parameter text: the query of a GET, or the body.
    private static func call(_ method: String, _ text: String, _ headers: [String: String]) -> ReceiptCall {
        let isGet = method == "GET"
        return ReceiptCall(
            method: method, url: isGet ? url + "?" + text : url, query: isGet ? Array(text.utf8) : [],
            body: isGet ? [] : Array(text.utf8), header: { headers[$0] })
    }

    private static func code(_ hash: GatewayCrypto.Hash, _ key: String, _ text: String) -> String {
        Data(GatewayFixture.crypto.hmac(hash, Array(key.utf8), Array(text.utf8))).base64EncodedString()
    }

    /// Signs as the vendor does, by the keys of the presets' tests.
    private static func headers(_ preset: String, _ text: String) -> [String: String] {
        switch preset {
        case "twilio", "twilio-voice", "twilio-whatsapp":
            let fields = text.split(separator: "&").sorted().joined(separator: "").replacing("=", with: "")
            return ["x-twilio-signature": code(.sha1, "tok", url + fields)]
        case "sinch":
            return [
                "x-sinch-webhook-signature-timestamp": time, "x-sinch-webhook-signature-nonce": "n",
                "x-sinch-webhook-signature": code(.sha256, "s", "\(text).n.\(time)"),
            ]
        case "telnyx":
            return ["telnyx-timestamp": time, "telnyx-signature-ed25519": Data(count: 64).base64EncodedString()]
        default: return [:]
        }
    }

    // MARK: Receipts

    private static let receipts: [(String, String, String, MessageReceipt)] = [
        // "I am missing my delivery reports", docs.bird.com.
        (
            "messagebird", "GET",
            """
            id=e8077d803532c0b5937c639b60216938&reference=YouReference123&recipient=31612345678&status=delivered\
            &statusDatetime=2016-05-03T08%3A58%3A10%2B00%3A00
            """,
            MessageReceipt(.delivered)
        ),
        // "Delivery receipts" prints the fields as JSON; here they come as they do by GET.
        (
            "vonage", "GET",
            """
            err-code=0&message-timestamp=2018-10-25+12%3A10%3A29&messageId=0B00000127FDBC63&msisdn=447547232824\
            &network-code=23410&price=0.03330000&scts=1810251310&status=delivered&to=Nexmo+CLI
            """,
            MessageReceipt(.delivered, code: "0")
        ),
        // "Retrieve a recipient delivery report", docs/sms/sms-guide.md: the callback has the same form.
        (
            "sinch", "POST",
            #"""
            {
                "type": "recipient_delivery_report_sms",
                "batch_id": "{batch_id}",
                "recipient": "123456789",
                "code": "0",
                "status": "Delivered",
                "at": "2016-10-02T09:34:18.542Z",
                "operator_status_at": "2016-10-02T09:34:18.101Z"
            }
            """#,
            MessageReceipt(.delivered, code: "0")
        ),
        // A test of the vendor's library for Java: DeliveryReportRecipientSMSDto.json.
        (
            "sinch", "POST",
            #"""
            {

              "type": "recipient_delivery_report_sms",
              "batch_id": "01FC66621XXXXX119Z8PMV1QPQ",
              "recipient": "+44231235674",
              "code": 401,
              "status": "Dispatched",
              "at": "2022-08-30T08:16:08.930Z",
              "operator": "operator",
              "applied_originator": "applied originator",
              "client_reference": "client reference",
              "encoding": "encoding",
              "number_of_message_parts": 123,
              "operator_status_at":"2022-08-30T08:16:08.150Z"
            }
            """#,
            MessageReceipt(nil, code: "401")
        ),
        // "Message status codes" prints the state, the page of the receipt the members around it.
        (
            "infobip", "POST",
            #"""
            {"results": [{"bulkId": "BULK-ID-123-xyz", "messageId": "MESSAGE-ID-123-xyz", "to": "41793026727",
            "sentAt": "2019-11-09T16:00:00.000+0000", "doneAt": "2019-11-09T16:00:00.000+0000", "smsCount": 1,
            "callbackData": "callbackData", "status": {
              "groupId": 3,
              "groupName": "DELIVERED",
              "id": 5,
              "name": "DELIVERED_TO_HANDSET",
              "description": "Message delivered to handset"
            }}]}
            """#,
            MessageReceipt(.delivered)
        ),
        // "HTTP parameters for a level 1 DLR" and "for a level 2 or 3 DLR" print an example of each field.
        (
            "jasmin", "POST",
            "id=16fd2706-8baf-433b-82eb-8c7fada847da&message_status=ESME_ROK&level=1&connector=demo_cid",
            MessageReceipt(nil)
        ),
        (
            "jasmin", "POST",
            "id=16fd2706-8baf-433b-82eb-8c7fada847da&message_status=ESME_RINVNUMDESTS&level=1&connector=demo_cid",
            MessageReceipt(.undelivered)
        ),
        (
            "jasmin", "POST",
            """
            id=16fd2706-8baf-433b-82eb-8c7fada847da&id_smsc=2567&message_status=DELIVRD&level=2&connector=demo_cid\
            &subdate=1311022338&donedate=1311022338&sub=1&dlvrd=1&err=0&text=Hello+foo+bar
            """,
            MessageReceipt(.delivered, code: "0")
        ),
    ]

    @Test(arguments: receipts)
    func `reads a receipt as its vendor prints it`(
        preset: String, method: String, text: String, expected: MessageReceipt
    ) throws {
        let call = Self.call(method, text, Self.headers(preset, text))
        #expect(try Self.gateway(preset).read(call, from: "g")?.receipt == expected)
    }

    /// "Receiving Webhooks for Messaging". Signed by the key whose public half the preset's tests have.
    @Test func `reads a receipt as Telnyx prints it`() throws {
        let body = #"""
            {
              "data": {
                "event_type": "message.finalized",
                "id": "4ee8c3a6-4995-4309-a3c6-38e3db9ea4be",
                "occurred_at": "2024-01-15T21:32:14.148+00:00",
                "payload": {
                  "completed_at": "2024-01-15T21:32:14.148+00:00",
                  "cost": {
                    "amount": "0.0051",
                    "currency": "USD"
                  },
                  "cost_breakdown": {
                    "carrier_fee": { "amount": "0.00305", "currency": "USD" },
                    "rate": { "amount": "0.00205", "currency": "USD" }
                  },
                  "direction": "outbound",
                  "encoding": "GSM-7",
                  "errors": [],
                  "from": {
                    "carrier": "Telnyx",
                    "line_type": "Wireless",
                    "phone_number": "+13125550001",
                    "status": "webhook_delivered"
                  },
                  "id": "ac012cbf-5e09-46af-a69a-7c0e2d90993c",
                  "media": [],
                  "messaging_profile_id": "83d2343b-553f-4c5f-b8c8-fd27004f94bf",
                  "organization_id": "9d76d591-1b7d-405d-8c64-1320ee070245",
                  "parts": 1,
                  "received_at": "2024-01-15T21:32:13.552+00:00",
                  "record_type": "message",
                  "sent_at": "2024-01-15T21:32:13.596+00:00",
                  "tags": ["tag-a", "tag-b"],
                  "text": "Hello there!",
                  "to": [
                    {
                      "carrier": "T-MOBILE USA, INC.",
                      "line_type": "Wireless",
                      "phone_number": "+13125550002",
                      "status": "delivered"
                    }
                  ],
                  "type": "SMS",
                  "valid_until": "2024-01-15T22:32:13.552+00:00",
                  "webhook_url": "https://example.com/webhooks",
                  "tcr_campaign_billable": true,
                  "tcr_campaign_id": "CNZO3VL",
                  "tcr_campaign_registered": "REGISTERED"
                },
                "record_type": "event"
              },
              "meta": {
                "attempt": 1,
                "delivered_to": "https://example.com/webhooks"
              }
            }
            """#
        let headers = [
            "telnyx-timestamp": Self.time,
            "telnyx-signature-ed25519":
                "LPIwxQ8gS98Y+8zfTX8onD03RvimTNtPnB5rS/8KJJe1xFhTH43ke5b8upKrU3T+CWeiZmEYQwhHO9gOJDhKDw==",
        ]
        let gateway = try Self.gateway("telnyx")
        let receipt = try gateway.read(Self.call("POST", body, headers), from: "g")?.receipt
        #expect(receipt == MessageReceipt(.delivered))
        let changed = body.replacing(#""status": "delivered""#, with: #""status": "sent""#)
        #expect(throws: ReceiptRefusal.signature) { try gateway.read(Self.call("POST", changed, headers), from: "g") }
    }

    /// Each state of the vendor's table, and how it ends the message. `@` is the place of the state.
    @Test(
        arguments: [
            ("twilio", "MessageSid=SM1&MessageStatus=@", "delivered read", .delivered),
            ("twilio", "MessageSid=SM1&MessageStatus=@", "undelivered failed canceled", .undelivered),
            ("twilio", "MessageSid=SM1&MessageStatus=@", "accepted scheduled queued sending sent", nil),
            ("twilio-whatsapp", "MessageSid=SM1&MessageStatus=@", "delivered read", .delivered),
            ("twilio-whatsapp", "MessageSid=SM1&MessageStatus=@", "undelivered failed canceled", .undelivered),
            ("twilio-whatsapp", "MessageSid=SM1&MessageStatus=@", "accepted scheduled queued sending sent", nil),
            ("twilio-voice", "CallSid=CA1&CallStatus=@", "completed", .delivered),
            ("twilio-voice", "CallSid=CA1&CallStatus=@", "busy failed no-answer canceled", .undelivered),
            ("twilio-voice", "CallSid=CA1&CallStatus=@", "queued ringing in-progress", nil),
            ("vonage", "messageId=1&status=@", "delivered", .delivered),
            ("vonage", "messageId=1&status=@", "undelivered failed rejected", .undelivered),
            ("vonage", "messageId=1&status=@", "expired", .expired),
            ("vonage", "messageId=1&status=@", "accepted buffered unknown", nil),
            ("sinch", #"{"status":"@"}"#, "Delivered DELIVERED", .delivered),
            (
                "sinch", #"{"status":"@"}"#,
                "Aborted Rejected Failed Cancelled Deleted ABORTED REJECTED FAILED CANCELLED DELETED", .undelivered
            ),
            ("sinch", #"{"status":"@"}"#, "Expired EXPIRED", .expired),
            ("sinch", #"{"status":"@"}"#, "Queued Dispatched Unknown QUEUED DISPATCHED UNKNOWN", nil),
            ("telnyx", #"{"data":{"payload":{"to":[{"status":"@"}]}}}"#, "delivered", .delivered),
            (
                "telnyx", #"{"data":{"payload":{"to":[{"status":"@"}]}}}"#, "sending_failed delivery_failed",
                .undelivered
            ),
            (
                "telnyx", #"{"data":{"payload":{"to":[{"status":"@"}]}}}"#, "queued sending sent delivery_unconfirmed",
                nil
            ),
            ("infobip", #"{"results":[{"status":{"groupName":"@"}}]}"#, "DELIVERED", .delivered),
            ("infobip", #"{"results":[{"status":{"groupName":"@"}}]}"#, "UNDELIVERABLE REJECTED", .undelivered),
            ("infobip", #"{"results":[{"status":{"groupName":"@"}}]}"#, "EXPIRED", .expired),
            ("infobip", #"{"results":[{"status":{"groupName":"@"}}]}"#, "OK PENDING", nil),
            (
                "infobip", #"{"results":[{"status":{"groupName":"DELIVERED","name":"@"}}]}"#, "DELIVERED_TO_HANDSET",
                .delivered
            ),
            (
                "infobip", #"{"results":[{"status":{"groupName":"DELIVERED","name":"@"}}]}"#, "DELIVERED_TO_OPERATOR",
                nil
            ),
            ("jasmin", "message_status=@", "DELIVRD", .delivered),
            ("jasmin", "message_status=@", "UNDELIV DELETED REJECTD ESME_RINVDSTADR ESME_RX_P_APPN", .undelivered),
            ("jasmin", "message_status=@", "EXPIRED", .expired),
            (
                "jasmin", "message_status=@",
                "ESME_ROK ESME_RSYSERR ESME_RTHROTTLED ESME_RMSGQFUL ESME_RINVSCHED ENROUTE ACCEPTD UNKNOWN", nil
            ),
        ] as [(String, String, String, MessageReceipt.End?)])
    func `knows which states end a message`(
        preset: String, form: String, states: String, end: MessageReceipt.End?
    ) throws {
        let crypto = GatewayCrypto(
            hmac: GatewayFixture.crypto.hmac, digest: GatewayFixture.crypto.digest,
            verifyEd25519: { _, _, _ in preset == "telnyx" })
        let gateway = try Self.gateway(preset, crypto: crypto)
        for state in states.split(separator: " ") {
            let text = form.replacing("@", with: state)
            let receipt = try gateway.read(Self.call("POST", text, Self.headers(preset, text)), from: "g")?.receipt
            #expect(receipt == MessageReceipt(end), "\(state)")
        }
    }

    /// Carriers pass on texts of operators.
    @Test(arguments: [
        ("sinch", #"{"operator":"\ud800","status":"Delivered"}"#),
        ("telnyx", #"{"data":{"payload":{"text":"\udc00\ud800","to":[{"status":"delivered"}]}}}"#),
        ("infobip", #"{"results":[{"callbackData":"\ud83d","status":{"groupName":"DELIVERED"}}]}"#),
        ("jasmin", "message_status=DELIVRD&text=%8C%05"), ("vonage", "status=delivered&to=%FF"),
        ("messagebird", "status=delivered&statusReason=%FE%"),
    ])
    func `a field that nobody reads loses no receipt of a preset`(preset: String, text: String) throws {
        let crypto = GatewayCrypto(
            hmac: GatewayFixture.crypto.hmac, digest: GatewayFixture.crypto.digest,
            verifyEd25519: { _, _, _ in preset == "telnyx" })
        let method = preset == "messagebird" ? "GET" : "POST"
        let call = Self.call(method, text, Self.headers(preset, text))
        #expect(try Self.gateway(preset, crypto: crypto).read(call, from: "g")?.receipt == MessageReceipt(.delivered))
    }

    // MARK: Answers

    @Test(
        arguments: [
            // A test of the vendor's library for Python: tests/integration/api/v2010/account/test_message.py.
            (
                "twilio", 201,
                #"""
                {
                    "account_sid": "ACaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                    "api_version": "2010-04-01",
                    "body": "O Slash: \u00d8, PoP: \ud83d\udca9",
                    "date_created": "Thu, 30 Jul 2015 20:12:31 +0000",
                    "date_sent": "Thu, 30 Jul 2015 20:12:33 +0000",
                    "date_updated": "Thu, 30 Jul 2015 20:12:33 +0000",
                    "direction": "outbound-api",
                    "error_code": null,
                    "error_message": null,
                    "from": "+14155552345",
                    "messaging_service_sid": "MGaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                    "num_media": "0",
                    "num_segments": "1",
                    "price": "-0.00750",
                    "price_unit": "USD",
                    "sid": "SMaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                    "status": "sent",
                    "subresource_uris": {
                        "media": "/2010-04-01/Accounts/ACaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/Messages/SMaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/Media.json"
                    },
                    "to": "+14155552345",
                    "uri": "/2010-04-01/Accounts/ACaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/Messages/SMaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.json"
                }
                """#,
                "SMaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
            ),
            // The examples of definitions/sms.yml.
            (
                "vonage", 200,
                #"""
                {"message-count":"1","messages":[{"to":"447700900000","message-id":"0A0000000123ABCD1","status":"0",
                "remaining-balance":"3.14159265","message-price":"0.03330000","network":"12345",
                "account-ref":"customer1234"}]}
                """#,
                "0A0000000123ABCD1"
            ),
            // "Send a batch message", docs/sms/sms-guide.md.
            (
                "sinch", 201,
                #"""
                {
                    "from": "12345",
                    "to": [
                        "123456789",
                        "987654321"
                    ],
                    "body": "Hi there! How are you?",
                    "id": "{batch_id}",
                    "created_at": "2014-10-02T09:34:28.542Z",
                    "modified_at": "2014-10-02T09:34:28.542Z",
                    "canceled": "False"
                }
                """#,
                "{batch_id}"
            ),
            // A test of the vendor's library for PHP: tests/Stubs/createMessageResponse.json, without its recipients.
            (
                "messagebird", 201,
                #"""
                {
                    "id": "e8077d803532c0b5937c639b60216938",
                    "href": "https://rest.messagebird.com/messages/e8077d803532c0b5937c639b60216938",
                    "direction": "mt",
                    "type": "sms",
                    "originator": "YourName",
                    "body": "This is a test message",
                    "reference": null
                }
                """#,
                "e8077d803532c0b5937c639b60216938"
            ),
            // A test of the vendor's library for PHP: SmsOutboundApiTest.
            (
                "infobip", 200,
                #"""
                {
                  "messages": [
                    {
                      "messageId": "MESSAGE-ID-123-xyz",
                      "status": {
                        "groupId": 1,
                        "groupName": "PENDING",
                        "id": 26,
                        "name": "PENDING_ACCEPTED",
                        "description": "Message sent to next instance"
                      },
                      "destination": "41793026727"
                    }
                  ]
                }
                """#,
                "MESSAGE-ID-123-xyz"
            ),
            // "HTTP response".
            (
                "jasmin", 200, #"Success "07033084-5cfd-4812-90a4-e4d24ffb6e3d""#,
                "07033084-5cfd-4812-90a4-e4d24ffb6e3d"
            ),
        ] as [(String, Int, String, String)])
    func `takes the id of an answer as its vendor prints it`(
        preset: String, status: Int, body: String, id: String
    ) async throws {
        let answer = OutboundResponse(status: status, body: Array(body.utf8))
        #expect(try await GatewayPresetsTests.played(preset, answer).result.get() == id)
    }

    @Test(
        arguments: [
            // "Debugging calls to the REST API" of Twilio's pages.
            (
                "twilio", 400,
                #"""
                {
                "code": 21211,
                "message": "The 'To' number 5551234567 is not a valid phone number.",
                "more_info": "https://www.twilio.com/docs/errors/21211",
                "status": 400
                }
                """#,
                GatewayFault.Kind.number, "21211"
            ),
            // The examples of definitions/sms.yml, and two codes of its table.
            (
                "vonage", 200,
                #"{"message-count":"1","messages":[{"status":"2","error-text":"Missing to param"}]}"#, .ours, "2"
            ),
            ("vonage", 200, #"{"messages":[{"status":"29"}]}"#, .account, "29"),
            ("vonage", 200, #"{"messages":[{"status":"33"}]}"#, .number, "33"),
            // "HTTP errors", docs/sms/sms-guide.md: 403 is no matter of the account.
            ("sinch", 403, #"{"code":"missing_callback_url","text":""}"#, .ours, "missing_callback_url"),
            ("sinch", 403, #"{"code":"unknown_campaign","text":""}"#, .route, "unknown_campaign"),
            ("sinch", 400, #"{"code":"syntax_invalid_json","text":""}"#, .ours, "syntax_invalid_json"),
            ("sinch", 401, "", .account, nil),
            // A test of the vendor's library for PHP: ResponseErrorTest.
            ("messagebird", 422, #"{"errors":[{"code":25,"description":"foo"}]}"#, .account, "25"),
            (
                "messagebird", 422,
                #"{"errors":[{"code":9,"description":"foo"},{"code":25,"description":"bar"}]}"#, .ours, "9"
            ),
            // "Receiving Webhooks for Messaging", and codes of "Telnyx Messaging Error Codes".
            (
                "telnyx", 422,
                #"""
                {
                  "errors": [
                    {
                      "code": "40300",
                      "title": "Destination number unreachable",
                      "detail": "The destination number is not reachable on the carrier network.",
                      "source": { "pointer": "/to/0/phone_number" }
                    }
                  ]
                }
                """#,
                .refused, "40300"
            ),
            ("telnyx", 403, #"{"errors":[{"code":"40309"}]}"#, .route, "40309"),
            ("telnyx", 422, #"{"errors":[{"code":"40312"}]}"#, .account, "40312"),
            ("telnyx", 422, #"{"errors":[{"code":"40318"}]}"#, .busy, "40318"),
            // A test of the vendor's library for Java: ApiErrorResponsesTest.
            (
                "infobip", 400,
                #"""
                {
                  "requestError": {
                    "serviceException": {
                      "messageId": "BAD_REQUEST",
                      "text": "Bad request",
                      "validationErrors": {
                        "messages[0].text": [
                          "invalid text"
                        ]
                      }
                    }
                  }
                }
                """#,
                .ours, "BAD_REQUEST"
            ),
            (
                "infobip", 200,
                #"{"messages":[{"status":{"groupName":"REJECTED","name":"REJECTED_DESTINATION_BLOCKLISTED"}}]}"#,
                .refused, "REJECTED_DESTINATION_BLOCKLISTED"
            ),
            // "HTTP response".
            ("jasmin", 412, #"Error "No route found""#, .route, nil),
            ("jasmin", 403, #"Error "Authentication failure for username:_""#, .account, nil),
            ("jasmin", 400, #"Error "Argument _ is unknown.""#, .ours, nil),
            (
                "jasmin", 500, #"Error "Cannot send submit_sm, check SMPPClientManagerPB log file for details""#, .busy,
                nil
            ),
        ] as [(String, Int, String, GatewayFault.Kind, String?)])
    func `knows a refusal as its vendor prints it`(
        preset: String, status: Int, body: String, kind: GatewayFault.Kind, code: String?
    ) async throws {
        let answer = OutboundResponse(status: status, body: Array(body.utf8))
        guard case .failure(let fault) = try await GatewayPresetsTests.played(preset, answer).result else {
            return #expect(Bool(false), "it was refused")
        }
        #expect(fault.kind == kind)
        #expect(fault.code == code)
    }

    /// Some print the text of the message in it.
    @Test(arguments: [
        ("vonage", #"{"messages":[{"text":"\ud800","status":"0","message-id":"id-1"}]}"#),
        ("twilio", #"{"body":"\udc00","sid":"id-1"}"#),
        ("infobip", #"{"messages":[{"note":"\ud83d","messageId":"id-1","status":{"groupName":"PENDING"}}]}"#),
    ])
    func `text in an answer that nobody reads loses no message`(preset: String, body: String) async throws {
        let answer = OutboundResponse(status: 200, body: Array(body.utf8))
        #expect(try await GatewayPresetsTests.played(preset, answer).result.get() == "id-1")
    }

    // MARK: A key of its own

    /// examples/WebhookSignatureValidation.md of the vendor's library for Node: the header tells that a key of a webhooks
    /// rule signed.
    @Test func `a shared key of Twilio signs what its header says`() throws {
        let body = "MessageSid=SM1&MessageStatus=delivered"
        let signed = Self.url + "MessageSidSM1MessageStatusdelivered"
        let settings = "x-twilio-webhooks-signature-settings"
        func headers(_ key: String) -> [String: String] {
            ["x-twilio-signature": Self.code(.sha256, key, signed), settings: "key=k1,algorithm=HMAC_SHA256"]
        }
        let gateway = try Self.gateway("twilio", files: #","sharedKey":"/secrets/rule""#)
        let byRule = Self.call("POST", body, headers("rule"))
        #expect(try gateway.read(byRule, from: "g")?.receipt == MessageReceipt(.delivered))
        let byAccount = Self.call("POST", body, ["x-twilio-signature": Self.code(.sha1, "tok", signed)])
        #expect(try gateway.read(byAccount, from: "g")?.receipt == MessageReceipt(.delivered))
        for refused in [headers("tok"), ["x-twilio-signature": Self.code(.sha1, "rule", signed)]] {
            let call = Self.call("POST", body, refused)
            #expect(throws: ReceiptRefusal.signature) { try gateway.read(call, from: "g") }
        }
        let plain = try Self.gateway("twilio")
        #expect(throws: ReceiptRefusal.signature) { try plain.read(byRule, from: "g") }
    }

    @Test func `a shared key is Twilio's, and must be a setting`() {
        func mistakes(_ signature: String) -> [String] {
            GatewayFixture.mistakes(
                #"{"gateways":{"g":{"specification":{"secrets":["k"],"request":{"url":"https://a.example"},"#
                    + #""receipt":{"from":"form","state":"s","signature":{\#(signature)}}},"#
                    + #""secretFiles":{"k":"/secrets/key"}}},"routes":[{"gateways":["g"]}]}"#)
        }
        let place = "gateways.g.specification.receipt.signature.sharedKey"
        #expect(mistakes(#""scheme":"twilio","key":"k","sharedKey":"k""#) == [])
        #expect(mistakes(#""scheme":"twilio","key":"k","sharedKey":"x""#) == ["\(place): is no setting and no secret"])
        #expect(mistakes(#""scheme":"sinch","key":"k","sharedKey":"k""#) == ["\(place): is for the scheme twilio only"])
    }

    @Test(
        arguments: [
            (#""form","state":"s","underWay":{"n":"x"}"#, []),
            (#""json","state":"/s","underWay":{"/n":["x","y"]}"#, []),
            (#""json","state":"/s","underWay":{"n":"x"}"#, ["JSON pointers"]),
            (#""form","state":"s","underWay":{"n":1}"#, ["names of fields"]),
            (#""form","state":"s","underWay":{"n":[]}"#, ["names of fields"]),
        ] as [(String, [String])])
    func `what says that a message is under way is a field and its texts`(receipt: String, names: [String]) {
        let mistakes = GatewayFixture.mistakes(
            #"{"gateways":{"g":{"specification":{"request":{"url":"https://a.example"},"#
                + #""receipt":{"from":\#(receipt)}}}},"routes":[{"gateways":["g"]}]}"#)
        let place = "gateways.g.specification.receipt.underWay"
        #expect(mistakes == names.map { "\(place): must have \($0), each with a text or a list of texts" })
    }

    /// Sinch's page of the SMS API names no signature.
    @Test func `receipts of Sinch are signed once its key is there`() throws {
        let body = #"{"status":"Delivered"}"#
        let call = Self.call("POST", body, [:])
        #expect(throws: ReceiptRefusal.signature) { try Self.gateway("sinch").read(call, from: "g") }
        let file = try GatewayFixture.file(
            #"{"gateways":{"g":{"preset":"sinch","settings":{"region":"us","servicePlan":"p1"},"#
                + #""secretFiles":{"apiToken":"/secrets/tok"}}},"routes":[{"gateways":["g"]}]}"#)
        let gateway = RoutedGateway(
            file.plan(
                send: { (_) throws(OutboundFault) in throw .connect }, crypto: GatewayFixture.crypto,
                systemNow: { GatewayFixture.sentAt }),
            receiptURL: { "https://h.example/receipts/\($0)/\($1)" }, note: { _ in }, instant: { FixedInstant().now })
        #expect(try gateway.read(call, from: "g")?.receipt == MessageReceipt(.delivered))
    }
}
