import Engine
import Possession
import TestSupport
import Testing

@testable import Records

/// Records that version 1 has written of device keys, people, identities and tallies. A line of hex is never edited: a new
/// version adds one. The sealed ones are under the cipher of the tests, in one row.
@Suite struct OtherRecordsTests {
    private static let index = [UInt8](repeating: 9, count: 22)
    private static let person = PersonID(high: 0x1900_0000_0000_7004, low: 1)
    private static let identity = HolderID(high: 0x1900_0000_0000_7003, low: 1)
    private static let device = DeviceID(high: 0x1900_0000_0000_7002, low: 1)

    private func opens<Value>(_ sealed: [UInt8], _ open: ([UInt8]) throws -> Value) {
        #expect(throws: Never.self) { _ = try open(sealed) }
        for index in sealed.indices {
            var damaged = sealed
            damaged[index] ^= 1
            #expect(throws: StorageFault.self) { _ = try open(damaged) }
        }
        for count in sealed.indices { #expect(throws: StorageFault.self) { _ = try open(Array(sealed[..<count])) } }
    }

    @Test func `reads the device key that version 1 has written`() throws {
        let bytes = [UInt8](repeating: 1, count: 32)
        let key = DeviceKey(
            id: Self.device, clientID: ClientID("acme")!, thumbprint: Thumbprint(bytes)!,
            publicKey: PublicKey(x: bytes, y: bytes)!, platform: .ios, createdAt: Sample.now, number: Sample.number,
            status: .active, boundAt: Sample.now, lastUsedAt: Sample.now, clientCustomerID: "c-1")
        let written = Sample.hex(try SealedKey(key).sealed(with: .fake, row: Self.index))
        #expect(written == Self.keyHex)
        let read = try SealedKey(Sample.bytes(Self.keyHex), with: .fake, row: Self.index)
        #expect(read.id == Self.device && read.number == Sample.number)
        #expect(read.clientCustomerID == "c-1" && read.clientHumanID == nil)
        opens(Sample.bytes(Self.keyHex)) { try SealedKey($0, with: .fake, row: Self.index) }
    }

    @Test func `reads the person that versions 1 and 2 have written`() throws {
        let person = Person(
            firstName: "Zoë", lastName: "Doe", dob: "1982-07-19", ssn: nil, emailAddresses: ["a@example.com"],
            addresses: [
                Person.Address(address: "1 Way", extendedAddress: nil, city: "Bonn", region: nil, postalCode: "5")
            ])
        let said = try #require(Identification([.init("clientNumber", "12345"), .init("birthDate", "1982-07-19")]))
        let written = Sample.hex(try SealedPerson.seal(person, credentials: said, for: Self.person, .fake))
        #expect(written == Self.saidPersonHex)
        for (hex, credentials) in [(Self.personHex, nil), (Self.saidPersonHex, said)] {
            let read = try SealedPerson.open(Sample.bytes(hex), for: Self.person, .fake)
            #expect(read.person == person && read.credentials == credentials)
            opens(Sample.bytes(hex)) { try SealedPerson.open($0, for: Self.person, .fake) }
        }
        let without = try SealedPerson.seal(person, credentials: nil, for: Self.person, .fake)
        #expect(try SealedPerson.open(without, for: Self.person, .fake).credentials == nil)
    }

    @Test func `reads the details of an identity that version 1 has written`() throws {
        var details = SealedDetails()
        details.references = Identity.References(clientCustomerID: "c-1", clientHumanID: nil, deviceID: Self.device)
        details.attributes = [IdentityAttribute(name: "tier", value: "gold")]
        let written = Sample.hex(try #require(try details.sealed(with: .fake, for: Self.identity)))
        #expect(written == Self.detailsHex)
        #expect(try SealedDetails(Sample.bytes(Self.detailsHex), with: .fake, for: Self.identity) == details)
        opens(Sample.bytes(Self.detailsHex)) { try SealedDetails($0, with: .fake, for: Self.identity) }
    }

    /// Version 2 did not say how much a bucket began with.
    @Test(arguments: [nil, 60.0])
    func `reads the tally that versions 2 and 3 have written, and refuses one that is cut`(
        start: Double?
    ) throws {
        let bucket = Bucket(tokens: 5.5, mean: 0.25, at: Sample.now, isTold: true, start: start)
        let tally = LimitTally(
            entries: [.init(at: Sample.now), .init(at: Sample.now, count: 3, tag: 14)], failuresInARow: 2,
            lastFailureAt: Sample.now, bucket: bucket, again: Bucket(tokens: -1, mean: 0, at: Sample.now),
            open: [OpenNumber(place: 123, address: 9, messages: 2, counted: 1, at: Sample.now)])
        let bytes = start == nil ? Sample.bytes(Self.tallyHex) : tally.record
        #expect(try LimitTally(record: bytes) == tally)
        // The part after the buckets may be left out.
        for count in bytes.indices where count != bytes.count - 16 {
            #expect(throws: StorageFault.corrupt(what: "limit_counts.tally")) {
                try LimitTally(record: Array(bytes[..<count]))
            }
        }
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] = 0xFF
            _ = try? LimitTally(record: damaged)
        }
    }

    @Test func `takes back whatever tally it reads, and refuses a count that is never written`() throws {
        let most = LimitTally(
            entries: [.init(at: Sample.now, count: .max, tag: 65_535)], failuresInARow: .max,
            open: [OpenNumber(place: 9999, address: 65_535, messages: .max, counted: .max, at: Sample.now)])
        let bytes = most.record
        #expect(try LimitTally(record: LimitTally(record: bytes).record) == LimitTally(record: bytes))
        // The highest bits of the failures in a row, and of an entry's count.
        for index in [2, 24] {
            var damaged = bytes
            damaged[index] |= 0x80
            #expect(throws: StorageFault.corrupt(what: "limit_counts.tally")) { try LimitTally(record: damaged) }
        }
    }

    private static let keyHex = """
        5b4b435a5a5a5a5a2a585a5a5a5a5a5a5a5b57716b686a6a6b6a6a6e6a6b6e5e39776b5abf904c0f0fd56c86
        """
    private static let personHex = """
        5b5f003599f15e1e353f516b636268776a6d776b635a58543b1a3f223b372a363f74393537585c6b7a0d3b235a5f1835\
        34345a586f0ced647c28b72f38
        """
    private static let saidPersonHex = """
        585f003599f15e1e353f516b636268776a6d776b635a58543b1a3f223b372a363f74393537585c6b7a0d3b235a5f1835\
        34345a586f59503833282e321e3b2e3f516b636268776a6d776b63573936333f342e142f37383f285c6b68696e6fdd3a\
        333132c1b7c3
        """
    private static let detailsHex = """
        5b5e39776b5a4b435a5a5a5a5a2a585a5a5a5a5a5a5a5b585f2e333f285f3d35363e9191c330b815c821
        """
    private static let tallyHex = """
        020300000002000001a3185c50000002000001a3185c5000000000010000000001a3185c500000000003000e4016000000\
        0000003fd0000000000000000001a3185c500001bff00000000000000000000000000000000001a3185c500000007b0009\
        00020001000001a3185c5000
        """
}
