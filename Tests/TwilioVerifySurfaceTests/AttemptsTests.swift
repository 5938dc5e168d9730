import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// `GET .../Attempts`.
@Suite(.timeLimit(.minutes(60))) struct AttemptsTests {
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
            ("PageSize=20&Page=0", 2), ("PageSize=1", 1), ("DateCreatedAfter=2026-01-01T10:00:00Z", 2),
            ("DateCreatedAfter=2026-01-01T10:00:01Z", 0), ("DateCreatedBefore=2026-01-01T10:00:00Z", 2),
            ("DateCreatedBefore=2026-01-01T09:59:59Z", 0), ("Country=DE", 0),
        ] {
            let list = await attempts("", "VerificationSid=\(sid)&\(query)").json["attempts"]?.array
            #expect(list?.count == count, "\(query)")
        }
        #expect(await attempts("", "VerificationSid=\(sid)", as: "sandbox-2").json["attempts"]?.array == [])
        #expect(await attempts("", "ChannelData.To=%2B12065550123").json["attempts"]?.array == [])
    }

    @Test func `lists all of the client's, of several verifications, page by page`() async throws {
        let twilio = try await TwilioWorld.ofAnyNumber { $0.regions = ["+44": "GB"] }
        func page(_ query: String) async -> (list: [JSONObject], next: String?) {
            let answer = await twilio.client.send(
                Request(
                    method: .get, path: "/twilio-verify/v2/Attempts", rawQuery: query,
                    headers: Headers([TwilioWorld.basic(of: "sandbox")]), id: "q"))
            let next = answer.json["meta"]?.object?["next_page_url"]?.string
            return (
                answer.json["attempts"]?.array?.compactMap(\.object) ?? [],
                next.flatMap { $0.split(separator: "?").last.map(String.init) }
            )
        }
        var sids: [String] = []
        for number in ["+12015550123", "+447400123456", "+12015550124"] {
            _ = twilio.world.clock.advance(seconds: 60)
            sids.insert(await twilio.create(number).sid, at: 0)
            _ = await twilio.create(number, by: "call")
        }
        _ = await twilio.create("+12015550125", as: "sandbox-2")
        let all = await page("")
        #expect(all.list.compactMap { $0["verification_sid"]?.string } == sids.flatMap { [$0, $0] } && all.next == nil)
        #expect(all.list.map { $0["channel"]?.string } == Array(repeating: ["call", "sms"], count: 3).flatMap { $0 })
        var pages: [[JSONObject]] = []
        var query: String? = "PageSize=4"
        while let asked = query, pages.count < 9 {
            let (list, next) = await page(asked)
            pages.append(list)
            query = next
        }
        #expect(pages.map(\.count) == [4, 2] && pages.flatMap { $0 } == all.list)
        #expect(await page("PageSize=3").next?.contains("PageToken=VL") == true)
        #expect(await page("Country=GB").list.count == 2)
        #expect(await page("ChannelData.To=%2B447400123456").list.count == 2)
        #expect(await page("ChannelData%5C.To=%2B447400123456").list.count == 2)
        #expect(
            await page("DateCreatedAfter=2026-01-01T10:02:00Z&Channel=sms&PageSize=1").next?.contains("Channel=sms")
                == true)
    }

    @Test func `counts the messages that came to a right code`() async throws {
        func summary(_ query: String = "") async -> JSONObject { await attempts("/Summary", query).json }
        let none = await summary()
        #expect(none["total_attempts"] == 0 && none["conversion_rate_percentage"] == "0.00")
        _ = await twilio.create()
        _ = await twilio.create(by: "call")
        _ = await twilio.create("+12001004015")
        _ = await twilio.check(TwilioWorld.right)
        let figures = await summary()
        #expect(figures["total_attempts"] == 3 && figures["total_converted"] == 1 && figures["total_unconverted"] == 2)
        #expect(figures["conversion_rate_percentage"] == "33.33")
        #expect(await summary("Channel=call")["total_attempts"] == 1)
        #expect(await summary("DestinationPrefix=1200100401")["total_attempts"] == 3)
        #expect(await summary("DestinationPrefix=%2B44")["total_attempts"] == 0)
        #expect(await summary("DateCreatedAfter=2026-01-01T10:00:01Z")["total_attempts"] == 0)
        #expect(await attempts("/Summary", "", as: "sandbox-2").json["total_attempts"] == 0)
        #expect(await attempts("/Summary", "DestinationPrefix=abc").code == 60200)
    }

    @Test(arguments: [
        "VerificationSid=VE0", "Channel=pigeon", "Status=maybe", "DateCreatedAfter=yesterday",
        "Country=us", "PageToken=abc", "Page=-1", "ChannelData.To=abc", "ChannelData.To=%2B12001004014&PageSize=0",
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
