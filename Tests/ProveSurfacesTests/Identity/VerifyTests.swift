import Sandbox
import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import HTTPServer
import Locks
@testable import Engine
@testable import Possession
@testable import SurfaceTestSupport
import StrictJSON
import TestSupport
import Testing

@Suite struct VerifyTests {
    private static let elena = IdentityExamples.elena
    private static let names = #""firstName":"Elena","lastName":"Coldman""#
    private static let secrets = ["1987-05-14", "900450053", "ecoldman", "Sutteridge", "Denver", "80204"]

    private static func world(_ change: (inout World.Options) -> Void = { _ in }) async throws -> World {
        var options = World.Options()
        options.people.all = [World.lorant: elena]
        change(&options)
        return try await World(options)
    }

    private static func body(_ type: String, _ members: String = names, number: String = "2001004014") -> String {
        #"{"phoneNumber":"\#(number)","verificationType":"\#(type)"\#(members.isEmpty ? "" : ",")\#(members)}"#
    }

    @Test func `answers a match with everything that was asked for, and enrols`() async throws {
        let world = try await Self.world()
        let references = #""clientRequestId":"r-1","clientCustomerId":"c-1","clientHumanId":"h-1""#
        let answer = await world.post("/v3/verify", Self.body("verifiedUser", "\(Self.names),\(references)"))
        #expect(answer.status == 200)
        #expect(
            answer.json.names == [
                "success", "correlationId", "phoneNumber", "proveId", "clientRequestId", "clientCustomerId",
                "clientHumanId", "identity", "isEnrolled", "evaluation",
            ])
        #expect(answer.json["success"] == "true" && answer.json["phoneNumber"] == "2001004014")
        #expect(answer.json["identity"] == ["assuranceLevel": "AL1", "reasons": ["AL1b"]])
        #expect(answer.json["evaluation"] == ["identification": ["result": "pass"]])
        #expect(SDKShape.defects(of: answer.body) == [])
        let record = await world.call(.get, "/v3/identity/\(answer.json["proveId"]?.string ?? "")").json
        #expect(record["phoneNumber"] == "+12001004014" && record["active"] == true)
        #expect(record["clientCustomerId"] == "c-1" && record["clientHumanId"] == "h-1")
        let again = await world.post("/v3/verify", Self.body("accountOpening"))
        #expect(again.json["proveId"] == answer.json["proveId"])
        #expect(again.json["correlationId"] != answer.json["correlationId"])
    }

    @Test(arguments: ["verifiedUser", "accountOpening", "prefill", "identityResolution"])
    func `answers a mismatch with a reason, and with nothing of the person`(type: String) async throws {
        let world = try await Self.world()
        let answer = await world.post("/v3/verify", Self.body(type, #""firstName":"Elena","lastName":"Other""#))
        #expect(answer.json["success"] == "false")
        #expect(
            answer.json["evaluation"]
                == ["identification": ["result": "fail", "failureReasons": ["9014": "name mismatch"]]])
        #expect(answer.json["identity"] == ["assuranceLevel": "AL0", "reasons": ["AL0b"]])
        for secret in Self.secrets + ["Coldman"] { #expect(!answer.text.contains(secret)) }
        #expect(answer.json["proveId"] == nil && answer.json["isEnrolled"] == nil)
        #expect(await world.call(.get, "/v3/identity").json["results"] == [])
        #expect(SDKShape.defects(of: answer.body) == [])
    }

    private static func limited(_ world: inout World.Options) {
        world.limits.overSessions = .init()
    }

    /// Names of a person could be tried without end.
    @Test func `takes five wrong names for a number an hour, and then no right ones`() async throws {
        let world = try await Self.world(Self.limited)
        let wrong = Self.body("verifiedUser", #""firstName":"Elena","lastName":"Other""#)
        for _ in 0..<5 {
            let answer = await world.post("/v3/verify", wrong)
            #expect(answer.status == 200 && answer.json["success"] == "false")
        }
        for body in [wrong, Self.body("accountOpening"), Self.body("prefill")] {
            let limited = await world.post("/v3/verify", body)
            #expect(limited.status == 429 && limited.json["code"] == 8004)
            #expect(limited.header("retry-after") == "3600")
            #expect(limited.json["message"]?.string?.contains("failed challenges") == true)
        }
        #expect(world.hits.withLock { Set($0) } == [.failedClaimsPerNumber])
        #expect(await world.post("/v3/verify", wrong, as: "sandbox-2").status == 200, "what others do counts for them")
        #expect(await world.post("/v3/verify", Self.body("humanAssurance")).status == 200, "compares no names")
        _ = world.clock.advance(seconds: 3600)
        #expect(await world.post("/v3/verify", Self.body("verifiedUser")).json["success"] == "true")
    }

    @Test func `an item of a batch over the limit has its error, and the rest go on`() async throws {
        let world = try await Self.world(Self.limited)
        let wrong = Self.body("verifiedUser", #""firstName":"Elena","lastName":"Other""#)
        let items = Array(repeating: wrong, count: 7) + [Self.body("humanAssurance")]
        let answer = await world.post("/v3/verify/batch", #"{"items":[\#(items.joined(separator: ","))]}"#)
        let results = answer.json["results"]?.array?.compactMap(\.object) ?? []
        #expect(results.count == 8)
        #expect(results.filter { $0["error"]?.string?.contains("failed challenges") == true }.count == 2)
        #expect(results.last?["success"] == "true")
    }

    @Test func `right names end no run of failed challenges`() async throws {
        let world = try await Self.world(Self.limited)
        let key = LimitKey(.failedClaimsOfNumber, World.lorant, of: ClientID("sandbox")!)
        _ = try await world.store.count([key]) { tallies in
            tallies.countFailure([key], by: .init(), at: world.clock.now())
        }
        #expect(await world.post("/v3/verify", Self.body("verifiedUser")).json["success"] == "true")
        #expect(try await world.store.tallies([key])[key]?.failuresInARow == 1)
    }

    @Test(arguments: ["verifiedUser", "prefill", "humanAssurance", "bot", "prefillForBiz", "identityResolution"])
    func `answers for a number that nobody has`(type: String) async throws {
        let answer = await (try Self.world()).post("/v3/verify", Self.body(type, number: "2001004015"))
        #expect(answer.status == 200 && answer.json["success"] == "false")
        #expect(
            answer.json["evaluation"]
                == ["identification": ["result": "fail", "failureReasons": ["9003": "identity not found"]]])
        // A caller that asks for businesses is told that there never are any.
        let message = answer.json["message"]?.string ?? ""
        #expect(message.hasPrefix("prefillForBiz finds no businesses") == (type == "prefillForBiz"))
    }

    @Test(arguments: ["prefill", "identityResolution"])
    func `answers the person's data to those who ask for it`(type: String) async throws {
        let world = try await Self.world()
        for members in ["", Self.names, #""firstName":"ELENA""#] {
            let identity = await world.post("/v3/verify", Self.body(type, members)).json["identity"]?.object
            #expect(identity?["dateOfBirth"] == "1987-05-14" && identity?["nationalId"] == "900450053")
            #expect(identity?["firstName"] == "Elena" && identity?["emails"] == ["ecoldman@example.com"])
            #expect(
                identity?["addresses"] == [
                    ["address": "12 Sutteridge Way", "city": "Denver", "region": "CO", "zipCode": "80204"]
                ])
        }
    }

    @Test(arguments: ["humanAssurance", "bot", "verifiedUser", "accountOpening", "prefillForBiz"])
    func `answers no data to those who did not ask`(type: String) async throws {
        let text = await (try Self.world()).post("/v3/verify", Self.body(type)).text
        for secret in Self.secrets { #expect(!text.contains(secret)) }
    }

    @Test func `of a human looks at the number's standing`() async throws {
        let good = await (try Self.world()).post("/v3/verify", Self.body("humanAssurance", ""))
        #expect(good.json["success"] == "true" && good.json["evaluation"] == ["risk": ["result": "pass"]])
        let bad = try await Self.world {
            $0.reputation = ReputationCheck(
                ScriptedReputation { _ in Reputation(failureReasons: [.init(code: "9134", text: "non-fixed VoIP")]) })
        }
        let answer = await bad.post("/v3/verify", Self.body("bot", ""))
        #expect(answer.json["success"] == "false")
        #expect(answer.json["identity"]?.object?["assuranceLevel"] == "AL-1")
        #expect(
            answer.json["evaluation"] == ["risk": ["result": "fail", "failureReasons": ["9134": "non-fixed VoIP"]]])
    }

    @Test func `ends as a test user's script says`() async throws {
        let world = try await Self.world {
            $0.users = SandboxUsers([
                SandboxUser(
                    digits: "2001004014", number: World.lorant, name: "A", region: .northAmerica,
                    verification: .init(passes: true, assurance: .init(.two, [.scripted("AL2a"), .scripted("AL2b")]))),
                SandboxUser(
                    digits: "2001004015", number: PhoneNumber(e164: "+12001004015")!, name: "B",
                    region: .northAmerica, verification: .init(passes: false, assurance: .init(.untrusted, []))),
            ])
        }
        let passed = await world.post("/v3/verify", Self.body("accountOpening"))
        #expect(passed.json["identity"] == ["assuranceLevel": "AL2", "reasons": ["AL2a", "AL2b"]])
        let failed = await world.post("/v3/verify", Self.body("humanAssurance", "", number: "2001004015"))
        #expect(failed.json["success"] == "false")
        // An empty list is sent: SDKs insist on it.
        #expect(failed.json["identity"] == ["assuranceLevel": "AL-1", "reasons": []])
    }

    @Test func `takes a proveId of the tenant's own in place of the number, or beside it`() async throws {
        let world = try await Self.world()
        let id = await world.enrol("2001004014")
        let type = #""verificationType":"verifiedUser",\#(Self.names)"#
        let byID = await world.post("/v3/verify", #"{"proveId":"\#(id)",\#(type)}"#)
        #expect(byID.json["success"] == "true" && byID.json["phoneNumber"] == "+12001004014")
        let both = await world.post("/v3/verify", #"{"proveId":"\#(id)","phoneNumber":"2001004014",\#(type)}"#)
        #expect(both.json["phoneNumber"] == "2001004014" && both.json["proveId"]?.string == id)
        let unknown = #"{"code":8001,"message":"field 'proveId' is not known"}"#
        let others = await world.post("/v3/verify", #"{"proveId":"\#(id)","phoneNumber":"2001004015",\#(type)}"#)
        #expect(others.text == unknown)
        #expect(await world.post("/v3/verify", #"{"proveId":"\#(id)",\#(type)}"#, as: "sandbox-2").text == unknown)
    }

    /// A field, and values of it that are refused, each with the end of the message.
    typealias Bad = (name: String, bad: [(value: String, reason: String)])

    private static func long(_ count: Int) -> String { "\"\(String(repeating: "a", count: count))\"" }

    private static let badFields: [Bad] = [
        (
            "phoneNumber",
            [
                ("null", "is missing"), (#""""#, "is missing"), ("7", "must be a string"),
                (#""1_2""#, "may have only letters, digits, blanks and + - . ( )"),
                (#""12""#, "is not a possible phone number"),
            ]
        ),
        (
            "verificationType",
            [
                ("null", "is missing"), (#""""#, "is missing"), ("7", "must be a string"),
                (
                    #""Bot""#,
                    "must be one of humanAssurance, verifiedUser, accountOpening, prefill, prefillForBiz, identityResolution, bot"
                ),
            ]
        ),
        (
            "firstName",
            [
                ("null", "is missing"), (#""""#, "is missing"), ("7", "must be a string"),
                (#""a\u0000""#, "has a control character"),
                (long(129), "is longer than 128 characters"),
            ]
        ),
        ("lastName", [("null", "is missing"), ("[]", "must be a string")]),
        ("emailAddress", [("7", "must be a string"), (#""a b@c""#, "may have only letters, digits and @ . + - _")]),
        ("ipAddress", [("7", "must be a string"), (#""x/y""#, "may have only letters, digits and . :")]),
        (
            "userAgent",
            [
                ("7", "must be a string"),
                (long(513), "is longer than 512 characters"),
            ]
        ),
        ("clientRequestId", [("7", "must be a string")]), ("clientCustomerId", [("7", "must be a string")]),
        ("clientHumanId", [("7", "must be a string")]),
        ("identityAttributes", [("7", "must be an array")]),
        ("proveId", [("7", "must be a string"), (#""x""#, "must be a UUID")]),
    ]

    @Test(arguments: badFields) func `names field and reason, and enrols nobody`(
        name: String, bad: [(value: String, reason: String)]
    ) async throws {
        let world = try await Self.world()
        var members = [
            ("phoneNumber", #""2001004014""#), ("verificationType", #""verifiedUser""#), ("firstName", #""Elena""#),
            ("lastName", #""Coldman""#),
        ]
        members.removeAll { $0.0 == name }
        for (value, reason) in bad {
            let body = "{" + (members + [(name, value)]).map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
            let answer = await world.post("/v3/verify", body)
            #expect(answer.status == 400)
            #expect(answer.text == #"{"code":8001,"message":"field '\#(name)' \#(reason)"}"#)
        }
        #expect(await world.call(.get, "/v3/identity").json["results"] == [])
    }

    @Test func `tells a number that no test user has, and a source that does not answer`() async throws {
        let unknown = await (try Self.world()).post("/v3/verify", Self.body("prefill", "", number: "+12065550100"))
        #expect(unknown.status == 400 && unknown.json["code"] == 8007)
        let down = try await Self.world { $0.people.isDown = true }
        for (path, body) in [
            ("/v3/verify", Self.body("prefill")), ("/v3/verify/batch", #"{"items":[\#(Self.body("prefill"))]}"#),
        ] {
            let answer = await down.post(path, body)
            #expect(answer.status == 503 && answer.json["code"] == 8000 && answer.header("retry-after") == "1")
        }
    }

    // MARK: Batches

    @Test func `keeps a batch in order, and gives a bad item its own error`() async throws {
        let world = try await Self.world()
        let items = [
            Self.body("verifiedUser", #"\#(Self.names),"clientCustomerId":"c-1","clientHumanId":"h-1""#),
            #"{"phoneNumber":"2001004014","verificationType":"bad","clientCustomerId":"c-2"}"#, "7",
            Self.body("verifiedUser", #""firstName":"Elena","lastName":"Other""#),
            Self.body("prefill", "", number: "+12065550100"), #"{"phoneNumber":[],"verificationType":"prefill"}"#,
            Self.body("verifiedUser", #""firstName":"Elena""#), Self.body("prefill", ""),
        ]
        let answer = await world.post(
            "/v3/verify/batch", #"{"clientRequestId":"r-1","items":[\#(items.joined(separator: ","))]}"#)
        #expect(answer.status == 200 && answer.json["clientRequestId"] == "r-1")
        #expect(SDKShape.defects(of: answer.body, mayBeEmpty: ["phoneNumber", "clientCustomerId"]) == [])
        let results = answer.json["results"]?.array?.compactMap(\.object) ?? []
        #expect(
            results.map { $0["success"] } == ["true", "false", "false", "false", "false", "false", "false", "true"])
        let hasError: [Bool] = results.map { $0["error"] != nil }
        #expect(hasError == [false, true, true, false, true, true, true, false])
        let customers: [String] = results.compactMap { $0["clientCustomerId"]?.string }
        #expect(customers == ["c-1", "c-2", "", "", "", "", "", ""])
        #expect(results.allSatisfy { $0["assuranceLevel"]?.string != nil && $0["phoneNumber"]?.string != nil })
        #expect(results[0]["clientHumanId"] == "h-1" && results[2]["error"] == "field 'items' must have objects")
        #expect(results[5]["error"] == "field 'phoneNumber' must be a string" && results[5]["phoneNumber"] == "")
        #expect(results[6]["error"] == "field 'lastName' is missing")
        #expect(results[0]["proveId"] == results[7]["proveId"] && results[0]["proveId"] != nil)
        #expect(results[7]["identity"]?.object?["nationalId"] == "900450053")
    }

    @Test(arguments: [("{}", "is missing"), (#"{"items":[]}"#, "is empty"), (#"{"items":{}}"#, "must be an array")])
    func `needs items`(body: String, reason: String) async throws {
        let answer = await (try Self.world()).post("/v3/verify/batch", body)
        #expect(answer.text == #"{"code":8001,"message":"field 'items' \#(reason)"}"#)
    }

    @Test func `takes a thousand items and not one more, however large the body`() async throws {
        let world = try await Self.world()
        func batch(_ count: Int) -> String {
            let items = (0..<count).map {
                Self.body("verifiedUser", #"\#(Self.names),"clientCustomerId":"customer-\#($0)""#)
            }
            return #"{"items":[\#(items.joined(separator: ","))]}"#
        }
        let answer = await world.post("/v3/verify/batch", batch(1000))
        #expect(answer.json["results"]?.array?.count == 1000)
        #expect(answer.json["results"]?.array?.last?.object?["clientCustomerId"] == "customer-999")
        let refused = await world.post("/v3/verify/batch", batch(1001))
        #expect(refused.text == #"{"code":8001,"message":"field 'items' has more than 1000 entries"}"#)
    }

    @Test func `takes a single verification of up to 256 KiB`() async throws {
        let world = try await Self.world()
        let body = Self.body("prefill", "")
        let padding = String(repeating: " ", count: 262_144 - body.utf8.count)
        #expect(await world.post("/v3/verify", body + padding).status == 200)
        #expect(await world.post("/v3/verify", body + padding + " ").status == 413)
    }
}
