import Engine
import Possession
import Testing

/// The contract of every store of test numbers.
@Suite struct TestNumberStoreContractTests {
    private static func entry(_ index: Int, tenant: String? = nil, lasting seconds: Int = 100) -> TestNumber {
        TestNumber(
            number: PhoneNumber(e164: "+1650555\(1000 + index)")!, code: OTP("987654")!,
            tenant: tenant.map { ClientID($0)! }, createdAt: Sample.now.adding(.seconds(index)),
            endsAt: Sample.now.adding(.seconds(seconds)))
    }

    @Test(arguments: TestedStore.allCases)
    func `gives back every member, the oldest first`(store: TestedStore) async throws {
        let numbers = try store.make().testNumbers
        #expect(numbers.testNumbers == [])
        #expect(try await numbers.add(Self.entry(0), at: Sample.now))
        #expect(try await numbers.add(Self.entry(1, tenant: "shop"), at: Sample.now))
        #expect(numbers.testNumbers == [Self.entry(0), Self.entry(1, tenant: "shop")])
    }

    @Test(arguments: DurableStore.allCases)
    func `the next process has the same numbers`(store: DurableStore) async throws {
        let stores = try await store.make()
        for index in 0..<2 { #expect(try await stores.testNumbers.add(Self.entry(index), at: Sample.now)) }
        #expect(try await stores.next().testNumbers.testNumbers == [Self.entry(0), Self.entry(1)])
    }

    @Test(arguments: TestedStore.allCases)
    func `one of sixteen racing tenants gets a number`(store: TestedStore) async throws {
        let numbers = try store.pair().map(\.testNumbers)
        let added = try await numbers.callAtOnce(16) { numbers, _ -> [TestNumber]? in
            do throws(StorageFault) {
                return try await numbers.add(Self.entry(0), at: Sample.now) ? numbers.testNumbers : nil
            } catch {
                #expect(error == .duplicate)
                return nil
            }
        }.compactMap { $0 }
        #expect(added == [[Self.entry(0)]])
    }

    @Test(arguments: TestedStore.allCases)
    func `takes a number once, for whichever tenant`(store: TestedStore) async throws {
        let numbers = try store.make().testNumbers
        #expect(try await numbers.add(Self.entry(0), at: Sample.now))
        await #expect(throws: StorageFault.duplicate) {
            _ = try await numbers.add(Self.entry(0, tenant: "shop"), at: Sample.now)
        }
        #expect(numbers.testNumbers == [Self.entry(0)])
    }

    @Test(arguments: TestedStore.allCases)
    func `takes twenty, and another one in the place of one that has ended`(store: TestedStore) async throws {
        let numbers = try store.make().testNumbers
        for index in 0..<20 {
            #expect(try await numbers.add(Self.entry(index, lasting: index == 7 ? 50 : 100), at: Sample.now))
        }
        #expect(try await !numbers.add(Self.entry(20), at: Sample.now.adding(.seconds(49))))
        #expect(numbers.testNumbers.count == 20)
        #expect(try await numbers.add(Self.entry(20), at: Sample.now.adding(.seconds(50))))
        #expect(numbers.testNumbers.count == 20)
        #expect(!numbers.testNumbers.contains { $0.number == Self.entry(7).number })
    }

    @Test(arguments: TestedStore.allCases)
    func `removes one, and says whether it was there`(store: TestedStore) async throws {
        let numbers = try store.make().testNumbers
        #expect(try await numbers.add(Self.entry(0), at: Sample.now))
        #expect(try await !numbers.removeTestNumber(Self.entry(1).number))
        #expect(try await numbers.removeTestNumber(Self.entry(0).number))
        #expect(numbers.testNumbers == [])
        #expect(try await numbers.add(Self.entry(0), at: Sample.now))
    }
}
