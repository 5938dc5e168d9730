@testable import Secrets
import Testing

@Suite struct SecretFileTests {
    private typealias Owned = SecretFile.Owned

    /// Kubernetes and OpenShift mount secrets so: of root, for the group of the volume.
    @Test(arguments: [(0o440, 10001), (0o640, 10001), (0o440, 0)] as [(UInt32, UInt32)])
    func `takes a file of root that a group of the server may read`(mode: UInt32, group: UInt32) {
        let file = Owned(mode: mode, user: 0, group: group)
        #expect(file.defect(for: 1_000_660_000, [0, 10001], modes: [0o600]) == nil)
    }

    @Test(
        arguments: [
            (0o444, 10001), (0o644, 10001), (0o660, 10001), (0o600, 10001), (0o400, 10001), (0o440, 5), (0o4440, 10001),
        ] as [(UInt32, UInt32)])
    func `refuses any other file of root`(mode: UInt32, group: UInt32) {
        let file = Owned(mode: mode, user: 0, group: group)
        #expect(file.defect(for: 10001, [10001], modes: [0o600, 0o400]) == .ofRoot(mode))
    }

    @Test func `takes an own file by its mode, and nobody else's`() {
        let modes: [UInt32] = [0o600]
        #expect(Owned(mode: 0o600, user: 7, group: 7).defect(for: 7, [7], modes: modes) == nil)
        #expect(Owned(mode: 0o440, user: 7, group: 7).defect(for: 7, [7], modes: modes) == .mode(0o440))
        #expect(Owned(mode: 0o600, user: 8, group: 7).defect(for: 7, [7], modes: modes) == .otherOwner)
        #expect(Owned(mode: 0o600, user: 0, group: 0).defect(for: 0, [0], modes: modes) == nil)
        #expect(Owned(mode: 0o440, user: 0, group: 0).defect(for: 0, [0], modes: modes) == .mode(0o440))
    }
}
