import ArgumentParser
import Locks
import Possession
import Testing

@testable import Administration

/// Commands on an installation that no server runs on.
@Suite struct InstallationTests {
    private static let nowhere = "/tmp/holdfast-nobody-listens-here.sock"

    private func installation(
        isLive: Bool = false, opened: Locked<Int> = Locked(0), fault: StartFault
    ) -> Installation {
        Installation(
            isLive: isLive, controlSocket: Self.nowhere,
            readNumber: { { PhoneNumber(e164: $0) } },
            openStore: { () throws(StartFault) in
                opened.withLock { $0 += 1 }
                throw fault
            })
    }

    @Test(arguments: [
        (StartFault.configuration("another mode"), ExitCode(78)), (.data("lost"), ExitCode(65)),
        (.failed("in use"), .failure),
    ])
    func `a store that does not open ends a command with the exit status of the cause`(
        fault: StartFault, expected: ExitCode
    ) async throws {
        let opened = Locked(0)
        let command = try Clients.List.parse([])
        await #expect(throws: expected) { try await command.run(on: installation(opened: opened, fault: fault)) }
        #expect(opened.withLock { $0 } == 1)
    }

    @Test func `every leaf below these commands runs on an installation`() {
        let groups: [any ParsableCommand.Type] = [
            Clients.self, Clients.Keys.self, Clients.AppKeys.self, Keys.self, Numbers.self, People.self,
            Devices.self,
        ]
        let all = groups.flatMap { $0.configuration.subcommands }
        let leaves = all.filter { $0.configuration.subcommands.isEmpty }
        #expect(leaves.count == 28)
        for leaf in leaves { #expect(leaf is any AdministrationCommand.Type, "\(leaf)") }
    }

    @Test(arguments: [["", "revoke"], ["a b", "revoke"], ["a b", "add"], ["a b", "rotate-secret"]])
    func `an id that no client can have is wrong usage`(words: [String]) {
        #expect(throws: (any Error).self) { try Clients.parseAsRoot([words[1], words[0]]) }
        #expect(throws: Never.self) { try Clients.parseAsRoot([words[1], "shop"]) }
    }

    @Test(arguments: [
        ["list"], ["list", "--client", "a b"], ["list", "--number", "--limit", "0"],
        ["list", "--number", "--limit", "1001"], ["list", "--client", "shop", "--before", "1"],
        ["list", "--number", "+12015550123"], ["block"], ["block", "1"], ["unblock", "shop"], ["remove", ""],
    ])
    func `an order about devices that names none or too many is wrong usage`(words: [String]) {
        #expect(throws: (any Error).self) { try Devices.parseAsRoot(words) }
    }

    @Test(arguments: [
        ["list", "--client", "shop"], ["list", "--number"], ["list", "--email", "--client", "shop", "--limit", "1000"],
        ["remove", "019B7907-8d58-7500-8000-000000000003"],
    ])
    func `an order about devices names them by client, number, address or id`(words: [String]) {
        #expect(throws: Never.self) { try Devices.parseAsRoot(words) }
    }

    @Test func `where the configuration is comes from the options of each command`() throws {
        let command = try Keys.List.parse(["--config", "c.json", "--data", "d"])
        #expect(command.options.config == "c.json" && command.options.data == "d")
    }
}
