import HTTPServer
import Engine
import Possession
import Sandbox
import StrictJSON
import TestSupport
import Testing
@testable import OtplessSurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Links that give a code to the browser that opens them: `/auth/v1/initiate/magiclink`, `/auth/v1/initiate/otplink`, the
/// page of a link, `/auth/v1/verify/code`.
@Suite(.timeLimit(.minutes(60))) struct OtplessLinkTests {
    // MARK: From the message to the success

    @Test func `a link gives a code by a tap, and the code is the success`() async throws {
        let otpless = try await OtplessWorld()
        let sent = await otpless.sendLink(OtplessWorld.lorant, #","channels":["WHATSAPP"]"#)
        #expect(sent.status == 200)
        let message = try #require(otpless.world.gateway.sent.first)
        #expect(message.code == nil && message.forms.map(\.channel) == [.whatsapp])
        #expect(message.forms[0].text.contains(try #require(message.link)))

        let tapped = await otpless.tap()
        #expect(tapped.status == 303)
        let page = try #require(tapped.headers.first { $0.name == "Location" }?.value)
        #expect(page.hasPrefix(OtplessWorld.page + "&code="))
        #expect(tapped.headers.contains { $0 == ("Referrer-Policy", "no-referrer") })
        #expect(tapped.headers.contains { $0 == ("Cache-Control", "no-store") })
        let code = try #require(tapped.givenCode)
        #expect(code.utf8.count == 43)
        #expect(await otpless.status(sent.requestID).json["status"] == "PENDING")

        let now = otpless.world.clock.now()
        let verified = await otpless.verifyCode(code)
        #expect(verified.status == 200 && verified.requestID == sent.requestID)
        let user = try #require(verified.json["userDetails"]?.object)
        let token = try #require(user["token"]?.string)
        #expect(
            user["identities"] == [
                [
                    "identityType": "MOBILE", "identityValue": "12001004014", "channel": "MAGICLINK",
                    "methods": ["WHATSAPP"], "verified": true, "verifiedAt": .string(now.rfc3339),
                ]
            ])
        let status = await otpless.status(sent.requestID)
        #expect(status.json["status"] == "SUCCESS" && status.json["token"] == .string(token))
        #expect(await otpless.validate(token).status == 200)
        #expect(await otpless.verifyCode(code).errorCode == "7118")
    }

    @Test func `scanners and previews use nothing up`() async throws {
        let otpless = try await OtplessWorld()
        let id = await otpless.sendLink().requestID
        for method in [HTTPServer.Method.get, .head, .get] {
            let page = await otpless.openLink(method)
            #expect(page.status == 200 && page.givenCode == nil)
            #expect(!page.text.contains("code="))
        }
        #expect(await otpless.openLink(.put).status == 405)
        #expect(await otpless.openLink().text.contains(">Continue</button>"))
        let session = try await otpless.world.store.session(.correlation(#require(CorrelationID(id))), in: .all)
        #expect(session?.exchange == nil && session?.isDone == false)
        #expect(await otpless.verifyCode(await otpless.tapped()).status == 200)
    }

    @Test func `each tap gives a code, and only the newest is good`() async throws {
        let otpless = try await OtplessWorld()
        _ = await otpless.sendLink()
        let (first, second) = (await otpless.tapped(), await otpless.tapped())
        #expect(first != second)
        #expect(await otpless.verifyCode(first).errorCode == "7118")
        #expect(await otpless.verifyCode(second).status == 200)
        let again = await otpless.tap()
        #expect(again.status == 410 && again.givenCode == nil && again.text.contains("This link was used already"))
        #expect(await otpless.openLink().status == 410)
    }

    @Test func `a denied link declines the request`() async throws {
        let otpless = try await OtplessWorld()
        let id = await otpless.sendLink().requestID
        let code = await otpless.tapped()
        let denied = await otpless.tap("deny")
        #expect(denied.status == 200 && denied.givenCode == nil && denied.text.contains("The request was denied"))
        #expect(await otpless.status(id).json["status"] == "DECLINE")
        #expect(await otpless.verifyCode(code).errorCode == "7118")
    }

    @Test func `a person whose phone is another one gets no code`() async throws {
        var options = World.Options()
        options.users = SandboxUsers([
            SandboxUser(
                digits: "2001004014", number: PhoneNumber(e164: OtplessWorld.lorant)!, name: "Lorant",
                region: .northAmerica, link: .mismatch)
        ])
        let otpless = try await OtplessWorld(options)
        let id = await otpless.sendLink().requestID
        let tapped = await otpless.tap()
        #expect(tapped.status == 200 && tapped.givenCode == nil)
        #expect(await otpless.status(id).json["status"] == "DECLINE")
    }

    @Test func `what is played for a person denies, and takes no code away from a browser`() async throws {
        let otpless = try await OtplessWorld()
        let service = LinkService(otpless.world.engine, in: .all)
        let token = { String(otpless.world.newestLink.dropFirst(3)) }
        let approved = await otpless.sendLink().requestID
        try await service.answer(token(), approves: true)
        #expect(await otpless.status(approved).json["status"] == "PENDING")
        #expect(await otpless.verifyCode(await otpless.tapped()).status == 200)
        let denied = await otpless.sendLink().requestID
        try await service.answer(token(), approves: false)
        #expect(await otpless.status(denied).json["status"] == "DECLINE")
    }

    // MARK: Once, in time, for one client

    @Test func `another client, another surface and a guess use nothing up`() async throws {
        let otpless = try await OtplessWorld()
        _ = await otpless.sendLink()
        let code = await otpless.tapped()
        #expect(await otpless.verifyCode(code, as: "sandbox-2").errorCode == "7118")
        #expect(await otpless.verifyCode(String(repeating: "A", count: 43)).errorCode == "7118")
        #expect(await otpless.verifyCode("nothing").errorCode == "7118")
        let platform = try await Verifications(otpless.world.engine).redeem(
            code, verifier: nil, of: ProductName(known: "unify"), for: #require(ClientID("sandbox")))
        #expect(platform == .noSession)
        #expect(await otpless.verifyCode(code).status == 200)
    }

    @Test func `one of a hundred redemptions at once wins`() async throws {
        let otpless = try await OtplessWorld()
        _ = await otpless.sendLink()
        let code = await otpless.tapped()
        let answers = await withTaskGroup(of: Response.self) { group in
            for _ in 0..<100 { group.addTask { await otpless.verifyCode(code) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0.status == 200 } == 1)
        #expect(answers.count { $0.errorCode == "7118" } == 99)
    }

    @Test(arguments: [(59, 200), (60, 400)])
    func `a code is good for 60 seconds`(seconds: Int64, status: Int) async throws {
        let otpless = try await OtplessWorld()
        let id = await otpless.sendLink().requestID
        let code = await otpless.tapped()
        _ = otpless.world.clock.advance(seconds: seconds)
        let answer = await otpless.verifyCode(code)
        #expect(answer.status == status)
        if status == 400 {
            #expect(answer.errorCode == "7118" && answer.json["message"] == "Invalid Request")
            // The link is still alive.
            #expect(await otpless.status(id).json["status"] == "PENDING")
            #expect(await otpless.verifyCode(await otpless.tapped()).status == 200)
        }
    }

    @Test func `a link expires, and a code of its last second does not`() async throws {
        let otpless = try await OtplessWorld()
        let id = await otpless.sendLink(OtplessWorld.lorant, #","expiry":30"#).requestID
        _ = otpless.world.clock.advance(seconds: 29)
        let code = await otpless.tapped()
        _ = otpless.world.clock.advance(seconds: 1)
        let late = await otpless.tap()
        #expect(late.status == 410 && late.text.contains("This link has expired"))
        #expect(await otpless.openLink().status == 410)
        _ = otpless.world.clock.advance(seconds: 58)
        #expect(await otpless.status(id).json["status"] == "PENDING")
        #expect(await otpless.verifyCode(code).status == 200)

        let lost = await otpless.sendLink(OtplessWorld.lorant, #","expiry":30"#).requestID
        _ = otpless.world.clock.advance(seconds: 30)
        #expect(await otpless.status(lost).json["status"] == "DECLINE")
    }

    @Test func `an unknown link has a page that says so`() async throws {
        let otpless = try await OtplessWorld()
        for path in ["/l/nothing", "/l/AAAAAAAAAAAAAAAAAAAAAA"] {
            #expect(await otpless.openLink(.get, path).status == 404)
            let tapped = await otpless.tap("approve", path)
            #expect(tapped.status == 404 && tapped.givenCode == nil)
        }
    }

    @Test func `a page whose host was taken off the list gets no code`() async throws {
        let otpless = try await OtplessWorld()
        _ = await otpless.sendLink()
        let client = try #require(ClientID("sandbox"))
        _ = try await otpless.world.store.updateTenant(client) { $0.rules.finalTargetHosts = ["other.example"] }
        let tapped = await otpless.tap()
        #expect(tapped.givenCode == nil && tapped.status == 200)
    }

    // MARK: A link and a code in one message

    @Test func `one message has a code and a link, and either completes the request`() async throws {
        let otpless = try await OtplessWorld()
        for byLink in [true, false] {
            let id = await otpless.sendLink(by: "otplink").requestID
            let message = try #require(otpless.world.gateway.sent.last)
            let link = try #require(message.link)
            #expect(message.code?.text == OtplessWorld.right)
            #expect(message.forms[0].text.contains(OtplessWorld.right) && message.forms[0].text.contains("\n" + link))
            let code = await otpless.tapped()
            if byLink {
                #expect(await otpless.verifyCode(code).status == 200)
                #expect(await otpless.verify(OtplessWorld.right, id).errorCode == "7115")
            } else {
                #expect(await otpless.verify(OtplessWorld.right, id).status == 200)
                #expect(await otpless.verifyCode(code).errorCode == "7118")
            }
            #expect(await otpless.tap().status == 410)
            let identity = await otpless.status(id).json["identities"]?.array?.first?.object
            #expect(identity?["channel"] == (byLink ? "MAGICLINK" : "OTP"))
        }
    }

    @Test func `wrong codes void the link of the same message`() async throws {
        let otpless = try await OtplessWorld()
        let id = await otpless.sendLink(by: "otplink").requestID
        let code = await otpless.tapped()
        for _ in 0..<5 { _ = await otpless.verify("999999", id) }
        #expect(await otpless.verifyCode(code).errorCode == "7118")
        #expect(await otpless.status(id).json["status"] == "DECLINE")
    }

    @Test func `a magic link has no code that could be guessed`() async throws {
        let otpless = try await OtplessWorld()
        let id = await otpless.sendLink().requestID
        #expect(await otpless.verify(OtplessWorld.right, id).errorCode == "7114")
        #expect(await otpless.status(id).json["status"] == "PENDING")
    }

    // MARK: E-mail

    @Test(arguments: ["magiclink", "otplink"])
    func `a link goes to an address`(call: String) async throws {
        var options = World.Options()
        options.emails = SandboxEmails(World.users)
        let otpless = try await OtplessWorld(options)
        let sent = await otpless.post(
            "/auth/v1/initiate/\(call)",
            #"{"email":"ada@example.com","channels":["EMAIL"],"redirectURI":"https://app.example/"}"#)
        #expect(sent.status == 200)
        let message = try #require(otpless.world.gateway.sent.first)
        #expect(message.to.text == "ada@example.com" && message.forms.map(\.channel) == [.email])
        #expect(message.link != nil && message.forms[0].subject != nil)
        let verified = await otpless.verifyCode(await otpless.tapped())
        let identity = verified.json["userDetails"]?.object?["identities"]?.array?.first?.object
        #expect(identity?["identityType"] == "EMAIL" && identity?["identityValue"] == "ada@example.com")
        #expect(identity?["methods"] == ["EMAIL"])
    }

    // MARK: Bad values

    @Test(arguments: [
        (#""phoneNumber":"+12001004014""#, "7101", "redirectURI"),
        (#""phoneNumber":"+12001004014","redirectURI":null"#, "7101", "redirectURI"),
        (#""phoneNumber":"+12001004014","redirectURI":"https://evil.example/""#, "7101", "redirectURI"),
        (#""phoneNumber":"+12001004014","redirectURI":"http://app.example/""#, "7101", "redirectURI"),
        (#""phoneNumber":"+12001004014","redirectURI":"otpless.sandbox://otpless""#, "7101", "redirectURI"),
        (#""phoneNumber":"+12001004014","redirectURI":"https://app.example@evil.example/""#, "7101", "redirectURI"),
        (#""phoneNumber":"+12001004014","redirectURI":"https://app.example/#x""#, "7101", "redirectURI"),
        (#""phoneNumber":"+12001004014","redirectURI":7"#, "7101", "redirectURI"),
        (#""redirectURI":"https://app.example/""#, "7106", "phoneNumber"),
        (#""phoneNumber":"12","redirectURI":"https://app.example/""#, "7101", "phoneNumber"),
        (
            #""phoneNumber":"+12001004014","redirectURI":"https://app.example/","channels":["PIGEON"]"#, "7103",
            "channels"
        ),
        (
            #""phoneNumber":"+12001004014","redirectURI":"https://app.example/","channels":["VOICE_CALL"]"#, "7103",
            "channels"
        ),
        (
            #""phoneNumber":"+12001004014","redirectURI":"https://app.example/","channels":["EMAIL"]"#, "7103",
            "channels"
        ),
        (#""phoneNumber":"+12001004014","redirectURI":"https://app.example/","expiry":29"#, "7113", "expiry"),
        (#""phoneNumber":"+12001004014","redirectURI":"https://app.example/","expiry":86401"#, "7113", "expiry"),
        (#""email":"ada@example.com","redirectURI":"https://app.example/""#, "7105", "e-mail"),
    ])
    func `names what is wrong, and sends nothing`(members: String, errorCode: String, named: String) async throws {
        let otpless = try await OtplessWorld()
        for call in ["magiclink", "otplink"] {
            let answer = await otpless.post("/auth/v1/initiate/\(call)", "{\(members)}")
            #expect(answer.status == 400 && answer.errorCode == errorCode)
            #expect(answer.json["description"]?.string?.contains(named) == true)
        }
        #expect(otpless.world.gateway.sent.isEmpty)
    }

    @Test func `a code that is missing or none is refused by name`() async throws {
        let otpless = try await OtplessWorld()
        for body in ["{}", #"{"code":""}"#, #"{"code":null}"#] {
            let answer = await otpless.post("/auth/v1/verify/code", body)
            #expect(answer.status == 400 && answer.errorCode == "7112")
        }
        #expect(await otpless.post("/auth/v1/verify/code", #"{"code":7}"#).errorCode == "7118")
        #expect(await otpless.verifyCode("x", #","code_verifier":"short""#).errorCode == "7101")
    }
}
