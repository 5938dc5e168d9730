import HTTPServer
import Locks
import Possession
import StrictJSON
import TestSupport
import Testing

/// Limits of messages, as callers meet them.
@Suite struct SendLimitTests {
    // MARK: addresses

    /// ABU-03.
    @Test func `sends ten messages for an address in ten minutes`() async throws {
        let world = try await World(World.limited())
        var statuses: [Int] = []
        for index in 0..<12 {
            statuses.append(await world.send(to: World.number(index * 1000), for: "192.0.2.1").status)
        }
        #expect(statuses == Array(repeating: 200, count: 10) + [429, 429])
        #expect(await world.send(to: World.number(500_000), for: "192.0.2.2").status == 200)
        let limited = await world.send(to: World.number(600_000), for: "192.0.2.1")
        #expect(limited.header("retry-after") == "600")
        #expect(limited.json["message"]?.string?.contains("limit: messages from this address") == true)
        #expect(world.hits.withLock { $0 } == [.sendsPerAddress, .sendsPerAddress, .sendsPerAddress])
        _ = world.clock.advance(seconds: 600)
        #expect(await world.send(to: World.number(700_000), for: "192.0.2.1").status == 200)
    }

    /// ABU-03: 1000 addresses of one /64 are one, and ABU-09: a mapped address is its IPv4 address.
    @Test func `counts an address by what one household has of it`() async throws {
        let world = try await World(World.limited())
        var passed = 0
        for index in 0..<30
        where await world.send(to: World.number(index * 1000), for: "2001:db8:1:2::\(index)").status == 200 {
            passed += 1
        }
        #expect(passed == 10)
        for index in 0..<10 {
            let address = index % 2 == 0 ? "192.0.2.1" : "::ffff:192.0.2.1"
            #expect(await world.send(to: World.number(100_000 + index * 1000), for: address).status == 200)
        }
        #expect(await world.send(to: World.number(200_000), for: "::ffff:c000:201").status == 429)
    }

    @Test func `holds a whole network to five times as much`() async throws {
        let world = try await World(World.limited { $0.sendsPerAddressPerTenMinutes = 2 })
        var passed = 0
        for index in 0..<30
        where await world.send(to: World.number(index * 1000), for: "2001:db8:1:\(index)::1").status == 200 {
            passed += 1
        }
        #expect(passed == 10)
        #expect(world.hits.withLock { Set($0) } == [.sendsPerNetwork])
    }

    // MARK: blocks and countries

    /// ABU-04; of 120 neighbours all got a message before.
    @Test func `stops a block at the fifth neighbour`() async throws {
        let world = try await World(World.limited())
        var sent = 0
        for index in 0..<120 where await world.send(to: World.number(index), for: "192.0.2.\(index)").status == 200 {
            sent += 1
        }
        #expect(sent == 4)
        let other = await world.send(to: World.number(900), for: "198.51.100.1")
        #expect(other.status == 429 && other.header("retry-after") == "3600")
        #expect(other.json["message"]?.string?.contains("messages to this number") == true)
        _ = world.clock.advance(seconds: 3600)
        #expect(await world.send(to: World.number(900), for: "198.51.100.1").status == 200)
    }

    /// ABU-04.
    @Test func `stops a block at the twenty-first number`() async throws {
        let world = try await World(World.limited())
        var sent = 0
        for index in 0..<60
        where await world.send(to: World.number(index * 7 % 1000), for: "192.0.2.\(index)").status == 200 {
            sent += 1
        }
        #expect(sent == 20)
        #expect(await world.send(to: "+12025551000", for: "192.0.2.99").status == 200, "another block")
    }

    @Test func `holds a country to its cap`() async throws {
        let world = try await World(World.limited { $0.sendsPerCountryPerHour = 3 })
        for index in 0..<3 {
            #expect(await world.send(to: World.number(index * 1000), for: "192.0.2.\(index)").status == 200)
        }
        let limited = await world.send(to: World.number(50_000), for: "192.0.2.50")
        #expect(limited.status == 429)
        #expect(limited.json["message"]?.string?.contains("messages to this country") == true)
        #expect(await world.send(to: "+4915112345678", for: "192.0.2.51").status == 200)
        let seconds = Int(limited.header("retry-after") ?? "") ?? 0
        _ = world.clock.advance(seconds: Int64(seconds))
        #expect(await world.send(to: World.number(60_000), for: "192.0.2.60").status == 200)
    }

