internal import Synchronization

/// Running work of all loops together, and the requests that they refused.
final class Workload: Sendable {
    private let changes = Atomic<Int>(0)
    private let loopWait = Atomic<Int>(0)
    private let storeWait = Atomic<Int>(0)
    private let fairShare = Atomic<Int>(0)
    private let late = Atomic<Int>(0)

    /// Running requests that change something.
    var changesAtWork: Int { changes.load(ordering: .relaxed) }

    /// - Parameter delta: how many such requests began; negative when they ended.
    func addChanges(_ delta: Int) { changes.add(delta, ordering: .relaxed) }

    func noteRefused(_ stage: SheddingStage) {
        switch stage {
        case .loopWait: loopWait.add(1, ordering: .relaxed)
        case .storeWait: storeWait.add(1, ordering: .relaxed)
        case .fairShare: fairShare.add(1, ordering: .relaxed)
        case .late: late.add(1, ordering: .relaxed)
        }
    }

    /// Requests refused since the start.
    func refused(_ stage: SheddingStage) -> Int {
        switch stage {
        case .loopWait: loopWait.load(ordering: .relaxed)
        case .storeWait: storeWait.load(ordering: .relaxed)
        case .fairShare: fairShare.load(ordering: .relaxed)
        case .late: late.load(ordering: .relaxed)
        }
    }
}
