import Foundation
import Testing

@testable import Outbound
@testable import Engine
@testable import Possession

/// Receipts, as the gateway's file reads them.
@Suite struct ReceiptFormTests {
    private static func gateway(_ receipt: String) throws -> RoutedGateway {
        let file = try GatewayFixture.file(
            #"{"gateways":{"g":{"specification":{"secrets":["k"],"request":{"url":"https://a.example"},"receipt":"#
                + receipt + #"},"secretFiles":{"k":"/secrets/key"}}},"routes":[{"gateways":["g"]}]}"#)
        return gateway(file)
    }

    private static func gateway(_ file: MessagingFile) -> RoutedGateway {
        RoutedGateway(
            file.plan(
                send: { (_) throws(OutboundFault) in throw .connect }, crypto: GatewayFixture.crypto,
                systemNow: { GatewayFixture.sentAt }),
            receiptURL: { "https://h.example/receipts/\($0)/\($1)" }, note: { _ in }, instant: { FixedInstant().now })
    }

    private static func call(_ method: String, query: String, body: String, _ headers: [String: String]) -> ReceiptCall
    {
        ReceiptCall(
            method: method, url: "https://h.example/receipts/g/T?" + query, query: Array(query.utf8),
            body: Array(body.utf8), header: { headers[$0] })
    }

    /// As Sinch signs a body.
    private static func signed(_ body: String) -> [String: String] {
        let code = GatewayFixture.crypto.hmac(.sha256, Array("key".utf8), Array("\(body).n.1767225600".utf8))
        return [
            "x-sinch-webhook-signature-timestamp": "1767225600", "x-sinch-webhook-signature-nonce": "n",
            "x-sinch-webhook-signature": Data(code).base64EncodedString(),
        ]
    }

    private static let form =
        #"{"from":"form","state":"s","states":{"1":"delivered"},"signature":{"scheme":"sinch","key":"k"}}"#

    @Test func `reads a form that is signed`() throws {
        let call = Self.call("POST", query: "", body: "s=1", Self.signed("s=1"))
        #expect(try Self.gateway(Self.form).read(call, from: "g")?.receipt == MessageReceipt(.delivered))
    }

    /// Operators' own texts come along, in any bytes.
    @Test(arguments: ["s=1&text=%8C%05", "s=1&text=%", "s=1&text=%zz&%FF=%FE", "text=\u{E9}&s=1", "&&s=1&=&x"])
    func `a field that nobody reads loses no receipt`(body: String) throws {
        let form = #"{"from":"form","state":"s","states":{"1":"delivered"},"answer":"ok"}"#
        for (method, query, posted) in [("POST", "", body), ("GET", body, "")] {
            let call = Self.call(method, query: query, body: posted, [:])
            #expect(try Self.gateway(form).read(call, from: "g")?.receipt == MessageReceipt(.delivered))
        }
    }

    @Test func `a field that is read must be text`() throws {
        let form = #"{"from":"form","state":"s","code":"c","states":{"1":"delivered"}}"#
        let call = Self.call("POST", query: "", body: "s=%FF", [:])
        #expect(throws: ReceiptRefusal.malformed(reason: "there is no state")) {
            try Self.gateway(form).read(call, from: "g")
        }
        let coded = Self.call("POST", query: "", body: "s=1&c=%FF", [:])
        #expect(try Self.gateway(form).read(coded, from: "g")?.receipt == MessageReceipt(.delivered, code: nil))
    }

    @Test(arguments: [
        #"{"s":"1","t":"\ud800"}"#, #"{"t":["\udfff\u0041"],"s":"1"}"#, "{\"t\":\"\u{FFFD}\",\"s\":\"1\"}",
    ])
    func `text in JSON that nobody reads loses no receipt`(body: String) throws {
        let form = #"{"from":"json","state":"/s","states":{"1":"delivered"}}"#
        let call = Self.call("POST", query: "", body: body, [:])
        #expect(try Self.gateway(form).read(call, from: "g")?.receipt == MessageReceipt(.delivered))
        var bytes = Array(#"{"s":"1","t":""#.utf8) + [0xFF, 0xFE]
        bytes += Array(#""}"#.utf8)
        let raw = ReceiptCall(
            method: "POST", url: "https://h.example/receipts/g/T", query: [], body: bytes, header: { _ in nil })
        #expect(try Self.gateway(form).read(raw, from: "g")?.receipt == MessageReceipt(.delivered))
    }

    @Test func `takes nothing from a query that is not signed`() throws {
        let gateway = try Self.gateway(Self.form)
        for method in ["GET", "POST"] {
            let call = Self.call(method, query: "s=1", body: "", Self.signed(""))
            #expect(throws: ReceiptRefusal.malformed(reason: "there is no state")) { try gateway.read(call, from: "g") }
        }
    }

    @Test func `asks for a signature once its key is there, where the key may be left out`() throws {
        func gateway(_ files: String) throws -> RoutedGateway {
            let file = try GatewayFixture.file(
                #"{"gateways":{"g":{"preset":"messagebird","secretFiles":{"accessKey":"/secrets/a"\#(files)}}},"#
                    + #""routes":[{"gateways":["g"]}]}"#)
            return Self.gateway(file)
        }
        let call = Self.call("GET", query: "status=delivered", body: "", [:])
        #expect(try gateway("").read(call, from: "g")?.receipt == MessageReceipt(.delivered))
        let signed = try gateway(#","signingKey":"/secrets/key""#)
        #expect(throws: ReceiptRefusal.signature) { try signed.read(call, from: "g") }
    }

    @Test func `a key that has to be there is missed`() {
        let mistakes = GatewayFixture.mistakes(
            #"{"gateways":{"g":{"preset":"messagebird","secretFiles":{"signingKey":"/secrets/a"}}},"#
                + #""routes":[{"gateways":["g"]}]}"#)
        #expect(mistakes == ["gateways.g.secretFiles: 'accessKey' is missing"])
    }

    @Test func `reads the query of a GET that nobody signs`() throws {
        let gateway = try Self.gateway(#"{"from":"form","state":"s","states":{"1":"delivered"}}"#)
        let call = Self.call("GET", query: "s=1", body: "", [:])
        #expect(try gateway.read(call, from: "g")?.receipt == MessageReceipt(.delivered))
    }
}
