import Locks
import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import HTTPServer
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

@Suite struct IdentityManagerTests {
    private static let stranger = "019b7907-8d58-7500-8000-000000000001"
    private static let notFound = #"{"code":8010,"message":"no such identity"}"#

    @Test func `enrols a number once, under one id with two names`() async throws {
        let world = try await World()
        let answer = await world.post(
            "/v3/identity",
            """
            {"phoneNumber":"2001004014","clientCustomerId":"c-1","clientHumanId":"h-1","clientRequestId":"r-1",\
            "deviceId":"\(Self.stranger)","future":1}
            """)
        #expect(answer.status == 200 && answer.json.names == ["proveId", "identityId", "success"])
        #expect(answer.json["success"] == true && answer.json["proveId"] == answer.json["identityId"])
        #expect(SDKShape.defects(of: answer.body, successIsText: false) == [])
        world.clock.advanceFreely(60)
        let again = await world.post("/v3/identity", #"{"phoneNumber":"+12001004014"}"#)
        #expect(again.body == answer.body)
        let id = answer.json["proveId"]?.string ?? ""
        let record = await world.call(.get, "/v3/identity/\(id)", query: "clientRequestId=r-2")
        #expect(
            record.text == """
                {"phoneNumber":"+12001004014","proveId":"\(id)","identityId":"\(id)","active":true,\
                "clientCustomerId":"c-1","clientHumanId":"h-1","deviceId":"\(Self.stranger)","createdAt":1767261600,\
                "creationString":"2026-01-01T10:00:00Z"}
                """)
        #expect(SDKShape.defects(of: record.body, successIsText: false) == [])
    }