    // MARK: kinds and countries

    @Test func `refuses numbers that cost money or that nobody holds, and never a sandbox user`() async throws {
        var options = World.limited()
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
        #expect(await world.send(to: "2001004014", for: "192.0.2.1").status == 200)
    }

    @Test func `opens countries in live only by name`() async throws {
        var options = World.Options()
        options.users = nil
        options.isSandbox = false
        for (codes, expected) in [([], 400), (["44"], 400), (["1"], 200), (["44", "1"], 200)] {
            options.rules.callingCodes = codes
            let world = try await World(options)
            let answer = await world.post("/v3/unify", #"{"phoneNumber":"+12015551000","possessionType":"mobile"}"#)
            #expect(answer.status == expected, "\(codes): \(answer.text)")
            if expected == 400 { #expect(answer.json["message"]?.string?.contains("country") == true) }
        }
    }

    // MARK: the time between two messages

    /// ABU-02: thirty seconds, and from the third message on twice as long as before.
    @Test func `a message waits for thirty seconds, and twice as long from the third on`() async throws {
        let world = try await World(World.limited { $0.secondsBetweenSends = 30 })
        for wait: Int64 in [30, 60, 120, 240] {
            #expect(await world.send(to: World.number(0), for: "192.0.2.1").status == 200)
            let limited = await world.send(to: World.number(0), for: "192.0.2.2")
            #expect(limited.status == 429 && limited.header("retry-after") == "\(wait)")
            _ = world.clock.advance(seconds: wait - 1)
            #expect(await world.send(to: World.number(0), for: "192.0.2.2").header("retry-after") == "1")
            _ = world.clock.advance(seconds: 1)
        }
        #expect(await world.send(to: World.number(0), for: "192.0.2.1").status == 200)
        #expect(await world.send(to: World.number(7000), for: "192.0.2.1").status == 200, "another number")
        #expect(world.hits.withLock { Set($0) } == [.sendsPerNumber])
    }

    @Test func `a resend waits as a first message does`() async throws {
        let world = try await World(World.limited { $0.secondsBetweenSends = 30 })
        let app = App(world, await world.start(#"{"phoneNumber":"2001004014","possessionType":"mobile"}"#))
        _ = await app.redeem()
        #expect(await app.post("/otp").status == 200)
        let limited = await app.post("/otp/resend")
        #expect(limited.status == 429 && refusal(of: limited) == "rate_limited")
        #expect(limited.header("retry-after") == "30")
        #expect(allowed(by: limited).contains("otp.resend"), "nothing was used up")
        #expect(await app.post("/otp/verify", #"{"code":"1234"}"#).status == 200, "the code that went out still counts")
    }

    /// What is told as the wait is true although a window is full and what follows it has to wait as well.
    @Test func `tells the longer of two waits`() async throws {
        let world = try await World(
            World.limited {
                $0.secondsBetweenSends = 30; $0.sendsPerQuarterHour = 2
            })
        #expect(await world.send(to: World.number(0), for: "192.0.2.1").status == 200)
        _ = world.clock.advance(seconds: 890)
        #expect(await world.send(to: World.number(0), for: "192.0.2.1").status == 200)
        let limited = await world.send(to: World.number(0), for: "192.0.2.1")
        #expect(limited.header("retry-after") == "30")
        _ = world.clock.advance(seconds: 30)
        #expect(await world.send(to: World.number(0), for: "192.0.2.1").status == 200)
    }

    /// ABU-02: both were sent.
    @Test func `of two messages at once to a number one goes`() async throws {
        let world = try await World(World.limited { $0.secondsBetweenSends = 30 })
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { await world.send(to: World.number(0), for: "192.0.2.1").status } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200] + Array(repeating: 429, count: 7))
        #expect(world.gateway.sent.count == 1)
    }
}
