import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing

/// `GET .../Attempts`.
@Suite(.timeLimit(.minutes(10))) struct AttemptsTests {
    private let twilio: TwilioWorld

    init() async throws { twilio = try await TwilioWorld() }

    private func attempts(_ path: String = "", _ query: String, as client: String = "sandbox") async -> Response {
        await twilio.client.send(
            Request(
                method: .get, path: "/twilio-verify/v2/Attempts\(path)", rawQuery: query,
                headers: Headers([TwilioWorld.basic(of: client)]), id: "q"))
    }

    @Test func `lists the messages of a verification, the newest first, also once it is over`() async throws {
        let sid = await twilio.create().sid
        _ = twilio.world.clock.advance(seconds: 30)
        _ = await twilio.create(by: "call")
        _ = twilio.world.clock.advance(seconds: 5)
        _ = await twilio.check(TwilioWorld.right)
        for query in ["VerificationSid=\(sid)", "ChannelData.To=%2B12001004014"] {
            let list = await attempts("", query).json["attempts"]?.array?.compactMap(\.object) ?? []
            #expect(list.map { $0["channel"]?.string } == ["call", "sms"])
            #expect(list.map { $0["conversion_status"]?.string } == ["converted", "unconverted"])
            #expect(list.map { $0["date_created"]?.string } == ["2026-01-01T10:00:30Z", "2026-01-01T10:00:00Z"])
            #expect(list.first?["date_updated"] == "2026-01-01T10:00:35Z")
            #expect(list.first?["verification_sid"]?.string == sid)
            let first = list.first?["sid"]?.string ?? ""
            #expect(await attempts("/\(first)", "").json == list.first)
            #expect(await attempts("/\(first)", "", as: "sandbox-2").code == 20404)
        }
    }

    @Test func `shows those that are asked for`() async throws {
        let sid = await twilio.create().sid
        _ = await twilio.create(by: "call")
        for (query, count) in [
            ("Channel=sms", 1), ("Channel=whatsapp", 0), ("Status=converted", 0), ("Status=unconverted", 2),
            ("VerifyServiceSid=\(twilio.service())", 2), ("VerifyServiceSid=\(twilio.service("sandbox-2"))", 0),
            ("PageSize=20&Page=0", 2),
        ] {
            let list = await attempts("", "VerificationSid=\(sid)&\(query)").json["attempts"]?.array
            #expect(list?.count == count, "\(query)")
        }
        #expect(await attempts("", "VerificationSid=\(sid)", as: "sandbox-2").json["attempts"]?.array == [])
        #expect(await attempts("", "ChannelData.To=%2B12065550123").json["attempts"]?.array == [])
    }

    @Test(arguments: [
        "", "VerificationSid=VE0", "Channel=pigeon", "Status=maybe", "DateCreatedAfter=2026-01-01T00:00:00Z",
        "Country=US", "ChannelData.To=abc", "ChannelData.To=%2B12001004014&PageSize=0",
    ]) func `refuses what it finds nothing by`(query: String) async throws {
        _ = await twilio.create()
        let answer = await attempts("", query)
        #expect(answer.status == 400 && answer.code == 60200, "\(answer.text)")
    }

    @Test(arguments: ["VL00000000000000000000000000000000", "VL0", "VE00000000000000000000000000000000"])
    func `answers 404 for what is no attempt`(sid: String) async throws {
        #expect(await attempts("/\(sid)", "").code == 20404)
    }

    @Test func `a message that was given back is no attempt`() async throws {
        let sid = await twilio.create().sid
        twilio.world.gateway.refuse(true)
        #expect(await twilio.create().code == 20503)
        #expect(await attempts("", "VerificationSid=\(sid)").json["attempts"]?.array?.count == 1)
    }
}
