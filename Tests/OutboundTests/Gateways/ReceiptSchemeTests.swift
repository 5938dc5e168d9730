import Foundation
import Testing

@testable import Outbound
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

    /// The vector of the standard's libraries.
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
