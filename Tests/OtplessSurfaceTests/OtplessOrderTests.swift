import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// The older calls: `/auth/otp/v1/send`, `resend`, `verify`.
@Suite(.timeLimit(.minutes(60))) struct OtplessOrderTests {
    /// As the Python library writes it.
    private func send(_ otpless: OtplessWorld, _ number: String = "12001004014", _ more: String = "") async -> Response
    {
        await otpless.post(
            "/auth/otp/v1/send",
            #"{"phoneNumber":"\#(number)","email":null,"channel":"SMS","hash":null,"orderId":null,"expiry":60,"#
                + #""otpLength":6,"templateId":""\#(more)}"#)
    }

    private func verify(_ otpless: OtplessWorld, _ code: String, _ more: String) async -> Response {
        await otpless.post("/auth/otp/v1/verify", #"{"otp":"\#(code)","email":null\#(more)}"#)
    }

    private func resend(_ otpless: OtplessWorld, _ id: String, as client: String = "sandbox") async -> Response {
        await otpless.post("/auth/otp/v1/resend", #"{"orderId":"\#(id)"}"#, as: client)
    }

    @Test func `answers a wrong code with 200 and why`() async throws {
        let otpless = try await OtplessWorld()
        let sent = await send(otpless)
        #expect(sent.status == 200 && sent.json == ["orderId": .string(sent.orderID)])
        let order = #","orderId":"\#(sent.orderID)""#
        for code in ["999999", "nonsense"] {
            let wrong = await verify(otpless, code, order)
            #expect(wrong.status == 200 && wrong.json == ["isOTPVerified": false, "reason": "OTP is incorrect"])
        }
        #expect(await verify(otpless, "123456", order).json == ["isOTPVerified": true])
        let again = await verify(otpless, "123456", order)
        #expect(again.json == ["isOTPVerified": false, "reason": "OTP is already verified"])
    }

    @Test func `finds the newest order of a number without its id`() async throws {
        let otpless = try await OtplessWorld()
        _ = await send(otpless)
        #expect(await verify(otpless, "123456", #","phoneNumber":"+12001004014""#).json == ["isOTPVerified": true])
        #expect(await verify(otpless, "123456", #","phoneNumber":"+12001004015""#).errorCode == "7114")
        #expect(await verify(otpless, "123456", "").errorCode == "7119")
    }

    private static let noMatch: JSONObject = [
        "isOTPVerified": false, "reason": "the order is of another number or address",
    ]

    @Test(arguments: [
        #","phoneNumber":"+12001004015""#, #","email":"someone@example.com""#, #","email":"nonsense""#,
        #","phoneNumber":"12001004014","email":"someone@example.com""#,
    ]) func `what is named and differs is no match, and costs no try`(more: String) async throws {
        let otpless = try await OtplessWorld()
        let order = #","orderId":"\#(await send(otpless).orderID)""#
        for _ in 0..<6 {
            let answer = await otpless.post("/auth/otp/v1/verify", #"{"otp":"123456"\#(order)\#(more)}"#)
            #expect(answer.status == 200 && answer.json == Self.noMatch, "\(answer.text)")
        }
        #expect(await verify(otpless, "123456", order + #","phoneNumber":"12001004014""#).json["isOTPVerified"] == true)
    }

    @Test func `an address that was named beside the number is the order's`() async throws {
        let otpless = try await OtplessWorld()
        let body = #"{"phoneNumber":"12001004014","email":"Ada@Example.com"}"#
        let id = await otpless.post("/auth/otp/v1/send", body).orderID
        #expect(otpless.world.gateway.sent.map(\.channel) == [.sms], "nothing is sent there")
        func verified(_ email: String) async -> Bool? {
            await otpless.post(
                "/auth/otp/v1/verify", #"{"orderId":"\#(id)","otp":"123456","email":"\#(email)"}"#
            ).json["isOTPVerified"]?.bool
        }
        #expect(await verified("bob@example.com") == false)
        #expect(await verified("ada@example.COM") == true)
    }

    // MARK: The caller's own name

    private func named(
        _ otpless: OtplessWorld, _ name: String, _ number: String = "12001004014", as client: String = "sandbox",
        _ more: String = ""
    ) async -> Response {
        await otpless.post(
            "/auth/otp/v1/send", #"{"phoneNumber":"\#(number)","orderId":"\#(name)"\#(more)}"#, as: client)
    }

    @Test(arguments: [
        "order-7", "Bestellung 7 \u{fc}", "7", String(repeating: "o", count: 256),
        "550e8400-e29b-41d4-a716-446655440000", "00112233445566778899aabbccddeeff",
    ])
    func `the caller's orderId names the order`(name: String) async throws {
        let otpless = try await OtplessWorld.ofAnyNumber()
        let sent = await named(otpless, name, "12015550123")
        #expect(sent.status == 200 && sent.json == ["orderId": .string(name)], "\(sent.text)")
        #expect(await resend(otpless, name).json == ["orderId": .string(name)])
        let codes = otpless.sentCodes.compactMap { $0 }
        #expect(codes.count == 2)
        #expect(await verify(otpless, codes[1], #","orderId":"\#(name)""#).json == ["isOTPVerified": true])
        #expect(await otpless.status(name).json["status"] == "SUCCESS")
    }

    @Test func `the same call again sends nothing, and another number is refused by name`() async throws {
        let otpless = try await OtplessWorld.ofAnyNumber()
        for _ in 0..<3 { #expect(await named(otpless, "order-7", "12015550123").orderID == "order-7") }
        #expect(otpless.sentCodes.count == 1)
        let other = await named(otpless, "order-7", "12015550124")
        #expect(other.status == 400 && other.errorCode == "7119" && other.text.contains("'orderId'"))
        #expect(otpless.sentCodes.count == 1)
        // The code has expired, and the order lives on.
        _ = otpless.world.clock.advance(seconds: 300)
        #expect(await named(otpless, "order-7", "12015550123").status == 200)
        let codes = otpless.sentCodes.compactMap { $0 }
        #expect(codes.count == 2)
        #expect(await verify(otpless, codes[1], #","orderId":"order-7""#).json["isOTPVerified"] == true)
        // It is over: the name is free for the next order, of any number.
        #expect(await named(otpless, "order-7", "12015550124").status == 200)
        #expect(otpless.sentCodes.count == 3)
    }

    @Test func `an order whose message did not leave is sent by the same call`() async throws {
        let otpless = try await OtplessWorld()
        otpless.world.gateway.refuse(true)
        #expect(await named(otpless, "order-7").status == 503)
        otpless.world.gateway.refuse(false)
        #expect(await named(otpless, "order-7").status == 200)
        #expect(await verify(otpless, "123456", #","orderId":"order-7""#).json["isOTPVerified"] == true)
    }

    @Test func `of racing calls with one name one sends`() async throws {
        let otpless = try await OtplessWorld.ofAnyNumber()
        let answers = await withTaskGroup(of: Response.self) { group in
            for _ in 0..<12 { group.addTask { await named(otpless, "order-7", "12015550123") } }
            return await group.reduce(into: [Response]()) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.orderID == "order-7" } && otpless.sentCodes.count == 1)
    }

    @Test func `two clients may use the same name`() async throws {
        let otpless = try await OtplessWorld.ofAnyNumber()
        #expect(await named(otpless, "order-7", "12015550123").status == 200)
        #expect(await named(otpless, "order-7", "12015550124", as: "sandbox-2").status == 200)
        let codes = otpless.sentCodes.compactMap { $0 }
        #expect(await verify(otpless, codes[1], #","orderId":"order-7""#).json["isOTPVerified"] == false)
        #expect(await verify(otpless, codes[0], #","orderId":"order-7""#).json["isOTPVerified"] == true)
        let other = await otpless.post(
            "/auth/otp/v1/verify", #"{"orderId":"order-7","otp":"\#(codes[1])"}"#, as: "sandbox-2")
        #expect(other.json["isOTPVerified"] == true)
    }

    @Test func `a name that no order has is unknown`() async throws {
        let otpless = try await OtplessWorld()
        #expect(await verify(otpless, "123456", #","orderId":"order-8""#).errorCode == "7114")
        #expect(await resend(otpless, "order-8").errorCode == "7114")
        for name in [String(repeating: "o", count: 257), "a\\u0000b"] {
            #expect(await named(otpless, name).errorCode == "7119")
        }
    }

    @Test(arguments: ["expiry", "otpLength", "hash", "templateId", "orderId", "email", "channel"])
    func `an empty text counts as absent`(member: String) async throws {
        let otpless = try await OtplessWorld()
        let sent = await otpless.post("/auth/otp/v1/send", #"{"phoneNumber":"12001004014","\#(member)":""}"#)
        #expect(sent.status == 200, "\(sent.text)")
    }

    @Test func `sends five codes of an order, and takes each`() async throws {
        let otpless = try await OtplessWorld.ofAnyNumber()
        let id = await send(otpless, "12015550123").orderID
        for _ in 0..<4 { #expect(await resend(otpless, id).orderID == id) }
        let sixth = await resend(otpless, id)
        #expect(sixth.status == 429 && sixth.errorCode == "7022")
        let codes = otpless.sentCodes.compactMap { $0 }
        #expect(codes.count == 5)
        #expect(await verify(otpless, codes[0], #","orderId":"\#(id)""#).json["isOTPVerified"] == true)
        #expect(await resend(otpless, id).errorCode == "7115")
    }

    @Test func `sends again after the code has expired, for ten minutes`() async throws {
        let otpless = try await OtplessWorld()
        let id = await send(otpless).orderID
        _ = otpless.world.clock.advance(seconds: 60)
        let late = await verify(otpless, "123456", #","orderId":"\#(id)""#)
        #expect(late.json == ["isOTPVerified": false, "reason": "OTP has expired"])
        #expect(await resend(otpless, id).status == 200)
        #expect(await verify(otpless, "123456", #","orderId":"\#(id)""#).json["isOTPVerified"] == true)
        let other = await send(otpless).orderID
        _ = otpless.world.clock.advance(seconds: 660)
        #expect(await resend(otpless, other).errorCode == "7303")
    }

    @Test func `each message of an order ends with the hash`() async throws {
        let otpless = try await OtplessWorld()
        try await otpless.register(hash: OtplessWorld.hash)
        let id = await otpless.post(
            "/auth/otp/v1/send", #"{"phoneNumber":"12001004014","hash":"\#(OtplessWorld.hash)"}"#
        ).orderID
        #expect(await resend(otpless, id).status == 200)
        let texts = otpless.world.gateway.sent.map(\.text)
        #expect(texts.count == 2 && texts.allSatisfy { $0.hasSuffix("\n" + OtplessWorld.hash) })
    }

    @Test func `tries WhatsApp before a text message for ALL`() async throws {
        let otpless = try await OtplessWorld()
        _ = await otpless.post("/auth/otp/v1/send", #"{"phoneNumber":"12001004014","channel":"ALL"}"#)
        #expect(otpless.world.gateway.sent.first?.forms.map(\.channel) == [.whatsapp, .sms])
    }

    @Test(arguments: [
        (#"{"channel":"SMS"}"#, "7106"), (#"{"email":"a@shop.example"}"#, "7105"),
        (#"{"phoneNumber":"12001004014","orderId":7}"#, "7119"),
        (#"{"phoneNumber":"12001004014","hash":"BBBBBBBBBBB"}"#, "7121"),
        (#"{"phoneNumber":"12001004014","channel":"PIGEON"}"#, "7103"),
        (#"{"phoneNumber":"12001004014","expiry":1}"#, "7113"),
        (#"{"phoneNumber":"12001004014","otpLength":8}"#, "7116"),
        (#"{"phoneNumber":"12001004014","hash":"AAAAA AAAAA"}"#, "7121"),
    ]) func `refuses an order that is not as it must be`(body: String, code: String) async throws {
        let otpless = try await OtplessWorld()
        let answer = await otpless.post("/auth/otp/v1/send", body)
        #expect(answer.status == 400 && answer.errorCode == code, "\(answer.text)")
        #expect(otpless.world.gateway.sent.isEmpty)
    }
}
