import StrictJSON
import Testing

@testable import Outbound
@testable import Possession

@Suite struct MessagingFileTests {
    private static let hook =
        #""preset":"hook","settings":{"url":"https://a.example/"},"secretFiles":{"secret":"/secrets/whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}"#

    private static func gateway(_ text: String, route: String = #"{"gateways":["a"]}"#) -> [String] {
        GatewayFixture.mistakes(#"{"gateways":{"a":{\#(text)}},"routes":[\#(route)]}"#)
    }

    @Test func `reads gateways and routes`() throws {
        let file = try GatewayFixture.file(
            #"""
            {"gateways":{"a":{\#(Self.hook),"timeoutSeconds":3,"maxCalls":5,"circuitFailures":0,"circuitPauseSeconds":9}},
             "routes":[{"countries":["DE","AT"],"prefixes":["+4917"],"channels":["voice","sms"],"clients":["acme"],
               "sender":"Acme","entityId":"E","gateways":["a",{"gateway":"a","weight":2,"sender":"+12065550123"}]}]}
            """#)
        let entry = try #require(file.gateways.first)
        #expect(entry.name == "a" && entry.timeout == .seconds(3) && entry.maxCalls == 5)
        #expect(entry.circuitFailures == 0 && entry.circuitPause == .seconds(9))
        let route = try #require(file.routes.first)
        #expect(route.countries == ["DE", "AT"] && route.prefixes == ["+4917"] && route.channels == [.sms, .voice])
        #expect(route.legs[0] == MessageRoute.Leg(gateway: "a", sender: "Acme", entityID: "E"))
        #expect(route.legs[1] == MessageRoute.Leg(gateway: "a", weight: 2, sender: "+12065550123", entityID: "E"))
    }

    @Test(arguments: [
        (#""preset":"nope""#, ["gateways.a.preset: there is no such preset"]),
        (#""preset":"../x""#, ["gateways.a.preset: must be 1 to 64 of a-z, 0-9 and -"]),
        ("", ["gateways.a.preset: is missing: name a preset, or give a specification"]),
        (
            #""preset":"hook","settings":{"uri":"https://a.example"},"secretFiles":{}"#,
            [
                "gateways.a.settings: 'uri' is none of this gateway's", "gateways.a.settings: 'url' is missing",
                "gateways.a.secretFiles: 'secret' is missing",
            ]
        ),
        (
            #""preset":"hook","settings":{"url":"https://a.example"},"secretFiles":{"secret":"/nowhere"}"#,
            ["gateways.a.secretFiles: 'secret': cannot be opened"]
        ),
        (
            #""preset":"hook","settings":{"url":"http://a.example"},"secretFiles":{"secret":"/secrets/whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}"#,
            [
                "gateways.a.settings: the URL that they make must begin with https://, except for loopback addresses; "
                    + "if messages may cross this network in the clear, set the gateway's plainHttp to true"
            ]
        ),
        (hook + #","timeoutSeconds":61"#, ["gateways.a.timeoutSeconds: must be a whole number from 1 to 60"]),
        (hook + #","retries":3"#, ["gateways.a.retries: unknown member"]),
    ])
    func `names what is wrong with a gateway`(text: String, mistakes: [String]) {
        #expect(Self.gateway(text) == mistakes)
    }

    @Test func `plain HTTP to another machine has to be asked for`() {
        let plain =
            #""preset":"hook","settings":{"url":"http://kannel:13013/"},"secretFiles":{"secret":"/secrets/whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="},"plainHttp":true"#
        #expect(Self.gateway(plain).isEmpty)
    }

    @Test(arguments: [
        (#"{"gateways":["b"]}"#, ["routes[0].gateways: 'b' is no gateway of this file"]),
        (#"{"gateways":[]}"#, ["routes[0].gateways: must not be empty"]),
        (#"{}"#, ["routes[0].gateways: is missing"]),
        (
            #"{"gateways":["a"],"countries":["Germany"]}"#,
            ["routes[0].countries: 'Germany': must be ISO 3166 regions, such as DE"]
        ),
        (
            #"{"gateways":["a"],"prefixes":["49"]}"#,
            ["routes[0].prefixes: '49': must be beginnings of numbers, such as +4917"]
        ),
        (
            #"{"gateways":["a"],"channels":["fax"]}"#,
            ["routes[0].channels: 'fax': must be a list of sms, voice, whatsapp, viber, email"]
        ),
        (#"{"gateways":["a"],"clients":["a b"]}"#, ["routes[0].clients: 'a b': must be client ids"]),
        (
            #"{"gateways":["a"],"sender":"A name that is too long"}"#,
            ["routes[0].sender: must be a number (+12015550123), a short code, or 1 to 11 letters and digits"]
        ),
        (
            #"{"gateways":[{"gateway":"a","weight":0}]}"#,
            ["routes[0].gateways[0].weight: must be a whole number from 1 to 1000"]
        ),
    ])
    func `names what is wrong with a route`(route: String, mistakes: [String]) {
        #expect(Self.gateway(Self.hook, route: route) == mistakes)
    }

    @Test(
        arguments: [
            ([#"{"gateways":["a"]}"#, #"{"gateways":["a"],"countries":["DE"]}"#], [1]),
            ([#"{"gateways":["a"],"countries":["DE"]}"#, #"{"gateways":["a"]}"#], []),
            ([#"{"gateways":["a"],"countries":["DE","AT"]}"#, #"{"gateways":["a"],"countries":["AT"]}"#], [1]),
            ([#"{"gateways":["a"],"prefixes":["+49"]}"#, #"{"gateways":["a"],"prefixes":["+4917"]}"#], [1]),
            ([#"{"gateways":["a"],"prefixes":["+4917"]}"#, #"{"gateways":["a"],"prefixes":["+49"]}"#], []),
            (
                [
                    #"{"gateways":["a"],"clients":["shop"]}"#, #"{"gateways":["a"]}"#,
                    #"{"gateways":["a"],"clients":["shop"]}"#,
                ], [2]
            ),
            ([#"{"gateways":["a"]}"#, #"{"gateways":["a"],"clients":["shop"]}"#], [1]),
        ] as [([String], [Int])])
    func `names the routes that no message takes`(routes: [String], dead: [Int]) throws {
        let file = try GatewayFixture.file(
            #"{"gateways":{"a":{\#(Self.hook)}},"routes":[\#(routes.joined(separator: ","))]}"#)
        #expect(file.warnings.count == dead.count)
        for (warning, index) in zip(file.warnings, dead) {
            #expect(warning.hasPrefix("routes[\(index)]: is never used"))
        }
    }

    @Test func `a route of e-mail has no country`() {
        for place in [#""countries":["DE"]"#, #""prefixes":["+49"]"#] {
            let mistakes = Self.gateway(Self.hook, route: #"{"gateways":["a"],"channels":["email"],\#(place)}"#)
            #expect(
                mistakes.count == 1
                    && mistakes.first?.hasPrefix("routes[0].channels: e-mail goes to no country") == true)
        }
        #expect(Self.gateway(Self.hook, route: #"{"gateways":["a"],"channels":["email","sms"]}"#) == [])
    }

    @Test func `a route's channels must be those of its gateways`() {
        let twilio = #""preset":"twilio","settings":{"accountSid":"AC1"},"secretFiles":{"authToken":"/secrets/t"}"#
        #expect(
            Self.gateway(twilio, route: #"{"gateways":["a"],"channels":["voice"]}"#)
                == ["routes[0].gateways: 'a' has no channel voice"])
    }

    @Test(arguments: [
        ("{", ["line 1: the text ends too early"]),
        ("{}", ["gateways: must name at least one gateway", "routes: is missing"]),
    ])
    func `names what is wrong with the file`(text: String, mistakes: [String]) {
        #expect(GatewayFixture.mistakes(text).count == mistakes.count)
    }

    @Test(arguments: [
        (
            #"{"request":{"url":"https://a.example/{{x}}"}}"#,
            "request.url: {{x}} is no setting and no value of messages"
        ),
        (#"{"request":{"url":"https://a.example/{{to"}}"#, "request.url: has {{ without }}"),
        (
            #"{"request":{"url":"https://a.example/{{sender}}"}}"#,
            "request.url: {{sender}} may be missing: write {{sender?}}"
        ),
        (#"{"request":{"url":"ftp://a.example"}}"#, "request.url: must begin with https://"),
        (
            #"{"request":{"url":"https://a.example","form":{"a":"1"},"json":{}}}"#,
            "request.json: stands beside form: one of them"
        ),
        (
            #"{"settings":["text"],"request":{"url":"https://a.example"}}"#,
            "settings: 'text' is the name of a value of messages"
        ),
        (#"{}"#, "request: is missing"),
        (
            #"{"request":{"url":"https://a.example"},"answer":{"kinds":{"1":"odd"}}}"#,
            "answer.kinds: '1' must be one of busy, unsure, route, number, refused, account, ours"
        ),
        (
            #"{"request":{"url":"https://a.example","auth":{"bearer":"a","basic":["b","c"]}}}"#,
            "request.auth.basic: one of basic, bearer and standardWebhooks must be there"
        ),
        (
            #"{"request":{"url":"https://a.example"},"receipt":{"from":"form","state":"s","signature":{"scheme":"twilio","key":"k"}}}"#,
            "receipt.signature.key: is no setting and no secret"
        ),
        (
            #"{"secrets":["k"],"request":{"url":"https://a.example"},"receipt":{"from":"query","state":"s","signature":{"scheme":"telnyx","key":"k"}}}"#,
            "receipt.from: must be form or json: telnyx signs the body, and not the query"
        ),
        (
            #"{"secrets":["k"],"request":{"url":"https://a.example"},"receipt":{"from":"query","state":"s","signature":{"scheme":"sinch","key":"k"}}}"#,
            "receipt.from: must be form or json: sinch signs the body, and not the query"
        ),
        (
            #"{"secrets":["k"],"request":{"url":"https://a.example"},"receipt":{"from":"query","state":"s","signature":{"scheme":"standardWebhooks","key":"k"}}}"#,
            "receipt.from: must be form or json: standardWebhooks signs the body, and not the query"
        ),
        (
            #"{"secrets":["k"],"request":{"url":"https://a.example"},"receipt":{"from":"query","state":"s","signature":{"scheme":"vonageToken","key":"k"}}}"#,
            "receipt.from: must be form or json: vonageToken signs the body, and not the query"
        ),
        (
            #"{"secrets":["k"],"request":{"url":"https://a.example"},"receipt":{"from":"json","state":"/s","signature":{"scheme":"vonage","key":"k"}}}"#,
            "receipt.from: must be form or query: vonage signs the fields of a form"
        ),
        (
            #"{"secrets":["k?"],"request":{"url":"https://a.example","headers":{"A":"{{k}}"}}}"#,
            "request.headers: {{k}} may be missing: write {{k?}}"
        ),
        (
            #"{"request":{"url":"https://a.example","json":{"n":"{{seconds#}} s"}}}"#,
            "request.json: has a number beside other text: {{name#}} must stand by itself"
        ),
    ])
    func `names what is wrong with a specification`(text: String, mistake: String) {
        let all = Self.gateway(#""specification":\#(text)"#)
        #expect(all.contains("gateways.a.specification.\(mistake)"), "\(all)")
    }
}
