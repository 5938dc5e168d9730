import HTTPServer
import Locks
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

/// Limits of messages, as callers meet them.
@Suite struct SendLimitTests {
    // MARK: who asks

    /// Numbers of as many prefixes as there are indexes.
    private static func apart(_ index: Int) -> String { "+1206\(200 + index)1000" }

    /// ABU-03.
    @Test func `an address gets six messages that nobody answers`() async throws {
        let world = try await World(World.limited())
        var statuses: [Int] = []
        for index in 0..<8 { statuses.append(await world.send(to: Self.apart(index), for: "192.0.2.1").status) }
        #expect(statuses == Array(repeating: 200, count: 6) + [429, 429])
        #expect(await world.send(to: Self.apart(20), for: "192.0.2.2").status == 200)
        let soon = Int(await world.send(to: Self.apart(21), for: "192.0.2.1").header("retry-after") ?? "") ?? 0
        #expect((30...60).contains(soon), "answers are due")
        _ = world.clock.advance(seconds: 180)
        let limited = await world.send(to: Self.apart(21), for: "192.0.2.1")
        #expect(limited.header("retry-after") == "43020", "two a day return")
        #expect(limited.json["message"]?.string?.contains("limit: messages from this address") == true)
        #expect(world.hits.withLock { $0 } == Array(repeating: .sendsPerAddress, count: 4))
        _ = world.clock.advance(seconds: 43_020)
        #expect(await world.send(to: Self.apart(22), for: "192.0.2.1").status == 200)
    }

    /// ABU-03: 1000 addresses of one /64 are one, and ABU-09: a mapped address is its IPv4 address.
    @Test func `counts an address by what one household has of it`() async throws {
        let world = try await World(World.limited())
        var passed = 0
        for index in 0..<20
        where await world.send(to: Self.apart(index), for: "2001:db8:1:2::\(index)").status == 200 {
            passed += 1
        }
        #expect(passed == 6)
        for index in 0..<6 {
            let address = index % 2 == 0 ? "192.0.2.1" : "::ffff:192.0.2.1"
            #expect(await world.send(to: Self.apart(30 + index), for: address).status == 200)
        }
        #expect(await world.send(to: Self.apart(40), for: "::ffff:c000:201").status == 429)
    }

    @Test func `holds a whole network to ten times as much`() async throws {
        let world = try await World(World.limited { $0.sizes = BucketSizes(address: 2, network: 10) })
        var passed = 0
        for index in 0..<30
        where await world.send(to: Self.apart(index), for: "2001:db8:1:\(index)::1").status == 200 {
            passed += 1
        }
        #expect(passed == 10)
        #expect(world.hits.withLock { Set($0) } == [.sendsPerNetwork])
    }

