import API
import HTTPServer
import Locks
import Possession
import StrictJSON
import TestSupport
import Testing

/// Limits over sessions, as callers meet them.
@Suite struct LimitTests {
    private static func options(_ change: (inout Possession.Limits.OverSessions) -> Void = { _ in }) -> World.Options {
        var options = World.Options()
        var over = Possession.Limits.OverSessions()
        change(&over)
        options.limits.overSessions = over
        options.numbers = .sandbox(World.users, unknown: .simulate)
        options.rules.allowPhoneChange = false
        return options
    }

    /// Sends one code to a number for the end user at `address`; the answer of the send.
    private func send(_ world: World, to number: String, for address: String) async -> Response {
        let started = await world.start(
            #"{"phoneNumber":"\#(number)","possessionType":"mobile","ipAddress":"\#(address)"}"#)
        let app = App(world, started)
        _ = await app.redeem()
        return await app.post("/otp")
    }

    private func number(_ index: Int) -> String { "+1201555\(1000 + index)" }

    // MARK: addresses

    /// ABU-03.
    @Test func `sends ten messages for an address in ten minutes`() async throws {
        let world = try await World(Self.options())
        var statuses: [Int] = []
        for index in 0..<12 {
            statuses.append(await send(world, to: number(index * 1000), for: "192.0.2.1").status)
        }
        #expect(statuses == Array(repeating: 200, count: 10) + [429, 429])
        #expect(await send(world, to: number(500_000), for: "192.0.2.2").status == 200)
        let limited = await send(world, to: number(600_000), for: "192.0.2.1")
        #expect(limited.header("retry-after") == "600")
        #expect(limited.json["message"]?.string?.contains("limit: messages from this address") == true)
        #expect(world.hits.withLock { $0 } == [.sendsPerAddress, .sendsPerAddress, .sendsPerAddress])
        _ = world.clock.advance(seconds: 600)
        #expect(await send(world, to: number(700_000), for: "192.0.2.1").status == 200)
    }

    /// ABU-03: 1000 addresses of one /64 are one, and ABU-09: a mapped address is its IPv4 address.
    @Test func `counts an address by what one household has of it`() async throws {
        let world = try await World(Self.options())
        var passed = 0
        for index in 0..<30
        where await send(world, to: number(index * 1000), for: "2001:db8:1:2::\(index)").status == 200 {
            passed += 1
        }
        #expect(passed == 10)
        for index in 0..<10 {
            let address = index % 2 == 0 ? "192.0.2.1" : "::ffff:192.0.2.1"
            #expect(await send(world, to: number(100_000 + index * 1000), for: address).status == 200)
        }
        #expect(await send(world, to: number(200_000), for: "::ffff:c000:201").status == 429)
    }

    @Test func `holds a whole network to five times as much`() async throws {
        let world = try await World(Self.options { $0.sendsPerAddressPerTenMinutes = 2 })
        var passed = 0
        for index in 0..<30
        where await send(world, to: number(index * 1000), for: "2001:db8:1:\(index)::1").status == 200 {
            passed += 1
        }
        #expect(passed == 10)
        #expect(world.hits.withLock { Set($0) } == [.sendsPerNetwork])
    }

    // MARK: blocks and countries

    /// ABU-04; of 120 neighbours all got a message before.
    @Test func `stops a block at the fifth neighbour`() async throws {
        let world = try await World(Self.options())
        var sent = 0
        for index in 0..<120 where await send(world, to: number(index), for: "192.0.2.\(index)").status == 200 {
            sent += 1
        }
        #expect(sent == 4)
        let other = await send(world, to: number(900), for: "198.51.100.1")
        #expect(other.status == 429 && other.header("retry-after") == "3600")
        #expect(other.json["message"]?.string?.contains("messages to this number") == true)
        _ = world.clock.advance(seconds: 3600)
        #expect(await send(world, to: number(900), for: "198.51.100.1").status == 200)
    }

    /// ABU-04.
    @Test func `stops a block at the twenty-first number`() async throws {
        let world = try await World(Self.options())
        var sent = 0
        for index in 0..<60 where await send(world, to: number(index * 7 % 1000), for: "192.0.2.\(index)").status == 200
        {
            sent += 1
        }
        #expect(sent == 20)
        #expect(await send(world, to: "+12025551000", for: "192.0.2.99").status == 200, "another block")
    }

    @Test func `holds a country to its cap`() async throws {
        let world = try await World(Self.options { $0.sendsPerCountryPerHour = 3 })
        for index in 0..<3 {
            #expect(await send(world, to: number(index * 1000), for: "192.0.2.\(index)").status == 200)
        }
        let limited = await send(world, to: number(50_000), for: "192.0.2.50")
        #expect(limited.status == 429)
        #expect(limited.json["message"]?.string?.contains("messages to this country") == true)
        #expect(await send(world, to: "+4915112345678", for: "192.0.2.51").status == 200)
        let seconds = Int(limited.header("retry-after") ?? "") ?? 0
        _ = world.clock.advance(seconds: Int64(seconds))
        #expect(await send(world, to: number(60_000), for: "192.0.2.60").status == 200)
    }

    // MARK: the app surface

    private func initialize(_ world: World, from peer: PeerAddress = .loopback, forwarded: String? = nil) async
        -> Response
    {
        var request = World.request(
            .post, "/initialize", #"{"flowType":"mobile","phoneNumber":"2001001693","ipAddress":"203.0.113.7"}"#,
            forwarded.map { [("X-Forwarded-For", $0)] } ?? [])
        request.peer = peer
        return await world.client.send(request)
    }

    /// ABU-01: of 400 all passed before.
    @Test func `counts app calls in the rate of their tenant`() async throws {
        var options = World.Options()
        options.platform.requestsPerSecond = 5
        let world = try await World(options)
        var passed = 0
        for _ in 0..<400 where await initialize(world).status == 200 { passed += 1 }
        #expect(passed == 5)
        let limited = await initialize(world)
        #expect(limited.status == 429 && limited.json["code"] == 8004 && limited.header("retry-after") == "1")
        #expect(await world.post("/v3/unify-status", "{}").status == 429, "one rate for both")
        #expect(await world.post("/v3/unify-status", "{}", as: "sandbox-2").status == 400, "others go on (ABU-11)")
        _ = world.clock.advance(seconds: 1)
        #expect(await initialize(world).status == 200)
    }

    @Test func `limits anonymous starts by the caller's own address`() async throws {
        let world = try await World(Self.options { $0.startsPerAddressPerTenMinutes = 3 })
        let proxy = PeerAddress(ipv4: (192, 0, 2, 9))
        var statuses: [Int] = []
        for _ in 0..<4 { statuses.append(await initialize(world, from: proxy, forwarded: "198.51.100.1").status) }
        #expect(statuses == [200, 200, 200, 429])
        #expect(await initialize(world, from: proxy, forwarded: "198.51.100.2").status == 200)
        // A spoofed field, from a peer that is no proxy, changes nothing (ABU-09).
        let peer = PeerAddress(ipv4: (198, 51, 100, 1))
        #expect(await initialize(world, from: peer, forwarded: "198.51.100.3").status == 429)
        // Without a usable address all count together, and never without limit.
        var passed = 0
        for _ in 0..<20 where await initialize(world).status == 200 { passed += 1 }
        #expect(passed == 15)
    }

    @Test func `counts nothing in a sandbox that enforces no limits`() async throws {
        var options = Self.options()
        options.limits.overSessions = nil
        let world = try await World(options)
        for index in 0..<30 {
            #expect(await send(world, to: number(index), for: "192.0.2.1").status == 200)
            #expect(await initialize(world).status == 200)
        }
        #expect(world.hits.withLock { $0 } == [])
    }

    // MARK: guesses

    private static let wrongDOB = #","dob":"1999-01-01""#

    /// One run of Marcia's, by a code to her number, up to its challenge.
    private func challenge(_ world: World, _ more: String) async -> Response {
        let run = await world.startPrefill(World.marcia)
        _ = await world.step("validate", run)
        return await world.step("challenge", run, more)
    }

    /// Birth dates could be tried without end, three in a run: now five an hour and ten a day for a number.
    @Test func `takes five wrong claims about a number an hour, and ten a day`() async throws {
        let world = try await World(
            Self.options {
                $0.sendsPerQuarterHour = 1000; $0.sendsPerDay = 1000
            })
        var taken = 0
        for _ in 0..<30 {
            for _ in 0..<3 where await challenge(world, Self.wrongDOB).status == 200 { taken += 1 }
            _ = world.clock.advance(seconds: 1200)
        }
        #expect(taken == 10)
        let limited = await challenge(world, #","dob":"1982-07-19""#)
        #expect(limited.status == 429, "not even the right one is looked at")
        #expect(limited.json["message"]?.string?.contains("failed challenges") == true)
        let seconds = try #require(Int(limited.header("retry-after") ?? ""))
        _ = world.clock.advance(seconds: Int64(seconds))
        #expect(await challenge(world, #","dob":"1982-07-19""#).json["success"]?.bool == true)
    }

    @Test func `counts claims over the surfaces and tenants`() async throws {
        let world = try await World(
            Self.options {
                $0.sendsPerQuarterHour = 1000; $0.sendsPerDay = 1000
            })
        for index in 0..<5 {
            let tenant = index % 2 == 0 ? "sandbox" : "sandbox-2"
            let run = await world.startPrefill(World.marcia, as: tenant)
            _ = await world.step("validate", run, as: tenant)
            #expect(await world.step("challenge", run, Self.wrongDOB, as: tenant).json["success"]?.bool == false)
        }
        #expect(await challenge(world, Self.wrongDOB).status == 429)
        #expect(world.hits.withLock { $0 } == [.failedClaimsPerNumber])
    }

    @Test func `stops claims at a hundred failures in a row, for the operator to free`() async throws {
        let world = try await World(
            Self.options {
                $0.sendsPerQuarterHour = 1000
                $0.sendsPerDay = 1000
                $0.failedClaimsPerHour = 1000
                $0.failedClaimsPerDay = 1000
                $0.failuresInARow = 7
            })
        for _ in 0..<6 { #expect(await challenge(world, Self.wrongDOB).status == 200) }
        #expect(await challenge(world, #","dob":"1982-07-19""#).json["success"]?.bool == true, "which ends the run")
        for _ in 0..<7 { #expect(await challenge(world, Self.wrongDOB).status == 200) }
        _ = world.clock.advance(seconds: 10 * 86_400)
        let stopped = await challenge(world, #","dob":"1982-07-19""#)
        #expect(stopped.status == 403 && stopped.json["code"] == 8003 && stopped.header("retry-after") == nil)
        #expect(
            try await world.store.forgetTallies([LimitKey(.failedClaimsOfNumber, PhoneNumber(e164: "+12001001693")!)])
                == 1)
        #expect(await challenge(world, #","dob":"1982-07-19""#).json["success"]?.bool == true)
    }

    /// OTP-06: one wrong code in a session; true while it was looked at.
    private func guess(_ world: World, _ code: String = "9999", deviceKey: Bool = false) async -> (App, Response) {
        let app = App(world, await world.start(#"{"phoneNumber":"2001004014","possessionType":"mobile"}"#))
        _ = await app.redeem(deviceKey: deviceKey)
        _ = await app.post("/otp")
        return (app, await app.post("/otp/verify", #"{"code":"\#(code)"}"#))
    }

    /// More than 100 wrong codes in a row were taken, six a day for weeks.
    @Test func `stops codes at a hundred failures in a row, and says so to nobody`() async throws {
        let world = try await World(
            Self.options {
                $0.sendsPerQuarterHour = 1000; $0.sendsPerDay = 1000
            })
        // Ten an hour and twenty a day count: the hundredth comes in the tenth half of a day.
        for _ in 0..<11 {
            for _ in 0..<12 { #expect(await guess(world).1.status != 429) }
            _ = world.clock.advance(seconds: 43_200)
        }
        let (app, answer) = await guess(world, "1234")
        #expect(answer.status != 200)
        #expect(refusal(of: await app.post("/otp")) == "sends_exhausted", "a code that nobody could use is not sent")
        #expect(world.hits.withLock { $0.contains(.failuresInARow) })
    }

    @Test func `frees codes by a check that the guesser does not have`() async throws {
        let world = try await World(
            Self.options {
                $0.failuresInARow = 3; $0.sendsPerQuarterHour = 100; $0.sendsPerDay = 100
            })
        // The owner bound a key before.
        let owner = App(
            world, await world.start(#"{"phoneNumber":"2001004014","possessionType":"mobile"}"#), key: FakeKey(5))
        _ = await owner.redeem(deviceKey: true)
        try await owner.showKey()
        _ = await owner.post("/otp")
        #expect(await owner.post("/otp/verify", #"{"code":"1234"}"#).status == 200)
        for _ in 0..<3 { _ = await guess(world) }
        #expect(await guess(world, "1234").1.status != 200)
        // The owner comes back with the key: no code is needed, and codes go again.
        let back = App(
            world, await world.start(#"{"phoneNumber":"2001004014","possessionType":"mobile"}"#), key: FakeKey(5))
        _ = await back.redeem(deviceKey: true)
        try await back.showKey()
        #expect(await back.read().json["outcome"] == "succeeded")
        #expect(await guess(world, "1234").1.status == 200)
    }

    @Test func `a right code ends the run of wrong ones`() async throws {
        let world = try await World(
            Self.options {
                $0.failuresInARow = 3; $0.sendsPerQuarterHour = 100; $0.sendsPerDay = 100
            })
        for _ in 0..<3 {
            for _ in 0..<2 { _ = await guess(world) }
            #expect(await guess(world, "1234").1.status == 200)
        }
    }

    @Test func `takes ten refusals of links to a number an hour`() async throws {
        let world = try await World(
            Self.options {
                $0.sendsPerQuarterHour = 1000; $0.sendsPerDay = 1000
            })
        for _ in 0..<10 {
            let app = await world.linked()
            #expect(await app.post("/link").status == 200)
            _ = await world.decide("decision=deny")
        }
        let app = await world.linked()
        let limited = await app.post("/link")
        #expect(limited.status == 429 && limited.header("retry-after") == "3600")
        #expect(world.hits.withLock { $0 } == [.refusedLinks])
        // Who answers codes instead is not held up.
        #expect(await guess(world, "1234").1.status == 200)
        #expect(await world.linked().post("/link").status == 429, "a code does not make links arrive sooner")
    }

    @Test func `ends the device step after too many bad proofs, and takes the right key all the same`() async throws {
        let world = try await World(Self.options { $0.wrongCodesPerHour = 2 })
        let number = #"{"phoneNumber":"2001004014","possessionType":"mobile"}"#
        let owner = App(world, await world.start(number), key: FakeKey(5))
        _ = await owner.redeem(deviceKey: true)
        try await owner.showKey()
        _ = await owner.post("/otp")
        #expect(await owner.post("/otp/verify", #"{"code":"1234"}"#).status == 200)
        var steps: [String?] = []
        for _ in 0..<3 {
            let app = App(world, await world.start(number))
            _ = await app.redeem(deviceKey: true)
            let bad = await app.post("/device", #"{"proof":"x"}"#)
            steps.append(bad.json["state"]?.object?["step"]?.string)
        }
        #expect(steps == ["device", "device", "otpStart"])
        let back = App(world, await world.start(number), key: FakeKey(5))
        _ = await back.redeem(deviceKey: true)
        try await back.showKey()
        #expect(await back.read().json["outcome"] == "succeeded")
    }

    // MARK: polls

    /// ABU-08. Of 300 polls 300 passed, and the 511th call of a client got 401, the one with the right code too.
    @Test func `answers sixty polls a minute of a client, and takes its right code`() async throws {
        let world = try await World(Self.options())
        let app = App(world, await world.start(#"{"phoneNumber":"2001004014","possessionType":"mobile"}"#))
        _ = await app.redeem()
        _ = await app.post("/otp")
        var passed = 0
        for second in 0..<600 {
            if await app.read(second % 2 == 0 ? "" : "after=0&wait=1").status == 200 { passed += 1 }
            if second % 100 == 99, second < 599 { _ = world.clock.advance(seconds: 10) }
        }
        // Fifty seconds have passed: all in the first minute.
        #expect(passed == 60)
        let limited = await app.read()
        #expect(limited.status == 429 && refusal(of: limited) == "rate_limited")
        #expect(limited.header("retry-after") != nil)
        #expect(await app.post("/otp/verify", #"{"code":"1234"}"#).status == 200)
    }

    @Test func `answers sixty polls a minute of a backend and 180 an hour, by session`() async throws {
        let world = try await World(Self.options())
        let started = await world.start(#"{"phoneNumber":"2001004014","possessionType":"mobile"}"#)
        let other = await world.start(#"{"phoneNumber":"2001004014","possessionType":"mobile"}"#)
        var passed: [Int] = []
        for _ in 0..<5 {
            var count = 0
            for _ in 0..<100 where await world.status(started).status == 200 { count += 1 }
            passed.append(count)
            if passed.count < 5 { _ = world.clock.advance(seconds: 60) }
        }
        #expect(passed == [60, 60, 60, 0, 0])
        let limited = await world.status(started)
        #expect(limited.json["code"] == 8004 && limited.header("retry-after") == "3360")
        #expect(await world.status(other).status == 200)
        #expect(await world.status(started, as: "sandbox-2").status == 400, "a stranger learns of no limit")
    }

    // MARK: links of others

    private func ipMatch(_ world: World, _ started: World.Started) async -> String? {
        let evaluation = await world.status(started).json["evaluation"]?.object
        return evaluation?["authentication"]?.object?["ipMatch"]?.string
    }

    /// The phone is at 198.51.100.7. A result said nothing of another network before.
    @Test(arguments: [
        ("198.51.100.7", false, "success"), ("203.0.113.9", false, "failure"), ("203.0.113.9", true, "failure"),
    ])
    func `tells the backend whether the link was approved where the browser is`(
        address: String, demands: Bool, expected: String
    ) async throws {
        var options = World.Options()
        options.rules.linkNeedsSameAddress = demands
        let world = try await World(options)
        let started = await world.start(
            #"{"possessionType":"desktop","phoneNumber":"2001004014","ipAddress":"\#(address)","finalTargetUrl":"https://app.example/done"}"#
        )
        let app = App(world, started)
        _ = await app.redeem(fallback: "link")
        _ = await app.post("/link")
        #expect(await ipMatch(world, started) == nil)
        _ = await world.decide("decision=approve")
        #expect(await world.status(started).json["success"]?.string == (demands ? "false" : "true"))
        #expect(await ipMatch(world, started) == expected)
    }

    @Test func `compares nothing where the backend gave no address`() async throws {
        var options = World.Options()
        options.rules.linkNeedsSameAddress = true
        let world = try await World(options)
        let started = await world.start(World.desktop)
        let app = App(world, started)
        _ = await app.redeem(fallback: "link")
        _ = await app.post("/link")
        _ = await world.decide("decision=approve")
        #expect(await world.status(started).json["success"]?.string == "true")
        #expect(await ipMatch(world, started) == nil)
    }

    // MARK: kinds and countries

    @Test func `refuses numbers that cost money or that nobody holds, and never a sandbox user`() async throws {
        var options = Self.options()
        options.rules.callingCodes = []
        let world = try await World(options)
        for (text, reason) in [
            ("+881612345678", "satellite"), ("+870773111632", "satellite"), ("+979123456789", "premium"),
            ("+80812345678", "shared-cost"), ("+88213123456", "international network"),
        ] {
            let answer = await world.post("/v3/unify", #"{"phoneNumber":"\#(text)","possessionType":"mobile"}"#)
            #expect(answer.status == 400 && answer.json["code"] == 8001, "\(text)")
            let message = answer.json["message"]?.string ?? ""
            #expect(
                message.contains("phoneNumber") && message.contains(reason) && !message.contains(text), "\(message)")
        }
        #expect(await send(world, to: "2001004014", for: "192.0.2.1").status == 200)
    }

    @Test func `opens countries in live only by name`() async throws {
        var options = World.Options()
        options.numbers = .live
        options.isSandbox = false
        for (codes, expected) in [([], 400), (["44"], 400), (["1"], 200), (["44", "1"], 200)] {
            options.rules.callingCodes = codes
            let world = try await World(options)
            let answer = await world.post("/v3/unify", #"{"phoneNumber":"+12015551000","possessionType":"mobile"}"#)
            #expect(answer.status == expected, "\(codes): \(answer.text)")
            if expected == 400 { #expect(answer.json["message"]?.string?.contains("country") == true) }
        }
    }
}

extension App {
    /// Answers the session's device challenge with the app's own key.
    func showKey() async throws {
        let challenge = try #require(await read().json["device"]?.object?["challenge"]?.string)
        let key = try #require(key)
        let answer = await post(
            "/device", #"{"proof":"device|\#(key.number)|\#(authID)|\#(challenge)|\#(key.number)"}"#)
        #expect(answer.status == 200, "\(answer.text)")
    }
}
