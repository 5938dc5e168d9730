import Locks
import HTTPServer
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

@Suite struct StartUnifyTests {
    /// One field of unify, what it takes and what it refuses; the reasons are the end of the message.
    struct Field: Sendable, CustomTestStringConvertible {
        let name: String
        let good: [String]
        let bad: [(value: String, reason: String)]
        var testDescription: String { name }
    }

    private static func text(_ count: Int, of character: Character = "a") -> String {
        "\"\(String(repeating: character, count: count))\""
    }

    private static func reference(_ name: String) -> Field {
        Field(
            name: name, good: [#""""#, "null", text(256), text(256, of: "é"), #""free text, 'quoted'; --""#],
            bad: [
                ("7", "must be a string"), ("true", "must be a string"), ("{}", "must be a string"),
                ("[]", "must be a string"),
                (text(257), "is longer than 256 characters"), (text(257, of: "é"), "is longer than 256 characters"),
                (#""a\u0000b""#, "has a control character"), (#""a\nb""#, "has a control character"),
            ])
    }

    private static func flag(_ name: String) -> Field {
        Field(
            name: name, good: ["true", "false", "null", #""""#],
            bad: [
                (#""true""#, "must be true or false"), ("1", "must be true or false"), ("0", "must be true or false"),
                ("[]", "must be true or false"),
            ])
    }

    private static func identifier(_ name: String) -> Field {
        Field(
            name: name, good: ["null", #""""#],
            bad: [
                ("7", "must be a string"), (#""x""#, "must be a UUID"),
                (#""0193a0b0-0000-7000-8000-00000000000""#, "must be a UUID"),
                (#""0193a0b0-0000-7000-8000-0000000000011""#, "must be a UUID"),
                (#""0193a0b0000070008000000000000001""#, "must be a UUID"),
            ])
    }

    static let fields: [Field] = [
        Field(
            name: "possessionType", good: [#""mobile""#, #""none""#],
            bad: [
                ("null", "is missing"), (#""""#, "is missing"), ("7", "must be a string"),
                (#""Mobile""#, "must be one of mobile, desktop, none"),
                (#""phone""#, "must be one of mobile, desktop, none"),
                (#""mobile ""#, "must be one of mobile, desktop, none"),
            ]),
        reference("clientRequestId"),
        Field(
            name: "phoneNumber",
            good: [
                #""2001004014""#, #""12001004014""#, #""+12001004014""#, "null", #""""#,
                #""200-100-4014""#, #""+1 (200) 100-4014""#, #""1.200.100.4014""#, #"" 200 100 4014 ""#,
            ],
            bad: [
                ("2001004014", "must be a string"), ("[\"2001004014\"]", "must be a string"),
                (text(33, of: "1"), "is longer than 32 characters"),
                (text(20, of: "1"), "is not a possible phone number"),
                (#""200/100/4014""#, "may have only letters, digits, blanks and + - . ( )"),
                (#""2001004014;ext=1""#, "may have only letters, digits, blanks and + - . ( )"),
                (#""２００１００４０１４""#, "may have only letters, digits, blanks and + - . ( )"),
                (#""200+1004014""#, "is not a possible phone number"), (#""(+)-.""#, "is not a possible phone number"),
                (#""++12001004014""#, "is not a possible phone number"),
                (#""200100401x""#, "is not a possible phone number"),
            ]),
        identifier("proveId"),
        Field(
            name: "finalTargetUrl", good: [#""https://app.example/done?x=1""#, "null", #""""#],
            bad: [
                ("7", "must be a string"),
                ("\"https://app.example/\(String(repeating: "a", count: 109))\"", "is longer than 128 characters"),
                ("\"https://app.example/#x\"", "may have only letters, digits and - . _ + = / : ?"),
                (#""https://app.example@evil.test""#, "may have only letters, digits and - . _ + = / : ?"),
                (#""app.example""#, "must be an absolute URL"), (#""ftp://app.example""#, "must begin with https://"),
                (#""https://""#, "must name a host"),
                (#""https://evil.test/""#, "names a host that is not registered for this client"),
                (#""http://app.example/""#, "must be https"), (#""http://192.168.1.20:3000/x""#, "must be https"),
            ]),
        Field(
            name: "smsMessage", good: ["\"Code ####\"", "\"Código ###### ß\"", "null"],
            bad: [
                ("7", "must be a string"),
                ("\"no code\"", "must have ####, ##### or ###### where the code goes"),
                ("\"###\"", "must have ####, ##### or ###### where the code goes"),
                ("\"#### and ####\"", "has more than one run of #"),
                ("\"####\(String(repeating: "a", count: 157))\"", "is longer than 160 characters"),
                ("\"####\\u0007\"", "has a control character"),
                ("\"#### https://x.example\"", "must not have a link or a telephone number of its own"),
            ]),
        flag("allowOTPRetry"), flag("rebind"), identifier("deviceId"), flag("checkReputation"),
        reference("clientCustomerId"), reference("clientHumanId"),
        Field(
            name: "emailAddress", good: [#""a.b+c_d-e@mail.example""#, "null", text(254)],
            bad: [
                ("7", "must be a string"), (text(255), "is longer than 254 characters"),
                (#""a b@x.example""#, "may have only letters, digits and @ . + - _"),
                (#""é@x.example""#, "may have only letters, digits and @ . + - _"),
            ]),
        Field(
            name: "ipAddress", good: [#""192.0.2.1""#, #""2001:db8::1""#, "null", text(45)],
            bad: [
                ("7", "must be a string"), (text(46), "is longer than 45 characters"),
                (#""192.0.2.1/24""#, "may have only letters, digits and . :"),
            ]),
        flag("mobileAuthEnabled"),
    ]

    /// A good body with one member replaced.
    private static func body(_ name: String, _ value: String?) -> String {
        var members = [("possessionType", #""mobile""#), ("phoneNumber", #""2001004014""#)]
        members.removeAll { $0.0 == name }
        if let value { members.append((name, value)) }
        return "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }

    @Test(
        arguments: [
            ("http://192.168.1.20:3000/x", "must be https; http is taken on localhost and 127.0.0.1 only"),
            ("http://app.example/", "must be https; http is taken on localhost and 127.0.0.1 only"),
            ("http://127.0.0.1:3000/x", nil), ("https://192.168.1.20:3000/x", nil),
        ] as [(String, String?)]) func `says why a final target of any host is refused`(
            target: String, reason: String?
        ) async throws
    {
        var options = World.Options()
        options.rules.anyFinalTargetHost = true
        let world = try await World(options)
        let answer = await world.post("/v3/unify", Self.body("finalTargetUrl", "\"\(target)\""))
        #expect(answer.status == (reason == nil ? 200 : 400))
        #expect(answer.json["message"]?.string == reason.map { "field 'finalTargetUrl' \($0)" })
    }

    @Test(arguments: [
        (#"{"possesionType":"mobile"}"#, "is missing; possesionType is not known: did you mean possessionType?"),
        (#"{"PossessionType":"mobile"}"#, "is missing; PossessionType is not known: did you mean possessionType?"),
        (#"{"posessionTypes":"mobile"}"#, "is missing; posessionTypes is not known: did you mean possessionType?"),
        (#"{"phoneNumber":"2001004014"}"#, "is missing"), (#"{"flowType":"mobile"}"#, "is missing"),
        (#"{"possession<b>":"mobile"}"#, "is missing"), ("{}", "is missing"),
    ]) func `names the member that was sent in place of a missing one`(body: String, reason: String) async throws {
        let answer = await (try World()).post("/v3/unify", body)
        #expect(answer.status == 400)
        #expect(answer.json == ["code": 8001, "message": .string("field 'possessionType' \(reason)")])
    }

    @Test(arguments: fields) func `takes what the rule of a field allows`(field: Field) async throws {
        let world = try await World()
        for value in field.good {
            let answer = await world.post("/v3/unify", Self.body(field.name, value))
            #expect(answer.status == 200, "\(field.name): \(value): \(answer.text)")
        }
    }

    @Test(arguments: fields) func `names field and reason, and never the value`(field: Field) async throws {
        let world = try await World()
        for (value, reason) in field.bad {
            let answer = await world.post("/v3/unify", Self.body(field.name, value))
            #expect(answer.status == 400)
            #expect(answer.text == #"{"code":8001,"message":"field '\#(field.name)' \#(reason)"}"#)
            #expect(SDKShape.defects(of: answer.body) == [])
        }
        #expect(try await world.store.recentSessions(limit: 9).isEmpty, "a refused call starts nothing")
    }

    @Test func `needs a possession type and nothing else where Mobile Auth is on`() async throws {
        let world = try await World()
        #expect(
            await world.post("/v3/unify", "{}").text == #"{"code":8001,"message":"field 'possessionType' is missing"}"#)
        #expect(await world.post("/v3/unify", #"{"possessionType":"mobile"}"#).status == 200)
        let answer = await world.post("/v3/unify", #"{"possessionType":"mobile","mobileAuthEnabled":false}"#)
        #expect(answer.status == 400)
        #expect(answer.json["message"]?.string?.hasPrefix("field 'phoneNumber' is missing") == true)
    }

    @Test func `checks fields in one order`() async throws {
        let world = try await World()
        let names = Self.fields.map(\.name)
        for (index, name) in names.enumerated() {
            // Every field from this one on is bad; the members stand in reverse.
            let members = names[index...].reversed().map { "\"\($0)\":[]" }
            let start = index == 0 ? [] : [#""possessionType":"mobile""#]
            let answer = await world.post("/v3/unify", "{\((members + start).joined(separator: ","))}")
            #expect(answer.json["message"]?.string?.hasPrefix("field '\(name)' ") == true)
        }
    }

    @Test func `wants a target for desktop`() async throws {
        let world = try await World()
        let answer = await world.post("/v3/unify", #"{"possessionType":"desktop","phoneNumber":"2001004014"}"#)
        #expect(answer.json["message"]?.string == "field 'finalTargetUrl' is missing; a desktop flow needs it")
        let good = #"{"possessionType":"desktop","phoneNumber":"2001004014","finalTargetUrl":"https://app.example/x"}"#
        #expect(await world.post("/v3/unify", good).status == 200)
    }

    @Test(arguments: ["/v3/unify", "/unify"]) func `answers pending with an id and a token`(path: String) async throws {
        let world = try await World()
        let answer = await world.post(
            path, #"{"possessionType":"mobile","phoneNumber":"2001004014","future":{"x":[1]}}"#)
        #expect(answer.status == 200)
        #expect(answer.header("content-type") == "application/json")
        #expect(answer.json.names == ["correlationId", "success", "authToken"])
        #expect(answer.json["success"] == "pending")
        #expect(SDKShape.defects(of: answer.body) == [])
    }

    @Test func `tells how to make an unknown number work`() async throws {
        let answer = await (try World()).post("/v3/unify", #"{"possessionType":"mobile","phoneNumber":"+12065550100"}"#)
        #expect(answer.status == 400)
        #expect(answer.json["code"] == 8007)
        let message = answer.json["message"]?.string ?? ""
        #expect(
            message.contains("sandbox.unknownNumbers") && message.contains("users file") && !message.contains("2065"))
    }

    @Test func `hides what went wrong inside, and reports it with the request's id`() async throws {
        let world = try await World()
        world.store.fail(with: .failed(code: 10, operation: "step"))
        let answer = await world.post("/v3/unify", Self.body("x", nil))
        #expect(answer.status == 500)
        #expect(answer.text == #"{"code":8000,"message":"internal error"}"#)
        #expect(world.reports.withLock { $0 }.contains { $0.contains("request q") && $0.contains("storage") })
        world.store.fail(with: .overloaded)
        let busy = await world.post("/v3/unify", Self.body("x", nil))
        #expect(busy.status == 503 && busy.header("retry-after") == "1")
    }
}
