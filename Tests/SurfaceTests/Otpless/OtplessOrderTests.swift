import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing

/// The older calls: `/auth/otp/v1/send`, `resend`, `verify`.
@Suite(.timeLimit(.minutes(10))) struct OtplessOrderTests {
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

    @Test func `checks that the number is the order's`() async throws {
        let otpless = try await OtplessWorld()
        let order = #","orderId":"\#(await send(otpless).orderID)""#
        let foreign = await verify(otpless, "123456", order + #","phoneNumber":"+12001004015""#)
        #expect(foreign.status == 400 && foreign.errorCode == "7114")
        #expect(await verify(otpless, "123456", order + #","phoneNumber":"12001004014""#).json["isOTPVerified"] == true)
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
        (#"{"phoneNumber":"12001004014","orderId":"mine"}"#, "7119"),
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
