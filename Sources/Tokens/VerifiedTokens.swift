internal import Locks

/// Tokens of one kind whose signature has been checked, by the SHA-256 digest of their text, so that each costs one
/// check in its life.
///
/// Bounded by two generations: when the younger one is half of the capacity, the older one is dropped. A token that is
/// still used moves to the younger one.
final class VerifiedTokens<Claims: Sendable>: Sendable {
    private struct Generations {
        var younger: [VerifiedTokenKey: Claims] = [:]
        var older: [VerifiedTokenKey: Claims] = [:]
    }

    private let generationSize: Int
    private let generations = Locked(Generations())

    init(capacity: Int) {
        generationSize = max(1, capacity / 2)
    }

    func claims(of key: VerifiedTokenKey) -> Claims? {
        generations.withLock { generations in
            if let claims = generations.younger[key] { return claims }
            guard let claims = generations.older[key] else { return nil }
            insert(claims, for: key, into: &generations)
            return claims
        }
    }

    func insert(_ claims: Claims, for key: VerifiedTokenKey) {
        generations.withLock { insert(claims, for: key, into: &$0) }
    }

    func removeAll() {
        generations.withLock { $0 = Generations() }
    }

    var count: Int {
        generations.withLock { Set($0.younger.keys).union($0.older.keys).count }
    }

    private func insert(_ claims: Claims, for key: VerifiedTokenKey, into generations: inout Generations) {
        if generations.younger.count >= generationSize {
            generations.older = generations.younger
            generations.younger = [:]
        }
        generations.younger[key] = claims
    }
}

/// The digest of a token. Its first bytes serve as hash value: only digests of tokens we signed are ever stored, and
/// nobody else can choose those.
struct VerifiedTokenKey: Hashable {
    private let digest: [UInt8]

    init(_ token: String) { digest = SHA256.digest(token) }

    func hash(into hasher: inout Hasher) {
        digest.withUnsafeBytes { hasher.combine($0.loadUnaligned(as: UInt64.self)) }
    }
}
