import Glibc
import Testing

@testable import Wiring

@Suite struct ProcessSetupTests {
    @Test func `no core file holds keys or codes`() {
        ProcessSetup.keepMemoryOutOfFiles()
        var limit = rlimit()
        #expect(getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0)
        #expect(limit.rlim_cur == 0 && limit.rlim_max == 0)
        #expect(!ProcessSetup.isDumpable)
    }
}