    @Test func `a number that unify has proven keeps its proveId`() async throws {
        let world = try await World()
        let started = await world.start(#"{"possessionType":"mobile","phoneNumber":"2001004018"}"#)
        let proven = await world.status(started).json["proveId"]?.string ?? ""
        #expect(await world.call(.get, "/v3/identity/\(proven)").text == Self.notFound)
        #expect(await world.enrol("2001004018") == proven)
        #expect(await world.call(.get, "/v3/identity/\(proven)").status == 200)
    }

    /// A field, and values of it that are refused, each with the end of the message.
    typealias Bad = (name: String, bad: [(value: String, reason: String)])

    private static let twentyOne: String = {
        let items = (0..<21).map { #"{"attributeType":"a\#($0)","attributeValue":"b"}"# }
        return "[\(items.joined(separator: ","))]"
    }()

    private static let badFields: [Bad] = [
        (
            "phoneNumber",
            [
                ("null", "is missing"), (#""""#, "is missing"), ("7", "must be a string"),
                (#""12""#, "is not a possible phone number"),
                (#""[200]""#, "may have only letters, digits, blanks and + - . ( )"),
            ]
        ),
        ("clientCustomerId", [("7", "must be a string"), (#""a\nb""#, "has a control character")]),
        ("clientHumanId", [("{}", "must be a string")]), ("clientRequestId", [("[]", "must be a string")]),
        ("deviceId", [("7", "must be a string"), (#""X""#, "must be a UUID")]),
        (
            "identityAttributes",
            [
                ("{}", "must be an array"),
                (
                    twentyOne,
                    "has more than 20 entries"
                ),
                (
                    #"[{"attributeType":"a","attributeValue":"b"},{"attributeType":"a","attributeValue":"c"}]"#,
                    "has one attributeType twice"
                ),
            ]
        ),
    ]

    @Test(arguments: badFields) func `names field and reason, and enrols nothing`(
        name: String, bad: [(value: String, reason: String)]
    ) async throws {
        let world = try await World()
        let number = name == "phoneNumber" ? "" : #""phoneNumber":"2001004014","#
        for (value, reason) in bad {
            let answer = await world.post("/v3/identity", #"{\#(number)"\#(name)":\#(value)}"#)
            #expect(answer.status == 400)
            #expect(answer.text == #"{"code":8001,"message":"field '\#(name)' \#(reason)"}"#)
        }
        #expect(await world.call(.get, "/v3/identity").text == #"{"results":[]}"#)
    }

    @Test(arguments: [
        ("7", "identityAttributes[0]' must be an object"),
        (#"{"attributeValue":"b"}"#, "identityAttributes[0].attributeType' is missing"),
        (#"{"attributeType":"a","attributeValue":""}"#, "identityAttributes[0].attributeValue' is missing"),
        (
            #"{"attributeType":"\#(String(repeating: "a", count: 65))","attributeValue":"b"}"#,
            "identityAttributes[0].attributeType' is longer than 64 characters"
        ),
        (
            #"{"attributeType":"a","attributeValue":"\#(String(repeating: "b", count: 257))"}"#,
            "identityAttributes[0].attributeValue' is longer than 256 characters"
        ),
    ]) func `names what is wrong with an attribute`(attribute: String, defect: String) async throws {
        let answer = await (try World()).post(
            "/v3/identity", #"{"phoneNumber":"2001004014","identityAttributes":[\#(attribute)]}"#)
        #expect(answer.text == #"{"code":8001,"message":"field '\#(defect)"}"#)
    }

    @Test func `refuses more than twenty attributes in all`() async throws {
        let world = try await World()
        let twenty = (0..<20).map { #"{"attributeType":"a\#($0)","attributeValue":"b"}"# }.joined(separator: ",")
        _ = await world.enrol("2001004014", #","identityAttributes":[\#(twenty)]"#)
        let more = #","identityAttributes":[{"attributeType":"z","attributeValue":"b"}]}"#
        let answer = await world.post("/v3/identity", #"{"phoneNumber":"2001004014"\#(more)"#)
        #expect(answer.text == #"{"code":8001,"message":"field 'identityAttributes' would be more than 20 in all"}"#)
    }

    @Test func `tells a number that no test user has`() async throws {
        let answer = await (try World()).post("/v3/identity", #"{"phoneNumber":"+12065550100"}"#)
        #expect(answer.status == 400 && answer.json["code"] == 8007)
    }

    // MARK: Batches

    @Test(arguments: ["items", "identities"]) func `enrols a batch in order under either key`(key: String) async throws
    {
        let world = try await World()
        let items = [
            #"{"phoneNumber":"2001004014","clientCustomerId":"c-1"}"#, #"{"phoneNumber":"12"}"#, "7", "{}",
            #"{"phoneNumber":"2001004014","deviceId":"x"}"#, #"{"phoneNumber":"+12065550100"}"#,
            #"{"clientName":"Acme","identityId":"\#(Self.stranger)","pcid":"\#(Self.stranger)"}"#,
            #"{"clientName":"","identityId":"","pcid":"","phoneNumber":"2001004015"}"#,
            #"{"phoneNumber":"2001004014"}"#,
        ]
        let answer = await world.post("/v3/identity/batch", #"{"\#(key)":[\#(items.joined(separator: ","))]}"#)
        #expect(answer.status == 200 && SDKShape.defects(of: answer.body) == [])
        let results = answer.json["results"]?.array?.compactMap(\.object) ?? []
        #expect(
            results.map { $0["proveId"] != nil } == [true, false, false, false, false, false, false, true, true])
        #expect(results[0] == results[8] && results[0]["identityId"] == results[0]["proveId"])
        #expect(
            results.map { $0["error"]?.string }.prefix(5) == [
                nil, "field 'phoneNumber' is not a possible phone number", "field 'items' must have objects",
                "field 'phoneNumber' is missing", "field 'deviceId' must be a UUID",
            ])
        #expect(results[5]["error"]?.string?.hasPrefix("no test user found") == true)
        #expect(results[6]["error"] == "no such identity")
        #expect(await world.call(.get, "/v3/identity").json["results"]?.array?.count == 2)
    }

    @Test func `enrols an identity of a linked domain by what cross-domain answers`() async throws {
        let world = try await World()
        let theirs = await world.enrol("2001004015", as: "sandbox-2")
        let domain = await world.domain(of: "sandbox-2")
        let body = #"{"items":[{"clientName":"sandbox-2","identityId":"\#(theirs)","pcid":"\#(domain)"}]}"#
        let before = await world.post("/v3/identity/batch", body)
        #expect(before.text == #"{"results":[{"error":"no such identity"}]}"#)
        await world.link()
        let result = await world.post("/v3/identity/batch", body).json["results"]?.array?.first?.object
        let mine = result?["proveId"]?.string ?? ""
        #expect(mine != theirs)
        #expect(await world.call(.get, "/v3/identity/\(mine)").json["phoneNumber"] == "+12001004015")
    }

    @Test func `takes a hundred items in more than 4 KiB, and not one more`() async throws {
        let world = try await World()
        func batch(_ count: Int) -> String {
            let padding = String(repeating: "c", count: 100)
            let item = #"{"phoneNumber":"2001004014","clientCustomerId":"\#(padding)"}"#
            return #"{"items":[\#(Array(repeating: item, count: count).joined(separator: ","))]}"#
        }
        #expect(await world.post("/v3/identity/batch", batch(100)).json["results"]?.array?.count == 100)
        let refused = await world.post("/v3/identity/batch", batch(101))
        #expect(refused.text == #"{"code":8001,"message":"field 'items' has more than 100 entries"}"#)
        for (body, reason) in [
            ("{}", "is missing"), (#"{"items":[]}"#, "is empty"), (#"{"items":7}"#, "must be an array"),
            (#"{"items":null,"identities":null}"#, "is missing"),
        ] {
            let answer = await world.post("/v3/identity/batch", body)
            #expect(answer.text == #"{"code":8001,"message":"field 'items' \#(reason)"}"#)
        }
    }

    @Test func `takes one list, not two`() async throws {
        let answer = await (try World()).post("/v3/identity/batch", #"{"items":[],"identities":[]}"#)
        #expect(answer.text == #"{"code":8001,"message":"field 'identities' must not stand beside 'items'"}"#)
        let none = await (try World()).post("/v3/identity/batch", #"{"identities":[]}"#)
        #expect(none.text == #"{"code":8001,"message":"field 'identities' is empty"}"#)
    }

    // MARK: Lists and look-up

    @Test(arguments: ["/v3/identity", "/v3/identity/"]) func `lists page by page`(path: String) async throws {
        let world = try await World()
        #expect(await world.call(.get, path).text == #"{"results":[]}"#)
        for number in ["2001004014", "2001004015", "2001004018"] {
            _ = await world.enrol(number)
            world.clock.advanceFreely(1)
        }
        let all = await world.call(.get, path)
        #expect(all.json["results"]?.array?.count == 3 && all.json["lastKey"] == nil)
        let first = await world.call(.get, path, query: "limit=2&showInactive=false&clientRequestId=r-1&startKey=")
        let lastKey = first.json["lastKey"]?.string ?? ""
        let rest = await world.call(.get, path, query: "limit=2&startKey=\(lastKey)")
        #expect(rest.json["lastKey"] == nil && SDKShape.defects(of: first.body) == [])
        let pages = (first.json["results"]?.array ?? []) + (rest.json["results"]?.array ?? [])
        #expect(pages == all.json["results"]?.array)
        #expect(await world.call(.get, path, query: "limit=3").json["lastKey"] == nil)
    }

    @Test(arguments: [
        ("limit=0", "limit", "must be a whole number from 1 to 1000"),
        ("limit=1001", "limit", "must be a whole number from 1 to 1000"),
        ("limit=-1", "limit", "must be a whole number from 1 to 1000"),
        ("limit=1.0", "limit", "must be a whole number from 1 to 1000"),
        ("limit=99999999999999999999", "limit", "must be a whole number from 1 to 1000"),
        ("startKey=x", "startKey", "must be a UUID"),
        ("showInactive=1", "showInactive", "must be true or false"),
        ("showInactive=truest", "showInactive", "must be true or false"),
        ("clientRequestId=%00", "clientRequestId", "has a control character"),
    ]) func `names a bad parameter`(query: String, name: String, reason: String) async throws {
        let answer = await (try World()).call(.get, "/v3/identity", query: query)
        #expect(answer.status == 400)
        #expect(answer.text == #"{"code":8001,"message":"field '\#(name)' \#(reason)"}"#)
    }

    @Test(arguments: [1, 1000]) func `takes the borders of a limit`(limit: Int) async throws {
        #expect(await (try World()).call(.get, "/v3/identity", query: "limit=\(limit)").status == 200)
    }

    @Test(arguments: ["2001004014", "12001004014", "+12001004014", "%2B12001004014"])
    func `looks a number up however its plus is written`(number: String) async throws {
        let world = try await World()
        let id = await world.enrol("2001004014")
        let answer = await world.call(.get, "/v3/identity/\(number)/lookup")
        #expect(answer.json["items"]?.array?.map { $0.object?["proveId"]?.string } == [id])
        #expect(SDKShape.defects(of: answer.body) == [])
    }

    @Test func `enrols at the path with a slash as well`() async throws {
        let world = try await World()
        let answer = await world.post("/v3/identity/", #"{"phoneNumber":"2001004014"}"#)
        #expect(answer.status == 200 && answer.json["success"] == true, "\(answer.text)")
        let again = await world.post("/v3/identity", #"{"phoneNumber":"(200) 100-4014"}"#)
        #expect(again.json["proveId"] == answer.json["proveId"])
    }

    @Test func `looks up nothing for a number without an identity, and refuses what is no number`() async throws {
        let world = try await World()
        #expect(await world.call(.get, "/v3/identity/2001004014/lookup").text == "{}")
        let bad = await world.call(.get, "/v3/identity/12/lookup")
        #expect(bad.text == #"{"code":8001,"message":"field 'mobileNumber' is not a possible phone number"}"#)
        let letters = await world.call(.get, "/v3/identity/a_b/lookup")
        #expect(
            letters.text
                == #"{"code":8001,"message":"field 'mobileNumber' may have only letters, digits, blanks and + - . ( )"}"#
        )
        #expect(await world.call(.get, "/v3/identity/+12065550100/lookup").json["code"] == 8007)
    }

    // MARK: Changes

    @Test func `an inactive identity is left out of lists and still there`() async throws {
        let world = try await World()
        let id = await world.enrol("2001004014")
        for _ in 0..<2 {
            let off = await world.post("/v3/identity/\(id)/deactivate", #"{"clientRequestId":"r-1"}"#)
            #expect(off.text == #"{"success":true}"#)
        }
        #expect(await world.call(.get, "/v3/identity").text == #"{"results":[]}"#)
        #expect(await world.call(.get, "/v3/identity", query: "showInactive=true").json["results"]?.array?.count == 1)
        // Python writes its booleans so.
        #expect(await world.call(.get, "/v3/identity", query: "showInactive=True").json["results"]?.array?.count == 1)
        #expect(await world.call(.get, "/v3/identity", query: "showInactive=FALSE").status == 200)
        #expect(await world.call(.get, "/v3/identity/\(id)").json["active"] == false)
        #expect(await world.enrol("2001004014") == id)
        #expect(await world.call(.get, "/v3/identity/\(id)").json["active"] == false)
        #expect(await world.post("/v3/identity/\(id)/activate", "{}").text == #"{"success":true}"#)
        #expect(await world.call(.get, "/v3/identity").json["results"]?.array?.count == 1)
    }

    @Test(arguments: ["activate", "deactivate", "cross-domain"])
    func `needs no body, and looks at the one that is there`(call: String) async throws {
        let world = try await World()
        let path = "/v3/identity/\(await world.enrol("2001004014"))/\(call)"
        let headers = [World.bearer()]
        #expect(await world.client.send(World.request(.post, path, "", headers, contentType: nil)).status == 200)
        #expect(await world.client.send(World.request(.post, path, "", headers)).status == 200)
        #expect(await world.post(path, #"{"clientRequestId":7}"#).json["code"] == 8001)
        #expect(await world.post(path, "[").status == 400)
        #expect(
            await world.client.send(World.request(.post, path, "{}", headers, contentType: "text/plain")).status == 415)
    }

    @Test func `a removed identity is gone, and its number gets another id`() async throws {
        let world = try await World()
        let id = await world.enrol("2001004014")
        let removed = await world.call(.delete, "/v3/identity/\(id)", query: "clientRequestId=r-1")
        #expect(
            removed.text == #"{"success":true,"erased":{"identities":1,"deviceKeys":0,"sessions":0}}"#)
        #expect(SDKShape.defects(of: removed.body, successIsText: false) == [])
        #expect(await world.call(.delete, "/v3/identity/\(id)").text == Self.notFound)
        #expect(await world.call(.get, "/v3/identity/\(id)").text == Self.notFound)
        #expect(await world.call(.get, "/v3/identity/2001004014/lookup").text == "{}")
        let again = await world.enrol("2001004014")
        #expect(!again.isEmpty && again != id)
    }

    @Test func `an id of nobody, of another tenant, or in another form names nothing`() async throws {
        let world = try await World()
        let theirs = await world.enrol("2001004014", as: "sandbox-2")
        for id in [Self.stranger, theirs, "x", Self.stranger.uppercased(), "%20"] {
            for answer in [
                await world.call(.get, "/v3/identity/\(id)"), await world.call(.delete, "/v3/identity/\(id)"),
                await world.post("/v3/identity/\(id)/activate", "{}"),
                await world.post("/v3/identity/\(id)/deactivate", "{}"),
                await world.post("/v3/identity/\(id)/cross-domain", "{}"),
            ] {
                #expect(answer.status == 404 && answer.text == Self.notFound)
            }
        }
        #expect(await world.call(.get, "/v3/identity/2001004014/lookup").text == "{}")
        #expect(await world.call(.get, "/v3/identity", query: "showInactive=true").text == #"{"results":[]}"#)
        #expect(await world.call(.get, "/v3/identity/\(theirs)", as: "sandbox-2").json["active"] == true)
    }

    // MARK: The gate

    private static let calls: [(HTTPServer.Method, String)] = [
        (.post, "/v3/verify"), (.post, "/v3/verify/batch"), (.post, "/v3/identity"), (.post, "/v3/identity/batch"),
        (.get, "/v3/identity"), (.get, "/v3/identity/"), (.get, "/v3/identity/2001004014/lookup"),
        (.get, "/v3/identity/x"), (.delete, "/v3/identity/x"), (.post, "/v3/identity/x/activate"),
        (.post, "/v3/identity/x/deactivate"), (.post, "/v3/identity/x/cross-domain"), (.get, "/v3/domain/id"),
        (.get, "/v3/domain/linked"), (.post, "/v3/domain/link"), (.post, "/v3/domain/confirm-link"),
        (.post, "/v3/domain/unlink"), (.get, "/v3/discover"), (.get, "/v3/fetch"),
    ]

    @Test(arguments: calls) func `asks for a token on every call, before the body has come`(
        method: HTTPServer.Method, path: String
    ) async throws {
        let world = try await World()
        let request = World.request(method, path, "{}")
        let answer = await world.client.send(request)
        #expect(answer.status == 401 && answer.json["code"] == 8002)
        #expect(world.client.answerToHead(request)?.status == 401)
        #expect(world.client.answerToHead(World.request(method, path, "", [World.bearer()])) == nil)
    }

    @Test func `tells a body that is too large, or of another type, from its head`() async throws {
        let world = try await World()
        let length = (name: "Content-Length", value: "262145")
        for (path, status) in [
            ("/v3/verify", 413), ("/v3/identity", 413), ("/v3/identity/", 413), ("/v3/verify/batch", nil),
            ("/v3/identity/batch", nil),
        ]
            as [(String, Int?)]
        {
            let large = World.request(.post, path, "", [World.bearer(), length])
            #expect(world.client.answerToHead(large)?.status == status)
            let text = World.request(.post, path, "", [World.bearer()], contentType: "text/plain")
            #expect(world.client.answerToHead(text)?.status == 415)
        }
    }

    @Test func `shares one rate with the other platform calls`() async throws {
        var options = World.Options()
        options.platform.requestsPerSecond = 2
        let world = try await World(options)
        #expect(await world.call(.get, "/v3/domain/id").status == 200)
        #expect(await world.post("/v3/unify", #"{"possessionType":"mobile"}"#).status == 200)
        let limited = await world.call(.get, "/v3/identity")
        #expect(limited.status == 429 && limited.header("retry-after") == "1")
        #expect(await world.call(.get, "/v3/identity", as: "sandbox-2").status == 200)
    }

    @Test func `hides what went wrong inside, and reports it with the request's id`() async throws {
        let world = try await World()
        world.store.fail(with: .failed(code: 10, operation: "step"))
        let answer = await world.call(.get, "/v3/identity")
        #expect(answer.text == #"{"code":8000,"message":"internal error"}"#)
        #expect(world.reports.withLock { $0 }.contains { $0.contains("request q") && $0.contains("storage") })
        world.store.fail(with: .overloaded)
        #expect(await world.call(.get, "/v3/domain/id").status == 503)
    }
}

extension FixedClock {
    func advanceFreely(_ seconds: Int64) { _ = advance(seconds: seconds) }
}
