import Foundation
import Testing

@testable import Outbound
@testable import Engine
@testable import Possession

/// Vectors of the vendors' own libraries.
@Suite struct ReceiptSchemeTests {
    private static func call(
        _ url: String, _ body: String = "", method: String = "POST", _ headers: [String: String]
    ) -> ReceiptCall {
        let query = url.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
        return ReceiptCall(
            method: method, url: url, query: Array(query.utf8), body: Array(body.utf8), header: { headers[$0] })
    }

    private static func isGenuine(
        _ scheme: ReceiptScheme, _ call: ReceiptCall, key: String, at seconds: Int64 = 1_767_225_600
    ) -> Bool {
        scheme.isGenuine(call, key: key, GatewayFixture.crypto, at: Timestamp(seconds: seconds))
    }

    private static let url = "https://h.example/cb"
    private static let form = "MessageStatus=delivered&MessageSid=SM1"

    @Test(
        arguments: [
            (["x-twilio-signature": "fze8qKMaYxHwo/UhJelsSXrYF7s="], true),
            (
                [
                    "x-twilio-signature": "DMir9fja+1F6rjBpR8g8fYLs8zC69gJNL1AVe6ADNjg=",
                    "x-twilio-webhooks-signature-settings": "key=k1,algorithm=HMAC_SHA256",
                ], true
            ),
            (["x-twilio-signature": "DMir9fja+1F6rjBpR8g8fYLs8zC69gJNL1AVe6ADNjg="], false), ([:], false),
            (["x-twilio-signature": "fze8qKMaYxHwo/UhJelsSXrYF7t="], false), (["x-twilio-signature": "?"], false),
        ] as [([String: String], Bool)])
    func `Twilio's signature over URL and fields`(headers: [String: String], isGood: Bool) {
        #expect(Self.isGenuine(.twilio, Self.call(Self.url, Self.form, headers), key: "tok") == isGood)
        #expect(!Self.isGenuine(.twilio, Self.call(Self.url, Self.form + "&x=1", headers), key: "tok"))
        #expect(!Self.isGenuine(.twilio, Self.call(Self.url, Self.form, headers), key: "other"))
    }

