import Possession
import StrictJSON
import Testing

@testable import Administration

/// Orders as they travel, and the rules that an order of a command begins with.
@Suite struct ControlOrderTests {
    /// Sandbox links ask for nothing, so that they can be tried by hand.
    @Test func `a new client's links are held to code and address in live`() throws {
        for isLive in [true, false] {
            let rules = try Clients.Add.rules(JSONObject(), isLive: isLive)
            #expect(rules.linkMatchCode == isLive && rules.linkNeedsSameAddress == isLive)
            #expect(rules.callingCodes == [], "no country is open in live")
        }
        let off: JSONObject = ["linkMatchCode": .bool(false), "linkNeedsSameAddress": .bool(false)]
        let rules = try Clients.Add.rules(off, isLive: true)
        #expect(!rules.linkMatchCode && !rules.linkNeedsSameAddress)
    }

    @Test func `every order has a route of its own`() {
        func route<O: Order>(_ order: O.Type) -> String { "\(O.call.method.rawValue) \(O.call.path)" }
        let routes = ControlSurface.orders.map { route($0) }
        #expect(Set(routes).count == routes.count)
        #expect(routes.allSatisfy { $0.hasPrefix("GET /control/") || $0.hasPrefix("POST /control/") })
    }

    /// SurfaceKit's bodies take both for an absent member.
    @Test(arguments: [#"{"client":""}"#, #"{"client":null}"#])
    func `an empty client is not all clients`(body: String) throws {
        #expect(throws: Administrator.Refusal.self) { try ResetSpending.call.read(Array(body.utf8)) }
        #expect(try ResetSpending.call.read(Array("{}".utf8)).client == nil)
    }

    @Test(arguments: ["", "[]", #"{"overlapHours":721}"#, #"{"overlapHours":-1}"#, #"{"overlap":1}"#, #"{"secret":1}"#])
    func `takes no malformed change of a secret`(body: String) {
        #expect(throws: Administrator.Refusal.self) {
            try RotateClientSecret.call.read(Array(body.utf8), id: "a")
        }
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"id":1}"#, #"{"id":""}"#, #"{"id":"a b"}"#, #"{"id":"a","mobileAuth":1}"#,
        #"{"id":"a","other":true}"#, #"{"id":"a","finalTargetHosts":"x"}"#,
    ])
    func `takes no malformed order`(body: String) {
        #expect(throws: Administrator.Refusal.self) { try AddClient.call.read(Array(body.utf8)) }
    }

    @Test func `reads the order of an API key as it is written`() throws {
        let shop = try #require(ClientID("shop"))
        for order in [
            AddAPIKey(client: shop, kind: .api, name: "checkout"), AddAPIKey(client: shop, kind: .sdk, name: ""),
        ] {
            #expect(try AddAPIKey.call.read(AddAPIKey.call.written(order).body, id: "shop") == order)
        }
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"kind":"api"}"#, #"{"kind":"other","name":""}"#, #"{"kind":"api","name":1}"#,
        #"{"kind":"api","name":"a\u0007"}"#, #"{"kind":"api","name":"a","more":1}"#,
        #"{"kind":"api","name":"12345678901234567890123456789012345678901234567890123456789012345"}"#,
    ])
    func `takes no malformed order of an API key`(body: String) {
        #expect(throws: Administrator.Refusal.self) { try AddAPIKey.call.read(Array(body.utf8), id: "shop") }
    }

    @Test(arguments: [0, 90, 730])
    func `reads a rotation of application keys as it is written`(days: Int) throws {
        let order = RotateApplicationKeys(client: try #require(ClientID("shop")), overlapDays: days)
        let (path, body) = RotateApplicationKeys.call.written(order)
        #expect(path == "/control/clients/shop/app-keys/rotate")
        #expect(try RotateApplicationKeys.call.read(body, id: "shop") == order)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"overlapDays":731}"#, #"{"overlapDays":-1}"#, #"{"overlapDays":"90"}"#,
        #"{"overlapDays":90,"other":1}"#, #"{"overlapDays":1.5}"#, #"{"overlap":1}"#,
    ])
    func `takes no malformed rotation of application keys`(body: String) {
        #expect(throws: Administrator.Refusal.self) {
            try RotateApplicationKeys.call.read(Array(body.utf8), id: "shop")
        }
    }

    @Test func `reads a list of devices as it is written`() throws {
        let shop = try #require(ClientID("shop"))
        let number = Target.number(try #require(PhoneNumber(e164: "+12015550123")))
        let address = Target.email(try #require(EmailAddress("ada@example.com")))
        for owner in [ListDevices.Owner.client(shop), .target(number, at: nil), .target(address, at: shop)] {
            for list in [ListDevices(owner), ListDevices(owner, before: DeviceName(high: 1, low: 2), limit: 1000)] {
                #expect(try ListDevices.call.read(ListDevices.call.written(list).body) == list)
            }
        }
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"limit":9}"#, #"{"clientId":"a b"}"#, #"{"clientId":"shop","limit":0}"#,
        #"{"clientId":"shop","limit":1001}"#, #"{"clientId":"shop","limit":"9"}"#, #"{"clientId":"shop","before":"1"}"#,
        #"{"clientId":"shop","other":"1"}"#, #"{"phoneNumber":"2015550123"}"#,
        #"{"phoneNumber":"+12015550123","emailAddress":"ada@example.com"}"#,
    ])
    func `takes no malformed list of devices`(body: String) {
        #expect(throws: Administrator.Refusal.self) { try ListDevices.call.read(Array(body.utf8)) }
    }

    @Test func `takes a number in its one form only`() {
        let call = RemoveTestNumber.call
        #expect((try? call.read(Array(#"{"phoneNumber":"+12015550123"}"#.utf8))) != nil)
        #expect((try? call.read(Array(#"{"phoneNumber":"2015550123"}"#.utf8))) == nil)
    }

    @Test(arguments: [nil, "shop"]) func `reads the order of a test number as it is written`(client: String?) throws {
        let order = AddTestNumber(
            number: try #require(PhoneNumber(e164: "+16505553434")), code: try #require(OTP("987654")), days: 30,
            client: client.flatMap { ClientID($0) })
        #expect(try AddTestNumber.call.read(AddTestNumber.call.written(order).body) == order)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"phoneNumber":"+16505553434","code":"987654"}"#,
        #"{"phoneNumber":"16505553434","code":"987654","days":1}"#,
        #"{"phoneNumber":"+16505553434","code":"98","days":1}"#,
        #"{"phoneNumber":"+16505553434","code":987654,"days":1}"#,
        #"{"phoneNumber":"+16505553434","code":"987654","days":1.5}"#,
        #"{"phoneNumber":"+16505553434","code":"987654","days":1,"clientId":"a b"}"#,
        #"{"phoneNumber":"+16505553434","code":"987654","days":1,"other":1}"#,
    ])
    func `takes no malformed order of a test number`(body: String) {
        #expect(throws: Administrator.Refusal.self) { try AddTestNumber.call.read(Array(body.utf8)) }
    }
}
