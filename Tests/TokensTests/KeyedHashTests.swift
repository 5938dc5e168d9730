import Possession
import Testing
import Tokens

@Suite struct KeyedHashTests {
    private let master: MasterKey

    init() throws {
        master = try #require(MasterKey([UInt8](repeating: 1, count: 32)))
    }

    @Test func `gives every label a key of its own`() throws {
        let keys = try Set(MasterKey.Label.allCases.map { try master.subkey($0).copied })
        #expect(keys.count == MasterKey.Label.allCases.count)
    }

    @Test func `keeps fields apart`() {
        let hash = KeyedHash(key: SecretBytes([1]))
        let lists = [["ab", "c"], ["a", "bc"], ["abc"], ["abc", ""], ["", "abc"], ["a", "b", "c"]]
        #expect(Set(lists.map { hash.digest(fields: $0.map { Array($0.utf8) }) }).count == lists.count)
    }

    @Test func `makes the digest of a code depend on code, session, number and key`() throws {
        let keyed = try KeyedDigests(master)
        let code = try #require(OTP("1234"))
        let number = try #require(PhoneNumber(e164: "+12001004014"))
        let digest = keyed.otp(code, Fixture.authID, .number(number))
        #expect(digest.bytes.count == 32)
        #expect(keyed.otp(code, Fixture.authID, .number(number)).matches(digest))
        #expect(!keyed.otp(try #require(OTP("1235")), Fixture.authID, .number(number)).matches(digest))
        #expect(!keyed.otp(code, AuthID(bits: 1), .number(number)).matches(digest))
        #expect(
            !keyed.otp(code, Fixture.authID, .number(try #require(PhoneNumber(e164: "+12001004015")))).matches(digest))
        let other = try KeyedDigests(try #require(MasterKey([UInt8](repeating: 2, count: 32))))
        #expect(!other.otp(code, Fixture.authID, .number(number)).matches(digest))
    }

    @Test func `digests secrets by client, and bodies`() throws {
        let keyed = try KeyedDigests(master)
        #expect(keyed.secret("s", try Fixture.clientID("a")) != keyed.secret("s", try Fixture.clientID("b")))
        #expect(keyed.secret("s", try Fixture.clientID("a")) == keyed.secret("s", try Fixture.clientID("a")))
        #expect(keyed.body([1]) != keyed.body([2]))
        #expect(keyed.body([]).bytes.count == 32)
    }

    /// RFC 7636 appendix B.
    @Test func `makes the challenge of a verifier as PKCE does`() throws {
        let keyed = try KeyedDigests(master)
        let challenge = keyed.challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(keyed.text(challenge.bytes) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(keyed.bytes("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM") == challenge.bytes)
    }

    @Test func `makes one link token for each session`() throws {
        let keyed = try KeyedDigests(master)
        let token = keyed.codeLink(CorrelationID(bits: 1))
        #expect(token.count == 16 && token == keyed.codeLink(CorrelationID(bits: 1)))
        #expect(token != keyed.codeLink(CorrelationID(bits: 2)))
        let foreign = try KeyedDigests(try #require(MasterKey([UInt8](repeating: 2, count: 32))))
        #expect(token != foreign.codeLink(CorrelationID(bits: 1)))
    }

    @Test func `tells results and people apart by client, each with a key of its own`() throws {
        let keyed = try KeyedDigests(master)
        let (one, other) = (try Fixture.clientID("a"), try Fixture.clientID("b"))
        let (first, second) = (CorrelationID(bits: 1), CorrelationID(bits: 2))
        let result = keyed.result(first, one)
        #expect(result.count == 16 && result == keyed.result(first, one))
        #expect(result != keyed.result(second, one) && result != keyed.result(first, other))
        let number = Target.number(try #require(PhoneNumber(e164: "+12001004014")))
        let subject = keyed.subject(number, one)
        #expect(subject.count == 16 && subject == keyed.subject(number, one) && subject != keyed.subject(number, other))
        let another = Target.number(try #require(PhoneNumber(e164: "+12001004015")))
        #expect(subject != keyed.subject(another, one))
        let state = keyed.appState([1], one)
        #expect(state.count == 16 && state == keyed.appState([1], one))
        #expect(state != keyed.appState([2], one) && state != keyed.appState([1], other))
        let foreign = try KeyedDigests(try #require(MasterKey([UInt8](repeating: 2, count: 32))))
        #expect(foreign.appState([1], one) != state)
        #expect(foreign.result(first, one) != result && foreign.subject(number, one) != subject)
    }

    @Test func `makes a hook secret of a client's secret, for that client`() throws {
        let keyed = try KeyedDigests(master)
        let (one, other) = (try Fixture.clientID("a"), try Fixture.clientID("b"))
        let digest = keyed.secret("s", one)
        let made = keyed.hook(digest, one)
        #expect(made.count == 32 && made == keyed.hook(digest, one) && made != digest.bytes)
        #expect(made != keyed.hook(digest, other) && made != keyed.hook(keyed.secret("t", one), one))
    }

    @Test func `finds a number again by its blind index`() throws {
        let hash = KeyedHash(key: try master.subkey(.blindIndex))
        let number = try #require(PhoneNumber(e164: "+12001004014"))
        #expect(hash.blindIndex(.number(number)) == hash.blindIndex(.number(number)))
        #expect(
            hash.blindIndex(.number(number))
                != hash.blindIndex(.number(try #require(PhoneNumber(e164: "+12001004015")))))
    }

    @Test func `finds what a limit has counted by the digest of counter and subject, each behind its length`() throws {
        let hash = KeyedHash(key: try master.subkey(.blindIndex))
        let key = LimitKey(.sendsToNumber, of: try Fixture.clientID("a"), Array("+12001004014".utf8))
        #expect(key.subject == Array("a\0+12001004014".utf8))
        let whole = hash.digest(fields: [Array("sendsToNumber".utf8), key.subject])
        #expect(hash.limitKey(key) == Array(whole.prefix(16)))
    }

    @Test func `digests an address in whatever case it is written, and never as a number`() throws {
        let keyed = try KeyedDigests(master)
        let hash = KeyedHash(key: try master.subkey(.blindIndex))
        let code = try #require(OTP("1234"))
        let targets = try ["Ada@example.com", "ada@EXAMPLE.com", "ada@example.org"].map { try #require(Target($0)) }
        #expect(hash.blindIndex(targets[0]) == hash.blindIndex(targets[1]))
        #expect(hash.blindIndex(targets[0]) != hash.blindIndex(targets[2]))
        let digests = targets.map { keyed.otp(code, Fixture.authID, $0) }
        #expect(digests[0].matches(digests[1]) && !digests[0].matches(digests[2]))
    }

    @Test func `finds a device id by its time and its digest, and so in the order they were made`() throws {
        let hash = KeyedHash(key: try master.subkey(.blindIndex))
        let first = DeviceID(bits: 0x0192_0000_0001_7abc_8000_0000_0000_0001)
        let second = DeviceID(bits: 0x0192_0000_0002_7abc_8000_0000_0000_0000)
        let (one, two) = (hash.blindIndex(first), hash.blindIndex(second))
        #expect(one.count == 22 && one == hash.blindIndex(first))
        #expect(one.prefix(6) == [0x01, 0x92, 0, 0, 0, 1] && one.lexicographicallyPrecedes(two))
        #expect(one.suffix(16) != [UInt8](repeating: 0, count: 15) + [1])
        #expect(hash.blindIndex(DeviceID(bits: first.bits + 1)).suffix(16) != one.suffix(16))
    }

    @Test func `finds a credential by the digest of its name and value, each behind its length`() throws {
        let hash = KeyedHash(key: try master.subkey(.blindIndex))
        let index = hash.blindIndex(Identification.Entry("ab", "c"))
        #expect(index.count == 16 && index == hash.blindIndex(Identification.Entry("ab", "c")))
        for other in [("a", "bc"), ("ab", "d"), ("c", "ab"), ("abc", "")] {
            #expect(hash.blindIndex(Identification.Entry(other.0, other.1)) != index)
        }
    }

    @Test func `gives the same digest on every thread`() async {
        let hash = KeyedHash(key: SecretBytes([1, 2, 3]))
        let expected = hash.digest([5])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<500 { #expect(hash.digest([5]) == expected) } }
            }
        }
    }

    @Test func `gives random bytes once`() throws {
        let random = SystemRandom()
        var seen = Set<[UInt8]>()
        for _ in 0..<2000 { seen.insert(try random.bytes(16)) }
        #expect(seen.count == 2000)
        for count in [0, 1, 1023, 1024, 1025, 5000] { #expect(try random.bytes(count).count == count) }
        #expect(try random.bytes(5000).suffix(1000).contains { $0 != 0 })
    }

    @Test func `prints no key`() throws {
        let key = try SigningKey.generate()
        var dumped = ""
        dump(master, to: &dumped)
        dump(key, to: &dumped)
        dump(SecretBytes(Array("very secret".utf8)), to: &dumped)
        print(master, key, try master.subkey(.otp), separator: " ", to: &dumped)
        #expect(!dumped.contains("very secret") && !dumped.contains("0x"))
        #expect("\(key) \(try master.subkey(.otp))" == "<redacted> <redacted>")
    }
}
