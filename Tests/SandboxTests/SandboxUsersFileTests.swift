import Sandbox
import Possession
import Testing

@Suite struct `The sandbox users file` {
    typealias File = SandboxUsersFile

    private static let lorant = #""number":"2001004014","name":"Lorant Nerger","region":"NA","product":"unify""#

    private static func mistakes(_ json: String) -> [String] {
        do {
            _ = try File(Array(json.utf8))
            return []
        } catch {
            return error.all
        }
    }

    private static func mistakes(ofUserWith member: String) -> [String] {
        mistakes(#"{"users":[{\#(lorant),\#(member)}]}"#)
    }

    // MARK: What is right

    @Test func `fills in what a user leaves out`() throws {
        let file = try File(Array(#"{"users":[{\#(Self.lorant)}]}"#.utf8))
        let entry = try #require(file.entries.first)
        let user = entry.user
        #expect(user.digits == "2001004014" && user.number == Fixture.lorant)
        #expect(user.name == "Lorant Nerger" && user.region == .northAmerica)
        #expect(user.otp == .pass && user.codes == [] && user.delivery == .ok && user.deliveryDelaySeconds == 0)
        #expect(user.mobileAuth == .unavailable && user.standing == Reputation() && user.link == .open)
        #expect(user.withoutClient == false && user.note == "" && user.verification == nil)
        #expect(user.product == .unify)
        #expect(entry.person == nil)
    }

    @Test func `reads every member`() throws {
        let json = #"""
            {"users":[{"number":"+447968900002","name":"Ö","region":"Intl","product":"identity-manager","otp":"fail",
            "codes":["0000","123456"],"delivery":"fail","deliveryDelaySeconds":600,"mobileAuth":"operator-error",
            "reputation":"fail","reputationReasons":{"9135":"SIM swap","9132":"public texts"},"link":"mismatch",
            "withoutClient":true,"note":"n",
            "person":{"firstName":"A","lastName":"B","dob":"2000-02-29","ssn":"123456789","emailAddresses":["a@b"],
            "addresses":[{"address":"1 St","extendedAddress":"2","city":"C","region":"R","postalCode":"1"},{}]}}]}
            """#
        let entry = try #require(try File(Array(json.utf8)).entries.first)
        #expect(entry.user.digits == "+447968900002")
        #expect(entry.user.number.e164 == "+447968900002")
        #expect(entry.user.otp == .fail && entry.user.mobileAuth == .operatorError && entry.user.reputation == .fail)
        #expect(entry.user.codes.map(\.text) == ["0000", "123456"])
        #expect(entry.user.delivery == .fail && entry.user.deliveryDelaySeconds == 600 && entry.user.link == .mismatch)
        #expect(entry.user.standing.failureReasons.map(\.code) == ["9132", "9135"])
        #expect(entry.user.standing.failureReasons.map(\.text) == ["public texts", "SIM swap"])
        #expect(entry.user.withoutClient && entry.user.note == "n" && entry.user.product == .identityManager)
        let person = try #require(entry.person)
        #expect(person.dob == "2000-02-29" && person.ssn == "123456789" && person.emailAddresses == ["a@b"])
        #expect(person.addresses.map(\.city) == ["C", nil])
    }

    @Test func `reads a user of one's own beside a published one`() throws {
        let json = #"""
            {"users":[{\#(Self.lorant)},{"number":"2015550123","name":"Ada Slow","region":"NA","product":"unify",
            "codes":["4711","471100"],"deliveryDelaySeconds":45,"mobileAuth":"timeout","reputation":"fail",
            "reputationReasons":{"9135":"SIM swap under 24 hours ago"},"link":"deny","note":"Slow."}]}
            """#
        let user = try #require(try File(Array(json.utf8)).users.last)
        #expect(user.shownCode(length: 6).text == "471100" && user.link == .deny && user.mobileAuth == .timeout)
        #expect(user.standing.failureReasons == [.init(code: "9135", text: "SIM swap under 24 hours ago")])
    }

    @Test(arguments: [
        (#""ok""#, [SandboxDelivery.Outcome.ok, .ok, .ok, .ok]),
        (#""undelivered""#, [.undelivered, .undelivered, .undelivered, .undelivered]),
        (#""silent""#, [.silent, .silent, .silent, .silent]),
        (#"{"whatsapp":"undelivered","sms":"ok"}"#, [.ok, .ok, .undelivered, .ok]),
        (#"{"voice":"fail"}"#, [.ok, .fail, .ok, .ok]),
        (#"{"viber":"fail","sms":"silent"}"#, [.silent, .ok, .ok, .fail]),
    ])
    func `reads what the carrier does by each channel`(
        delivery: String, outcomes: [SandboxDelivery.Outcome]
    ) throws {
        let json = #"{"users":[{\#(Self.lorant),"delivery":\#(delivery)}]}"#
        let read = try #require(try File(Array(json.utf8)).users.first)
        #expect([.sms, .voice, .whatsapp, .viber].map(read.delivery.outcome) == outcomes)
    }

    @Test func `takes a file without users`() throws {
        #expect(try File(Array(#"{"users":[]}"#.utf8)).entries.isEmpty)
    }

    // MARK: What is wrong

    private static let credentialsMistake = """
        users[0].credentials: must be an object of 1 to 32 texts, names of at most 64 bytes and texts of at most 256
        """

    @Test(arguments: [
        ("", "line 1: the text ends where a value is due"),
        ("[]", "line 1: the top is not an object"),
        ("{}", "users: is missing"),
        (#"{"users":{}}"#, "users: must be a list"),
        (#"{"users":null}"#, "users: must be a list"),
        (#"{"users":[7]}"#, "users[0]: must be an object"),
        (#"{"users":[],"version":1}"#, "version: unknown member"),
        ("{\n\"users\":\n[,]}", "line 3: no value starts here"),
        (#"{"users":[],"users":[]}"#, "line 1: a member name is there twice"),
        ("{\"users\":[],\"a\\u0007\":1}", "(a member with an odd name): unknown member"),
    ])
    func `names what is wrong with a file`(json: String, mistake: String) {
        #expect(Self.mistakes(json) == [mistake])
    }

    @Test(arguments: [
        (#""otp":"maybe""#, "users[0].otp: must be one of pass, fail"),
        (#""otp":null"#, "users[0].otp: must be one of pass, fail"),
        (#""mobileAuth":"MATCH""#, mobileAuthMistake), (#""mobileAuth":"operatorError""#, mobileAuthMistake),
        (#""reputation":true"#, "users[0].reputation: must be one of pass, fail"),
        (#""withoutClient":"yes""#, "users[0].withoutClient: must be true or false"),
        (#""withoutClient":1"#, "users[0].withoutClient: must be true or false"),
        (#""note":"""#, "users[0].note: must not be empty"), (#""note":5"#, "users[0].note: must be text"),
        (#""note":"a\nb""#, "users[0].note: must not contain control characters"),
        (#""otpp":"pass""#, "users[0].otpp: unknown member"), (#""Otp":"pass""#, "users[0].Otp: unknown member"),
        (#""credentials":{}"#, credentialsMistake), (#""credentials":"12345""#, credentialsMistake),
        (#""credentials":{"a":1}"#, credentialsMistake), (#""credentials":null"#, credentialsMistake),
        (#""codesTo":"sms""#, "users[0].codesTo: must be one of number, email"),
        (#""codesTo":"email""#, "users[0].codesTo: needs an emailAddress"),
        (#""person":[]"#, "users[0].person: must be an object"),
        (#""person":null"#, "users[0].person: must be an object"),
    ])
    func `names what is wrong with a user`(member: String, mistake: String) {
        #expect(Self.mistakes(ofUserWith: member) == [mistake])
    }

    @Test(arguments: [
        ("[]", ["codes: must not be empty"]), (#""1234""#, ["codes: must be a list"]),
        ("null", ["codes: must be a list"]), ("{}", ["codes: must be a list"]),
        (#"["1234"]"#, []), (#"["123456"]"#, []), (#"["000"]"#, ["codes[0]: must be text of 4 to 6 digits"]),
        (#"["1234567"]"#, ["codes[0]: must be text of 4 to 6 digits"]),
        (#"[1234]"#, ["codes[0]: must be text of 4 to 6 digits"]),
        (#"["12a4","٠١٢٣"," 1234","1234"]"#, (0...2).map { "codes[\($0)]: must be text of 4 to 6 digits" }),
        (#"["1234","4321","1234"]"#, ["codes[2]: is in the list already"]),
        (#"["0001","0002","0003","0004","0005","0006","0007","0008"]"#, []),
        (#"["0001","0002","0003","0004","0005","0006","0007","0008","0009"]"#, ["codes: has more than 8 entries"]),
    ])
    func `takes one to eight codes of four to six digits`(codes: String, mistakes: [String]) {
        #expect(Self.mistakes(ofUserWith: #""codes":\#(codes)"#) == mistakes.map { "users[0].\($0)" })
    }

    @Test(arguments: [
        ("0", true), ("600", true), ("601", false), ("-1", false), ("1.5", false), ("6e2", true), ("6.5e0", false),
        (#""30""#, false),
        ("null", false), ("true", false), ("9223372036854775807", false), ("99999999999999999999", false),
    ])
    func `takes a delay of ten minutes and no longer`(delay: String, isRight: Bool) {
        let reason = "users[0].deliveryDelaySeconds: must be a whole number from 0 to 600"
        #expect(Self.mistakes(ofUserWith: #""deliveryDelaySeconds":\#(delay)"#) == (isRight ? [] : [reason]))
    }

    @Test(arguments: [
        (#""delivery":"undeliverable""#, deliveryMistake), (#""delivery":false"#, deliveryMistake),
        (#""delivery":null"#, deliveryMistake), (#""delivery":["ok"]"#, deliveryMistake),
        (#""delivery":{}"#, "delivery: must name a channel"),
        (#""delivery":{"sms":"no"}"#, "delivery.sms: must be one of ok, fail, undelivered, silent"),
        (#""delivery":{"sms":"ok","pigeon":"ok"}"#, "delivery.pigeon: unknown member"),
        (#""link":"undeliverable""#, "link: must be one of open, approve, deny, mismatch"),
        (#""link":"Approve""#, "link: must be one of open, approve, deny, mismatch"),
        (#""link":null"#, "link: must be one of open, approve, deny, mismatch"),
        (#""deliveryDelay":1"#, "deliveryDelay: unknown member"), (#""code":"1234""#, "code: unknown member"),
        (#""reputationReason":{}"#, "reputationReason: unknown member"),
    ])
    func `names an outcome that does not exist`(member: String, mistake: String) {
        #expect(Self.mistakes(ofUserWith: member) == ["users[0].\(mistake)"])
    }

    @Test(arguments: [
        (#"{"9135":"SIM swap"}"#, []), ("{}", ["reputationReasons: must have 1 to 16 members"]),
        ("[]", ["reputationReasons: must be an object"]), ("null", ["reputationReasons: must be an object"]),
        (#"{"913":"a"}"#, ["reputationReasons.913: must be named by four digits"]),
        (#"{"91355":"a"}"#, ["reputationReasons.91355: must be named by four digits"]),
        (#"{"٩١٣٥":"a"}"#, ["reputationReasons.٩١٣٥: must be named by four digits"]),
        (#"{"":"a"}"#, ["reputationReasons.(a member with an odd name): must be named by four digits"]),
        (
            #"{"9135":7,"9136":""}"#,
            [
                "reputationReasons.9135: must be text", "reputationReasons.9136: must not be empty",
            ]
        ),
        (#"{"9135":"a\nb"}"#, ["reputationReasons.9135: must not contain control characters"]),
    ])
    func `takes reasons of a bad reputation by their codes`(reasons: String, mistakes: [String]) {
        let member = #""reputation":"fail","reputationReasons":\#(reasons)"#
        #expect(Self.mistakes(ofUserWith: member) == mistakes.map { "users[0].\($0)" })
    }

    @Test(arguments: [(16, 0), (17, 1)])
    func `takes sixteen reasons and no more`(count: Int, mistakeCount: Int) {
        let reasons = (0..<count).map { #""\#(9100 + $0)":"a""# }.joined(separator: ",")
        let member = #""reputation":"fail","reputationReasons":{\#(reasons)}"#
        #expect(Self.mistakes(ofUserWith: member).count == mistakeCount)
    }

    @Test(arguments: [
        ("", ["reputationReasons: is for reputation fail alone"]),
        (#""reputation":"pass","#, ["reputationReasons: is for reputation fail alone"]),
        (#""reputation":"bad","#, ["reputation: must be one of pass, fail"]), (#""reputation":"fail","#, []),
    ])
    func `takes reasons for a bad reputation alone`(reputation: String, mistakes: [String]) {
        let member = reputation + #""reputationReasons":{"9135":"SIM swap"}"#
        #expect(Self.mistakes(ofUserWith: member) == mistakes.map { "users[0].\($0)" })
    }

    @Test func `reports all mistakes of a script at once, and never the value`() {
        let member = #"""
            "otp":"SECRET","codes":["SECRET"],"delivery":"SECRET","deliveryDelaySeconds":"SECRET",
            "mobileAuth":"SECRET","reputation":"SECRET","reputationReasons":{"1":"\u0000SECRET"},"link":"SECRET",
            "withoutClient":"SECRET"
            """#
        let mistakes = Self.mistakes(ofUserWith: member)
        #expect(
            mistakes
                == [
                    "otp: must be one of pass, fail", "codes[0]: must be text of 4 to 6 digits",
                    Self.deliveryMistake, "deliveryDelaySeconds: must be a whole number from 0 to 600",
                    "mobileAuth: must be one of match, mismatch, unavailable, timeout, operator-error",
                    "reputation: must be one of pass, fail", "reputationReasons.1: must be named by four digits",
                    "reputationReasons.1: must not contain control characters",
                    "link: must be one of open, approve, deny, mismatch", "withoutClient: must be true or false",
                ].map { "users[0].\($0)" })
        #expect(!mistakes.joined().contains("SECRET"))
    }

    private static let deliveryMistake =
        "delivery: must be one of ok, fail, undelivered, silent, or an object with one of them for each channel"
    private static let mobileAuthMistake =
        "users[0].mobileAuth: must be one of match, mismatch, unavailable, timeout, operator-error"

    @Test(arguments: ["number", "name", "region", "product"])
    func `names a required member that is missing`(name: String) {
        let members = [
            ("number", "2001004014"), ("name", "Lorant Nerger"), ("region", "NA"), ("product", "unify"),
        ]
        let rest = members.filter { $0.0 != name }.map { #""\#($0.0)":"\#($0.1)""# }.joined(separator: ",")
        #expect(Self.mistakes(#"{"users":[{\#(rest)}]}"#) == ["users[0].\(name): is missing"])
    }

    @Test(arguments: [
        ("NA", "2001004014", true), ("NA", "200100401", false), ("NA", "20010040141", false),
        ("NA", "12001004014", false), ("NA", "+12001004014", false), ("NA", "200100401x", false),
        ("NA", "200 100 401", false), ("NA", "٢٠٠١٠٠٤٠١٤", false), ("NA", "", false), ("Intl", "+2001004029", true),
        ("Intl", "2001004029", false), ("Intl", "447968900002", false), ("Intl", "+0123456", false),
        ("Intl", "+1234", false), ("Intl", "+12345", true), ("Intl", "+123456789012345", true),
        ("Intl", "+1234567890123456", false), ("Intl", "++12345", false), ("Intl", "+44 7968900002", false),
    ])
    func `takes ten digits in North America, else a plus and all digits`(region: String, number: String, isRight: Bool)
    {
        let json = #"{"users":[{"number":"\#(number)","name":"A","region":"\#(region)","product":"unify"}]}"#
        let reason = region == "NA" ? "must be ten digits" : "must be + and 5 to 15 digits"
        #expect(Self.mistakes(json) == (isRight ? [] : ["users[0].number: \(reason)"]))
    }

    @Test(arguments: [("2001004014", "NA"), ("+12001004014", "Intl")])
    func `refuses a number that another user has`(number: String, region: String) {
        let json = #"""
            {"users":[{\#(Self.lorant)},{"number":"\#(number)","name":"B","region":"\#(region)","product":"unify"}]}
            """#
        #expect(Self.mistakes(json) == ["users[1].number: is that of users[0] already"])
    }

    @Test(arguments: [
        (#"{}"#, ["firstName: is missing", "lastName: is missing"]),
        (#"{"firstName":"A","lastName":7}"#, ["lastName: must be text"]),
        (#"{"firstName":"A","lastName":"B","shoe":9}"#, ["shoe: unknown member"]),
        (#"{"firstName":"A","lastName":"B","ssn":"12345678"}"#, ["ssn: must be nine digits"]),
        (#"{"firstName":"A","lastName":"B","ssn":123456789}"#, ["ssn: must be nine digits"]),
        (#"{"firstName":"A","lastName":"B","emailAddresses":"a@b"}"#, ["emailAddresses: must be a list"]),
        (
            #"{"firstName":"A","lastName":"B","emailAddresses":["a@b","ab","@b","a@",7]}"#,
            [
                "emailAddresses[1]: must be an e-mail address", "emailAddresses[2]: must be an e-mail address",
                "emailAddresses[3]: must be an e-mail address", "emailAddresses[4]: must be text",
            ]
        ),
        (
            #"{"firstName":"A","lastName":"B","addresses":[{"city":""},5,{"zip":"1"}]}"#,
            [
                "addresses[0].city: must not be empty", "addresses[1]: must be an object",
                "addresses[2].zip: unknown member",
            ]
        ),
    ])
    func `names what is wrong with a person`(person: String, mistakes: [String]) {
        #expect(Self.mistakes(ofUserWith: #""person":\#(person)"#) == mistakes.map { "users[0].person.\($0)" })
    }

    @Test(arguments: [
        ("2000-02-29", true), ("1900-02-29", false), ("2001-02-28", true), ("2001-02-29", false), ("1994-12-31", true),
        ("1994-12-32", false), ("1994-00-10", false), ("1994-13-10", false), ("1994-04-00", false),
        ("1994-4-10", false),
        ("1899-12-31", false), ("1900-01-01", true), ("19940410", false), ("1994-04-31", false), ("1994/04/30", false),
        ("1994-04-30T00:00:00Z", false), ("", false), ("١٩٩٤-٠٤-٣٠", false),
    ])
    func `takes a date of birth that the calendar has`(dob: String, isRight: Bool) {
        let mistakes = Self.mistakes(ofUserWith: #""person":{"firstName":"A","lastName":"B","dob":"\#(dob)"}"#)
        #expect(mistakes == (isRight ? [] : ["users[0].person.dob: must be a date of the form YYYY-MM-DD"]))
    }

    @Test func `reports all mistakes at once, and never the value`() {
        let json = #"""
            {"version":1,"users":[{"number":"SECRET1","region":"NA","product":"SECRET2","otp":"SECRET3",
            "age":"SECRET4"},9,{"number":"SECRET5","name":"A","region":"SECRET6","product":"unify",
            "person":{"ssn":"SECRET7"}}]}
            """#
        let mistakes = Self.mistakes(json)
        #expect(
            mistakes == [
                "version: unknown member", "users[0].number: must be ten digits", "users[0].name: is missing",
                "users[0].product: must be one of unify, prefill, identity, verify, identity-manager",
                "users[0].otp: must be one of pass, fail", "users[0].age: unknown member",
                "users[1]: must be an object",
                "users[2].region: must be one of NA, Intl", "users[2].person.firstName: is missing",
                "users[2].person.lastName: is missing", "users[2].person.ssn: must be nine digits",
            ])
        #expect(!mistakes.joined().contains("SECRET"))
    }

    @Test(arguments: [(10_000, 0), (10_001, 1)])
    func `takes ten thousand users and no more`(count: Int, mistakeCount: Int) {
        let users = (0..<count).map {
            #"{"number":"\#(2_000_000_000 + $0)","name":"A","region":"NA","product":"unify"}"#
        }
        #expect(Self.mistakes(#"{"users":[\#(users.joined(separator: ","))]}"#).count == mistakeCount)
    }

    @Test func `names a file that is too large`() {
        let bytes = [UInt8](repeating: 0x20, count: 8 << 20)
        #expect(throws: File.Mistakes(all: ["line 1: the text ends where a value is due"])) { try File(bytes) }
        #expect(throws: File.Mistakes(all: ["the file is larger than 8388608 bytes"])) { try File(bytes + [0x20]) }
    }
}