    @Test func `Twilio may have signed the URL with its port, or without`() {
        func header(_ url: String) -> [String: String] {
            let code = GatewayFixture.crypto.hmac(.sha1, Array("tok".utf8), Array((url + "a1").utf8))
            return ["x-twilio-signature": Data(code).base64EncodedString()]
        }
        let forms = [
            ("https://h.example:443/cb", "https://h.example/cb"), ("https://h.example/cb", "https://h.example:8443/cb"),
        ]
        for (signed, ours) in forms {
            #expect(Self.isGenuine(.twilio, Self.call(ours, "a=1", header(signed)), key: "tok"))
        }
        #expect(
            !Self.isGenuine(
                .twilio, Self.call("https://h.example/cb", "a=1", header("https://g.example/cb")), key: "tok"))
    }

    @Test func `Twilio names the digest of a JSON body in the URL`() {
        let digest = GatewayFixture.crypto.digest(.sha256, Array("{}".utf8)).map { String(format: "%02x", $0) }.joined()
        let url = Self.url + "?bodySHA256=" + digest
        let code = GatewayFixture.crypto.hmac(.sha1, Array("tok".utf8), Array(url.utf8))
        let headers = ["x-twilio-signature": Data(code).base64EncodedString()]
        #expect(Self.isGenuine(.twilio, Self.call(url, "{}", headers), key: "tok"))
        #expect(!Self.isGenuine(.twilio, Self.call(url, "{ }", headers), key: "tok"))
    }

    /// The first is the example of Twilio's page "Security" (https://www.twilio.com/docs/usage/security) as other programs
    /// quote it, the others are those of tests/unit/test_request_validator.py (https://github.com/twilio/twilio-python). Read
    /// on 2026-11-27.
    @Test(arguments: [
        (
            "https://example.com/myapp.php?foo=1&bar=2",
            "CallSid=CA1234567890ABCDE&Caller=%2B14158675310&Digits=1234&From=%2B14158675310&To=%2B18005551212",
            "L/OH5YylLD5NRKLltdqwSvS0BnU="
        ),
        ("https://mycompany.com/myapp.php?foo=1&bar=2", twilioForm, "RSOYDt4T1cUTdK1PDd93/VVr8B8="),
        ("https://mycompany.com:1234/myapp.php?foo=1&bar=2", twilioForm, "RSOYDt4T1cUTdK1PDd93/VVr8B8="),
        ("http://mycompany.com:1234/myapp.php?foo=1&bar=2", twilioForm, "Zmvh+3yNM1Phv2jhDCwEM3q5ebU="),
        ("https://mycompany.com/myapp.php?foo=1&bar=2", twilioForm, "kvajT1Ptam85bY51eRf/AJRuM3w="),
        ("http://mycompany.com/myapp.php?foo=1&bar=2", twilioForm, "0ZXoZLH/DfblKGATFgpif+LLRf4="),
        (
            "https://mycompany.com/myapp.php?foo=1&bar=2", "Sid=CA123&SidAccount=AC123&Digits=5678&Digits=1234",
            "IK+Dwps556ElfBT0I3Rgjkr1wJU="
        ),
        (
            "https://mycompany.com/myapp.php?foo=1&bar=2&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620",
            #"{"property": "value", "boolean": true}"#, "a9nBmqA0ju/hNViExpshrM61xv4="
        ),
    ])
    func `takes what Twilio's own examples sign`(url: String, body: String, code: String) {
        let headers = ["x-twilio-signature": code]
        #expect(Self.isGenuine(.twilio, Self.call(url, body, headers), key: "12345"))
        #expect(!Self.isGenuine(.twilio, Self.call(url, body, headers), key: "12346"))
        #expect(!Self.isGenuine(.twilio, Self.call(url, body + "5", headers), key: "12345"))
    }

    private static let twilioForm =
        "CallSid=CA1234567890ABCDE&Digits=1234&From=%2B14158675309&To=%2B18005551212&Caller=%2B14158675309"

    /// Operators' own texts are signed as bytes.
    @Test func `Twilio signs a field that is no text`() {
        let signed = Array((Self.url + "MessageStatusdeliveredText").utf8) + [0xFF]
        let code = GatewayFixture.crypto.hmac(.sha1, Array("tok".utf8), signed)
        let headers = ["x-twilio-signature": Data(code).base64EncodedString()]
        #expect(Self.isGenuine(.twilio, Self.call(Self.url, "Text=%FF&MessageStatus=delivered", headers), key: "tok"))
    }

    @Test func `Telnyx signs timestamp and body by Ed25519`() {
        let body = #"{"data":{"payload":{"to":[{"status":"delivered"}]}}}"#
        let headers = [
            "telnyx-timestamp": "1767225600",
            "telnyx-signature-ed25519":
                "+tLoshjVrtIKfc2ZPD93qBE5KQSb7Zm1TRoZBuf0rd+vku607sXNxIMys2qESviT3yPqyNuyufKXUjerSELKDA==",
        ]
        let key = "A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg="
        #expect(Self.isGenuine(.telnyx, Self.call(Self.url, body, headers), key: key))
        #expect(Self.isGenuine(.telnyx, Self.call(Self.url, body, headers), key: key, at: 1_767_225_900))
        #expect(!Self.isGenuine(.telnyx, Self.call(Self.url, body, headers), key: key, at: 1_767_225_901))
        #expect(!Self.isGenuine(.telnyx, Self.call(Self.url, body + " ", headers), key: key))
        #expect(!Self.isGenuine(.telnyx, Self.call(Self.url, body, headers), key: "AAAA"))
    }

    @Test func `Sinch signs body, nonce and timestamp`() {
        let headers = [
            "x-sinch-webhook-signature-timestamp": "1767225600", "x-sinch-webhook-signature-nonce": "n1",
            "x-sinch-webhook-signature": "QYqr199Q/bV3vR8yKy8xI02c1I9jU5+yfxeLTsQi7so=",
        ]
        let body = #"{"status":"Delivered"}"#
        #expect(Self.isGenuine(.sinch, Self.call(Self.url, body, headers), key: "key"))
        #expect(!Self.isGenuine(.sinch, Self.call(Self.url, body, headers), key: "yek"))
        #expect(!Self.isGenuine(.sinch, Self.call(Self.url, body, headers), key: "key", at: 1_767_226_000))
    }

    /// A test of the vendor's library for .NET: WebhooksTests. docs/conversation/conversation-callbacks.md of
    /// https://github.com/sinch/docs names the header of the algorithm. Both were read on 2026-11-27.
    @Test func `takes what Sinch's own example signs`() {
        let body =
            #"{"app_id":"","accepted_time":"2021-10-18T17:49:13.813615Z","project_id":"e2df3a34-a71b-4448-9db5-a8d2baad28e4","contact_create_notification":{"contact":{"id":"01FJA8B466Y0R2GNXD78MD9SM1","channel_identities":[{"channel":"SMS","identity":"48123456789","app_id":""}],"display_name":"New Test Contact","email":"new.contact@email.com","external_id":"","metadata":"","language":"EN_US"}},"message_metadata":""}"#
        var headers = [
            "x-sinch-webhook-signature-nonce": "01FJA8B4A7BM43YGWSG9GBV067",
            "x-sinch-webhook-signature-timestamp": "1634579353",
            "x-sinch-webhook-signature": "6bpJoRmFoXVjfJIVglMoJzYXxnoxRujzR4k2GOXewOE=",
        ]
        func isGood() -> Bool {
            Self.isGenuine(.sinch, Self.call(Self.url, body, headers), key: "foo_secret1234", at: 1_634_579_353)
        }
        #expect(isGood())
        headers["x-sinch-webhook-signature-algorithm"] = "HmacSHA256"
        #expect(isGood())
        for name in ["HmacSHA512", "HmacSHA1", "", "none"] {
            headers["x-sinch-webhook-signature-algorithm"] = name
            #expect(!isGood(), "\(name)")
        }
        let signed = Array("\(body).01FJA8B4A7BM43YGWSG9GBV067.1634579353".utf8)
        for (name, hash) in [("HmacSHA384", GatewayCrypto.Hash.sha384), ("HmacSHA512", GatewayCrypto.Hash.sha512)] {
            let code = GatewayFixture.crypto.hmac(hash, Array("foo_secret1234".utf8), signed)
            headers["x-sinch-webhook-signature-algorithm"] = name
            headers["x-sinch-webhook-signature"] = Data(code).base64EncodedString()
            #expect(isGood(), "\(name)")
        }
    }

    @Test(arguments: [
        ("", "37678IJb2c9nYcMV3DbWeZK56YMWlqnifskobrR6A1Q="),
        ("?b=2&a=1", "25KLkRmUpYJKhcmv72wm6eyxwHMVZxkQPCV+Ky9R65I="),
    ])
    func `Plivo signs URL, fields and nonce`(query: String, code: String) {
        let form = "Status=delivered&MessageUUID=u-1&To=12065550123&From=Acme"
        let headers = ["x-plivo-signature-v3-nonce": "12345", "x-plivo-signature-v3": "AAAA,\(code)"]
        let url = "https://h.example/receipts/main/abc" + query
        #expect(Self.isGenuine(.plivo, Self.call(url, form, headers), key: "tok"))
        #expect(!Self.isGenuine(.plivo, Self.call(url, form + "&x=1", headers), key: "tok"))
    }

    @Test func `Plivo signs the query of a GET`() {
        let headers = [
            "x-plivo-signature-v3-nonce": "12345",
            "x-plivo-signature-v3": "Uk5M3wRID3SXATw1ivlJRgFkewXqkm4raStj8wFUZ7Y=",
        ]
        let url = "https://h.example/receipts/main/abc?b=2&a=1"
        #expect(Self.isGenuine(.plivo, Self.call(url, method: "GET", headers), key: "tok"))
    }

    /// Made as the vendor's page for messages says (2026-11-25): base64 of HMAC-SHA256, by the auth token, over URL and nonce.
    @Test(arguments: [
        ["x-plivo-signature-v2": "@"], ["x-plivo-signature-ma-v2": "@"],
        ["x-plivo-signature-v2": "AAAA", "x-plivo-signature-ma-v2": "@"],
    ])
    func `Plivo signs messages by version 2, a sub-account's by the main one's token`(headers: [String: String]) {
        let code = "l5VC41sH0lmjtrn537we6RmCQu8hiYJ2jAZwFRRb4Lo="
        var sent = headers.mapValues { $0 == "@" ? code : $0 }
        sent["x-plivo-signature-v2-nonce"] = "05429567804466091622"
        let form = "From=Acme&To=447400120001&Status=delivered&MessageUUID=uuid-1&ErrorCode="
        let url = "https://h.example/receipts/main/abc"
        #expect(Self.isGenuine(.plivo, Self.call(url, form, sent), key: "tok"))
        #expect(!Self.isGenuine(.plivo, Self.call(url + "d", form, sent), key: "tok"))
        #expect(!Self.isGenuine(.plivo, Self.call(url, form, sent), key: "kot"))
        sent["x-plivo-signature-v2-nonce"] = "05429567804466091623"
        #expect(!Self.isGenuine(.plivo, Self.call(url, form, sent), key: "tok"))
    }

    @Test func `Plivo signs by the main account's token in version 3 too`() {
        let headers = [
            "x-plivo-signature-v3-nonce": "12345", "x-plivo-signature-v3": "AAAA",
            "x-plivo-signature-ma-v3": "37678IJb2c9nYcMV3DbWeZK56YMWlqnifskobrR6A1Q=",
        ]
        let form = "Status=delivered&MessageUUID=u-1&To=12065550123&From=Acme"
        #expect(Self.isGenuine(.plivo, Self.call("https://h.example/receipts/main/abc", form, headers), key: "tok"))
    }

    /// libraries/javascript/src/webhook.test.ts of https://github.com/standard-webhooks/standard-webhooks, read on
    /// 2026-11-27.
    @Test(arguments: [
        ("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", true),
        (
            "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= v2,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=",
            true
        ),
        ("v1,dawfeoifkpqwoekfpqoekf", false), ("v1,g0hM9", false), ("v1,", false),
        ("v1a,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", false),
    ])
    func `takes what the examples of Standard Webhooks sign`(signature: String, isGood: Bool) {
        let headers = [
            "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
            "webhook-signature": signature,
        ]
        let call = Self.call(Self.url, #"{"test": 2432232314}"#, headers)
        let key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        #expect(Self.isGenuine(.standardWebhooks, call, key: key, at: 1_614_265_330) == isGood)
        #expect(!Self.isGenuine(.standardWebhooks, call, key: key, at: 1_614_265_631))
        #expect(!Self.isGenuine(.standardWebhooks, call, key: key, at: 1_614_265_029))
    }

    @Test func `Standard Webhooks sign id, timestamp and body`() {
        let body = #"{"type":"session.succeeded","timestamp":"2026-01-01T00:00:00Z","data":{"id":"s1"}}"#
        let headers = [
            "webhook-id": "evt_1", "webhook-timestamp": "1767225600",
            "webhook-signature": "v2,x v1,34EyetjO2EPhA+u/OYACOY6XwGLi6lU+1jVJRTVJtj4=",
        ]
        let key = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
        #expect(Self.isGenuine(.standardWebhooks, Self.call(Self.url, body, headers), key: key))
        #expect(!Self.isGenuine(.standardWebhooks, Self.call(Self.url, body, headers), key: key, at: 1_767_225_901))
        #expect(!Self.isGenuine(.standardWebhooks, Self.call(Self.url, body, headers), key: "whsec_AAAA"))
    }
}