    @Test func `answers give an address its messages back`() async throws {
        let world = try await World(World.limited())
        for index in 0..<30 {
            let started = await world.start(
                #"{"phoneNumber":"\#(Self.apart(index))","possessionType":"mobile","ipAddress":"192.0.2.1"}"#)
            await world.prove(started)
            #expect(await world.status(started).json["success"] == "true", "\(index)")
        }
    }

    /// M2: a backend names any address, and others at that address got nothing.
    @Test func `an address that a backend names counts at that backend only`() async throws {
        let world = try await World(World.limited())
        for index in 0..<10 { _ = await world.send(to: Self.apart(index), for: "203.0.113.77", as: "sandbox-2") }
        #expect(await world.send(to: Self.apart(20), for: "203.0.113.77").status == 200)
    }

    // MARK: where it goes

    /// H2: four messages closed a thousand numbers for an hour, at every API client.
    @Test func `neighbours in a row close nothing for others`() async throws {
        let world = try await World(World.limited())
        for index in 1...5 { _ = await world.send(to: "+1206556100\(index)", for: "198.51.100.2") }
        #expect(await world.send(to: "+12065561777", for: "203.0.113.5").status == 200)
    }

    /// H3: 26 messages kept ten thousand numbers closed for two days.
    @Test func `three addresses close no prefix, whatever they ask for`() async throws {
        let world = try await World(World.limited())
        for index in 0..<21 {
            _ = await world.send(to: "+1206558\(1000 + index * 37)", for: "198.51.101.\(index / 8)")
        }
        #expect(await world.send(to: "+12065589999", for: "203.0.113.6").status == 200)
    }

    @Test func `a scarce prefix says no more than that numbers like it wait, and never until when`() async throws {
        let world = try await World(World.limited { $0.sizes = BucketSizes(prefix: 6) })
        for index in 0..<4 { #expect(await world.send(to: World.number(index), for: "192.0.\(index).1").status == 200) }
        let refused = await world.send(to: World.number(9), for: "192.0.9.1")
        let seconds = Int(refused.header("retry-after") ?? "") ?? 0
        #expect(refused.status == 429 && (600...1200).contains(seconds))
        #expect(refused.json["message"]?.string?.contains("limit: messages to numbers like this one") == true)
        _ = world.clock.advance(seconds: 60)
        let again = await world.send(to: World.number(9), for: "192.0.9.1")
        #expect(again.header("retry-after") == "\(seconds)", "no clock that runs down")
        #expect(world.hits.withLock { $0 } == [.prefixClosed, .prefixClosed])
        #expect(await world.send(to: World.number(9), for: "192.0.9.1", as: "sandbox-2").status == 200)
    }

    @Test func `people whom the client knows pass a scarce prefix, and one that an operator has closed`() async throws {
        let world = try await World(World.limited { $0.sizes = BucketSizes(prefix: 6) })
        let started = await world.start(
            #"{"phoneNumber":"\#(World.number(77))","possessionType":"mobile","ipAddress":"192.0.2.1"}"#)
        await world.prove(started)
        for index in 0..<6 { _ = await world.send(to: World.number(index), for: "192.0.\(index).1") }
        #expect(await world.send(to: World.number(10), for: "192.0.10.1").status == 429)
        #expect(await world.send(to: World.number(77), for: "192.0.11.1").status == 200)
        let closed = ClosedPrefix(
            prefix: try #require(NumberPrefix("+1")), until: FixedClock.start.adding(.seconds(3600)))
        world.closedPrefixes.withLock { $0 = [closed] }
        #expect(await world.send(to: "+12065550001", for: "192.0.12.1").status == 429)
        #expect(await world.send(to: World.number(77), for: "192.0.13.1").status == 200)
        #expect(await world.send(to: "+4915112345678", for: "192.0.14.1").status == 200)
        _ = world.clock.advance(seconds: 3600)
        #expect(await world.send(to: "+12065550001", for: "192.0.12.1").status == 200)
    }

    /// 3.6 of the model: a known number gets its message in a scarce prefix, so whoever asks on and on would find out who is known.
    @Test func `a network that was refused five times in an hour is told of no number more`() async throws {
        let world = try await World(World.limited { $0.sizes = BucketSizes(prefix: 6) })
        for digits in [77, 78] {
            let started = await world.start(
                #"{"phoneNumber":"\#(World.number(digits))","possessionType":"mobile","ipAddress":"192.0.2.1"}"#)
            await world.prove(started)
        }
        for index in 0..<6 { _ = await world.send(to: World.number(index), for: "192.0.\(index).1") }
        for index in 0..<5 {
            #expect(await world.send(to: World.number(20 + index), for: "198.51.100.\(index)").status == 429)
        }
        let unknown = await world.send(to: World.number(30), for: "198.51.100.9")
        let known = await world.send(to: World.number(77), for: "198.51.100.9")
        #expect(known.status == 429 && known.json["message"] == unknown.json["message"])
        #expect(known.header("retry-after") == unknown.header("retry-after"))
        #expect(await world.send(to: World.number(77), for: "203.0.113.9").status == 200, "from elsewhere")
        #expect(await world.send(to: World.number(78), for: "192.0.2.9").status == 200, "from where it was proven")
        _ = world.clock.advance(seconds: 3600)
        #expect(await world.send(to: World.number(78), for: "198.51.100.9").status == 200, "an hour later")
    }

    @Test func `a message that no carrier took does not count as unanswered`() async throws {
        let world = try await World(World.limited { $0.sizes = BucketSizes(address: 2, prefix: 6) })
        world.gateway.refuse(true)
        for index in 0..<12 { #expect(await world.send(to: World.number(index), for: "192.0.2.1").status != 429) }
        world.gateway.refuse(false)
        #expect(await world.send(to: World.number(90), for: "192.0.2.1").status == 200)
    }

    @Test func `the explanation names the limit that allowed no message, by its public name`() async throws {
        let world = try await World(World.limited { $0.secondsBetweenSends = 30 })
        let started = await world.start(#"{"phoneNumber":"+12065561888","possessionType":"mobile"}"#)
        let app = App(world, started)
        _ = await app.redeem()
        #expect(await app.post("/otp").status == 200)
        for _ in 0..<80 { #expect(await app.post("/otp/resend").status == 429) }
        let path = "/v1/sessions/\(started.correlationID)/explanation"
        let request = Request(method: .get, path: path, headers: Headers([World.bearer("sandbox")]), id: "q")
        let answer = await world.client.send(request).json
        let events = answer["events"]?.array ?? []
        let refused = events.filter { $0.object?["event"]?.string == "send_refused" }
        // Half of the timeline, however often somebody asks.
        #expect(events.count == 32 && !refused.isEmpty)
        for event in refused {
            #expect(event.object?["limit"]?.string == "messages to this number" && event.object?["detail"] == nil)
            #expect(event.object?["until"]?.string == FixedClock.start.adding(.seconds(30)).rfc3339)
        }
        let held = answer["limits"]?.array?.first?.object
        #expect(held?["limit"]?.string == "sends_per_number" && held?["why"]?.string == "pause_after_message")
    }

    /// M3: a client read to the second what others did with any number.
    @Test func `no answer about a number depends on what another client did with it`() async throws {
        let number = "+12065561888"
        func answers(_ world: World) async -> [String] {
            let started = await world.start(
                #"{"phoneNumber":"\#(number)","possessionType":"mobile","ipAddress":"192.0.2.9"}"#, as: "sandbox-2")
            let app = App(world, started)
            _ = await app.redeem()
            var texts: [String] = []
            for path in ["/otp", "/otp/resend", "/otp/resend"] {
                let answer = await app.post(path)
                texts.append("\(answer.status) \(answer.header("retry-after") ?? "-") \(answer.text)")
            }
            texts.append(await app.post("/otp/verify", #"{"code":"0"}"#).text)
            texts.append(await world.status(started, as: "sandbox-2").text)
            let path = "/v1/sessions/\(started.correlationID)/explanation"
            let request = Request(
                method: .get, path: path, headers: Headers([World.bearer("sandbox-2")]), id: "q")
            texts.append(await world.client.send(request).text)
            return texts
        }
        let quiet = try await World(World.limited { $0.secondsBetweenSends = 30 })
        let busy = try await World(World.limited { $0.secondsBetweenSends = 30 })
        // As many ids, codes and moments as on the other one, for another number.
        for (world, other) in [(quiet, "+12125561888"), (busy, number)] {
            for index in 0..<30 {
                _ = await world.send(to: other, for: "198.51.\(index).1")
                _ = await world.send(to: "\(other.dropLast(3))\(100 + index)", for: "198.51.\(index).2")
                _ = world.clock.advance(seconds: 400)
            }
            let guess = App(world, await world.start(#"{"phoneNumber":"\#(other)","possessionType":"mobile"}"#))
            _ = await guess.redeem()
            _ = await guess.post("/otp")
            _ = await guess.post("/otp/verify", #"{"code":"0"}"#)
        }
        let (first, second) = (await answers(quiet), await answers(busy))
        #expect(first.count == second.count)
        for (left, right) in zip(first, second) { #expect(left == right) }
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
        let world = try await World(
            World.limited {
                $0.secondsBetweenSends = 30; $0.sizes = BucketSizes(prefix: 0)
            })
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

    /// The wait that is told is true although a window is full and the send after it has to wait too.
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
