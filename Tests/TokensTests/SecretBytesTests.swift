import Foundation
import Secrets
import Testing

@testable import Tokens

@Suite struct SecretBytesTests {
    @Test func `an array that a secret passed through is overwritten where it lies`() {
        var bytes: [UInt8] = [1, 2, 3, 4]
        bytes.wipe()
        #expect(bytes == [0, 0, 0, 0])
        var none: [UInt8] = []
        none.wipe()
        #expect(none.isEmpty)
    }

    @Test func `stays in memory, on pages of its own`() throws {
        var limit = rlimit()
        try #require(getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0)
        let secrets = [5000, 0, 3].map { SecretBytes([UInt8](repeating: 7, count: $0)) }
        #expect(secrets.map(\.count) == [5000, 0, 3])
        let starts = secrets.map { $0.withBytes { Int(bitPattern: $0.baseAddress) } }
        #expect(starts.allSatisfy { $0 % Int(sysconf(Int32(_SC_PAGESIZE))) == 0 })
        #expect(secrets[0].withBytes { $0.count == 5000 && $0.allSatisfy { $0 == 7 } })
        guard limit.rlim_cur >= 1 << 20 else { return }
        // The pages themselves, of which nobody else has any: how much of their mapping is locked.
        // The sanitizers take every call of mlock for done and do nothing.
        let page = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 4096)
        defer { page.deallocate() }
        try #require(mlock(page.baseAddress, page.count) == 0)
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
        let maps = String(decoding: try #require(try file.readToEnd()), as: UTF8.self)
        guard Self.isLocked(Int(bitPattern: page.baseAddress), in: maps) else { return }
        munlock(page.baseAddress, page.count)
        #expect(starts.map { Self.isLocked($0, in: maps) } == [true, true, true])
        withExtendedLifetime(secrets) {}
    }

    /// Whether some of the mapping that holds the address is locked (proc(5), smaps).
    private static func isLocked(_ address: Int, in maps: String) -> Bool {
        var holds = false
        for line in maps.split(separator: "\n") {
            let words = line.split(separator: " ")
            let bounds = words[0].split(separator: "-").compactMap { Int($0, radix: 16) }
            if bounds.count == 2 {
                holds = (bounds[0]..<bounds[1]).contains(address)
            } else if holds, words[0] == "Locked:" {
                return words[1] != "0"
            }
        }
        return false
    }

    @Test func `says nothing of itself`() {
        let secret = SecretBytes([115, 101, 99, 114, 101, 116])
        #expect("\(secret)" == "<redacted>" && String(reflecting: secret).contains("redacted"))
        var text = ""
        dump(secret, to: &text)
        #expect(!text.contains("115"))
        #expect(secret.count == 6)
    }
}
