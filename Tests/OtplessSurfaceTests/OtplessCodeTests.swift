import HTTPServer
import Possession
import Sandbox
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// `POST /auth/v1/initiate/otp` and `/verify/otp`.
@Suite(.timeLimit(.minutes(60))) struct OtplessCodeTests {
    @Test(arguments: ["+12001004014", "12001004014", "1 (200) 100-4014"])
    func `sends a code and takes it once`(number: String) async throws {
        let otpless = try await OtplessWorld()
        let sent = await otpless.initiate(number, #","channels":["SMS"],"expiry":60,"otpLength":6"#)
        #expect(sent.status == 200 && sent.json == ["requestId": .string(sent.requestID)])
        #expect(otpless.sentCodes == ["123456"])
        let wrong = await otpless.verify("999999", sent.requestID)
        #expect(wrong.status == 400 && wrong.errorCode == "7118")
        let right = await otpless.verify("123456", sent.requestID)
        #expect(
            right.json == [
                "requestId": .string(sent.requestID), "isOTPVerified": true, "message": "OTP verified successfully",
            ])
        let again = await otpless.verify("123456", sent.requestID)
        #expect(again.status == 400 && again.errorCode == "7115")
    }

    @Test func `ends a request at the fifth wrong code`() async throws {
        let otpless = try await OtplessWorld()
        let id = await otpless.initiate().requestID
        for _ in 0..<5 { #expect(await otpless.verify("999999", id).errorCode == "7118") }
        let late = await otpless.verify("123456", id)
        #expect(late.status == 400 && late.errorCode == "7118")
        #expect(late.json["description"] == "too many codes were wrong; begin another request")
    }

    @Test func `asks for no try for what can be no code`() async throws {
        let otpless = try await OtplessWorld()
        let id = await otpless.initiate().requestID
        for _ in 0..<6 { #expect(await otpless.verify("12a456", id).errorCode == "7118") }
        #expect(await otpless.verify("123456", id).status == 200)
    }

    @Test(arguments: [("", 299, true), ("", 300, false), (#","expiry":60"#, 59, true), (#","expiry":60"#, 60, false)])
    func `takes a code within its life, the end not included`(more: String, age: Int64, isTaken: Bool) async throws {
        let otpless = try await OtplessWorld()
        let id = await otpless.initiate(OtplessWorld.lorant, more).requestID
        _ = otpless.world.clock.advance(seconds: age)
        let checked = await otpless.verify("123456", id)
        #expect(checked.status == (isTaken ? 200 : 400))
        #expect(checked.errorCode == (isTaken ? nil : "7303"))
    }

    @Test(arguments: [4, 6]) func `sends as many digits as the caller wants`(length: Int) async throws {
        let otpless = try await OtplessWorld.ofAnyNumber()
        let id = await otpless.initiate("+12015550123", #","otpLength":\#(length)"#).requestID
        let code = try #require(otpless.sentCodes.first ?? nil)
        #expect(code.utf8.count == length)
        #expect(await otpless.verify(code, id).status == 200)
    }

    @Test func `gives the channels in their order`() async throws {
        let otpless = try await OtplessWorld()
        _ = await otpless.initiate(OtplessWorld.lorant, #","channels":["WHATSAPP","SMS"]"#)
        let message = try #require(otpless.world.gateway.sent.first)
        #expect(message.forms.map(\.channel) == [.whatsapp, .sms])
    }

    @Test func `begins another request with each call`() async throws {
        let otpless = try await OtplessWorld.ofAnyNumber()
        let (first, second) = (await otpless.initiate("+12015550123"), await otpless.initiate("+12015550123"))
        #expect(first.requestID != second.requestID)
        let codes = otpless.sentCodes.compactMap { $0 }
        #expect(await otpless.verify(codes[0], first.requestID).status == 200)
        #expect(await otpless.verify(codes[1], second.requestID).status == 200)
    }

    @Test func `lets one of sixteen racing right codes pass`() async throws {
        let otpless = try await OtplessWorld()
        let id = await otpless.initiate().requestID
        let answers = await withTaskGroup(of: Response.self) { group in
            for _ in 0..<16 { group.addTask { await otpless.verify("123456", id) } }
            return await group.reduce(into: [Response]()) { $0.append($1) }
        }
        #expect(answers.count { $0.status == 200 } == 1)
        #expect(answers.count { $0.errorCode == "7115" } == 15)
    }

    @Test(arguments: [
        (#"{}"#, "7106"), (#"{"phoneNumber":""}"#, "7106"), (#"{"phoneNumber":null}"#, "7106"),
        (#"{"phoneNumber":"abc"}"#, "7101"), (#"{"phoneNumber":"+1"}"#, "7101"), (#"{"phoneNumber":12}"#, "7101"),
        (#"{"phoneNumber":"+12065550123"}"#, "7101"), (#"{"email":"a@shop.example"}"#, "7105"),
        (#"{"phoneNumber":"+12001004014","channels":"SMS"}"#, "7103"),
        (#"{"phoneNumber":"+12001004014","channels":["sms"]}"#, "7103"),
        (#"{"phoneNumber":"+12001004014","channels":["SMS","SMS"]}"#, "7103"),
        (#"{"phoneNumber":"+12001004014","channels":["PIGEON"]}"#, "7103"),
        (#"{"phoneNumber":"+12001004014","channels":["SMS","EMAIL"]}"#, "7103"),
        (#"{"phoneNumber":"+12001004014","channels":["SMS","","","","",""]}"#, "7103"),
        (#"{"phoneNumber":"+12001004014","expiry":29}"#, "7113"),
        (#"{"phoneNumber":"+12001004014","expiry":86401}"#, "7113"),
        (#"{"phoneNumber":"+12001004014","expiry":"60"}"#, "7113"),
        (#"{"phoneNumber":"+12001004014","expiry":9223372036854775807}"#, "7113"),
        (#"{"phoneNumber":"+12001004014","otpLength":5}"#, "7116"),
        (#"{"phoneNumber":"+12001004014","otpLength":6.5}"#, "7116"),
        (#"{"phoneNumber":"+12001004014","otpHash":"\u0000"}"#, "7121"),
        (#"{"phoneNumber":"+12001004014","appHash":"AAAAAAAAAA"}"#, "7121"),
        (#"{"phoneNumber":"+12001004014","appHash":"AAAAAAAAAAAA"}"#, "7121"),
        (#"{"phoneNumber":"+12001004014","metadata":{"a":null}}"#, "7101"),
        (#"{"phoneNumber":"+12001004014","metadata":{"a":"\u0000"}}"#, "7101"),
        (#"{"phoneNumber":"+12001004014","metadata":{"a":"1","a":"2"}}"#, "7101"),
        (#"{"phoneNumber":"+12001004014","metadata":{"a":1}}"#, "7101"),
        (#"{"phoneNumber":"+12001004014","metadata":[]}"#, "7101"), ("[]", "7101"), ("{", "7101"), ("", "7101"),
    ]) func `refuses a member that is not as it must be`(body: String, code: String) async throws {
        let otpless = try await OtplessWorld()
        let answer = await otpless.post("/auth/v1/initiate/otp", body)
        #expect(answer.status == 400 && answer.errorCode == code, "\(answer.text)")
        #expect(answer.json["message"] == "Invalid Request")
        #expect(otpless.world.gateway.sent.isEmpty)
    }

    @Test func `takes members that it does not know or use`() async throws {
        let otpless = try await OtplessWorld()
        let more = #","channels":[],"email":null,"appHash":"","metadata":{"a":"b"},"unheard":{"of":[1]}"#
        #expect(await otpless.initiate(OtplessWorld.lorant, more).status == 200)
    }

    @Test func `names the number in what it says of a text that is none`() async throws {
        let otpless = try await OtplessWorld.ofAnyNumber()
        let answer = await otpless.initiate("12")
        #expect(answer.errorCode == "7101")
        #expect(answer.json["description"] == "field 'phoneNumber' is not a possible phone number")
    }

    @Test func `tells a number that gets no messages from one that is none`() async throws {
        var options = World.Options()
        options.unknownNumbers = .simulate
        options.kinds = ["+12065551": .voiceOverIP]
        options.limits.lineTypes = [.mobile]
        let otpless = try await OtplessWorld(options)
        let answer = await otpless.initiate("+12065551000")
        #expect(answer.status == 400 && answer.errorCode == "7102")
        #expect(answer.json["description"]?.string?.hasPrefix("field 'phoneNumber' is a VoIP number") == true)
    }

    @Test func `sends by Viber, and tells so`() async throws {
        let otpless = try await OtplessWorld()
        let id = await otpless.initiate(OtplessWorld.lorant, #","channels":["VIBER"]"#).requestID
        #expect(otpless.world.gateway.sent.map(\.channel) == [.viber])
        #expect(await otpless.verify(OtplessWorld.right, id).status == 200)
        let identity = await otpless.status(id).json["identities"]?.array?.first?.object
        #expect(identity?["methods"] == .array([.string("VIBER")]))
    }

    // MARK: What goes with a request

    @Test(arguments: [(20, 256, 200), (21, 1, 400), (1, 257, 400)])
    func `keeps metadata up to a number and a length`(count: Int, length: Int, status: Int) async throws {
        let otpless = try await OtplessWorld()
        let long = String(repeating: "é", count: length)
        // The longest that fits into a body: one text of that length, and short ones.
        let texts = (0..<count).map { #""name \#($0)":"\#($0 == 0 ? long : "x")""# }.joined(separator: ",")
        let answer = await otpless.initiate(OtplessWorld.lorant, #","metadata":{\#(texts)}"#)
        #expect(answer.status == status)
        guard status == 200 else {
            #expect(answer.errorCode == "7101" && answer.text.contains("'metadata' must be an object of at most 20"))
            return
        }
        let id = try #require(CorrelationID(answer.requestID))
        let kept = try #require(try await otpless.world.store.session(.correlation(id))).request.metadata.entries
        #expect(kept.count == count && kept.first == SessionMetadata.Entry("name 0", long))
    }

    @Test(arguments: ["appHash", "otpHash"])
    func `ends a text message with the hash that the client has registered`(member: String) async throws {
        let otpless = try await OtplessWorld()
        try await otpless.register(hash: OtplessWorld.hash)
        let more = #","channels":["SMS","WHATSAPP"],"\#(member)":"\#(OtplessWorld.hash)""#
        let id = await otpless.initiate(OtplessWorld.lorant, more).requestID
        let forms = try #require(otpless.world.gateway.sent.first).forms
        #expect(forms.map { $0.text.hasSuffix("\n" + OtplessWorld.hash) } == [true, false])
        #expect(await otpless.verify(OtplessWorld.right, id).status == 200)
    }

    @Test(arguments: ["appHash", "otpHash"])
    func `refuses a hash that the client has not registered`(member: String) async throws {
        let otpless = try await OtplessWorld()
        try await otpless.register(hash: OtplessWorld.hash, by: "sandbox-2")
        let answer = await otpless.initiate(OtplessWorld.lorant, #","\#(member)":"\#(OtplessWorld.hash)""#)
        #expect(
            answer.status == 400 && answer.errorCode == "7121" && answer.text.contains("'\(member)' is not registered"))
        #expect(otpless.world.gateway.sent.isEmpty)
    }

    @Test(arguments: ["expiry", "channels", "metadata", "otpLength", "appHash", "locale"])
    func `an empty text counts as absent`(member: String) async throws {
        let otpless = try await OtplessWorld()
        #expect(await otpless.initiate(OtplessWorld.lorant, #","\#(member)":"""#).status == 200)
    }

    @Test(arguments: ["1234", "12345678", "123456789"])
    func `a code of another length costs no try`(code: String) async throws {
        let otpless = try await OtplessWorld()
        let id = await otpless.initiate().requestID
        for _ in 0..<6 { #expect(await otpless.verify(code, id).errorCode == "7118") }
        #expect(await otpless.verify(OtplessWorld.right, id).status == 200)
    }

    @Test func `knows the language of the message`() async throws {
        let otpless = try await OtplessWorld()
        let id = await otpless.initiate(OtplessWorld.lorant, #","locale":"pt-BR""#).requestID
        let session = try await otpless.world.store.session(.correlation(try #require(CorrelationID(id))))
        #expect(session?.request.options.locale == LanguageTag("pt-BR"))
    }

    @Test func `refuses a channel that no gateway carries`() async throws {
        let otpless = try await OtplessWorld(carries: { $0 == .sms })
        for channels in [#"["WHATSAPP","SMS"]"#, #"["SMS","VIBER"]"#] {
            let answer = await otpless.initiate(OtplessWorld.lorant, #","channels":\#(channels)"#)
            #expect(answer.errorCode == "7103" && answer.text.contains("'channels'"))
        }
        #expect(await otpless.initiate(OtplessWorld.lorant, #","channels":["SMS"]"#).status == 200)
    }

    @Test func `tells that no message left`() async throws {
        let otpless = try await OtplessWorld()
        otpless.world.gateway.refuse(true)
        let refused = await otpless.initiate()
        #expect(refused.status == 503 && refused.errorCode == "500" && refused.header("Retry-After") == "1")
    }

    @Test(arguments: [
        (#"{"otp":"123456"}"#, "7119"), (#"{"requestId":"1","otp":"123456"}"#, "7119"),
        (#"{"requestId":"019b7907-8d58-7500-8000-000000000001"}"#, "7112"),
        (#"{"requestId":"019b7907-8d58-7500-8000-000000000001","otp":""}"#, "7112"),
        (#"{"requestId":"019b7907-8d58-7500-8000-000000000001","otp":"123456"}"#, "7114"),
        (#"{"requestId":"019b79078d5875008000000000000001","otp":"123456"}"#, "7114"),
        (#"{"requestId":"ARID_019b79078d5875008000000000000001","otp":"123456"}"#, "7114"),
        (#"{"requestId":"00000000000000000000000000000000","otp":"123456"}"#, "7114"),
    ]) func `refuses a check that names nothing`(body: String, code: String) async throws {
        let otpless = try await OtplessWorld()
        let answer = await otpless.post("/auth/v1/verify/otp", body)
        #expect(answer.status == 400 && answer.errorCode == code)
    }
}
