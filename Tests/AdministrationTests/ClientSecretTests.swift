import Testing
import Text

@testable import Administration

@Suite struct ClientSecretTests {
    @Test(arguments: [
        (false, 7, false), (false, 8, true), (true, 31, false), (true, 32, true), (true, 256, true), (true, 257, false),
    ])
    func `takes a secret of the operator's own from a length on`(isLive: Bool, length: Int, isTaken: Bool) {
        let secret = Secret(String(repeating: "s", count: length))
        #expect((ClientSecret(isLive: isLive).defect(of: secret) == nil) == isTaken)
        #expect(ClientSecret(isLive: isLive).defect(of: Secret(String(repeating: " ", count: length))) != nil)
    }
}
