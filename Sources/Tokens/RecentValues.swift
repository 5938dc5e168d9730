internal import Locks

/// A bounded cache of values that are expensive to compute, such as the claims of a verified token.
///
/// It has two generations. When the younger one reaches half of the capacity, the older one is dropped. A value that is
/// used again moves to the younger one.
final class RecentValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Generations {
        var younger: [Key: Value] = [:]
        var older: [Key: Value] = [:]
        /// How often the cache was cleared.
        var epoch = 0
    }

    private let generationSize: Int
    private let generations = Locked(Generations())

    init(capacity: Int) {
        generationSize = max(1, capacity / 2)
    }

    func value(of key: Key) -> Value? {
        generations.withLock { generations in
            if let value = generations.younger[key] { return value }
            guard let value = generations.older[key] else { return nil }
            insert(value, for: key, into: &generations)
            return value
        }
    }

    /// The number of the current epoch; clearing the cache begins a new one. Read it before a value for `insert` is
    /// computed.
    var epoch: Int { generations.withLock { $0.epoch } }

    func insert(_ value: Value, for key: Key) {
        generations.withLock { insert(value, for: key, into: &$0) }
    }

    /// Stores a value that was computed since `epoch` began; a value computed before the cache was cleared is dropped.
    func insert(_ value: Value, for key: Key, since epoch: Int) {
        generations.withLock { generations in
            if generations.epoch == epoch { insert(value, for: key, into: &generations) }
        }
    }

    func removeAll() {
        generations.withLock { $0 = Generations(epoch: $0.epoch + 1) }
    }

    var count: Int {
        generations.withLock { Set($0.younger.keys).union($0.older.keys).count }
    }

    private func insert(_ value: Value, for key: Key, into generations: inout Generations) {
        if generations.younger.count >= generationSize {
            generations.older = generations.younger
            generations.younger = [:]
        }
        generations.younger[key] = value
    }
}

/// The digest of a token. Its first bytes are the hash value: only digests of tokens that we signed are stored, and
/// other parties cannot choose those.
struct VerifiedTokenKey: Hashable {
    private let digest: [UInt8]

    init(_ token: String) { digest = SHA256.digest(token) }

    func hash(into hasher: inout Hasher) {
        digest.withUnsafeBytes { hasher.combine($0.loadUnaligned(as: UInt64.self)) }
    }
}
