internal import SurfaceKit
internal import Engine
internal import Possession

/// Work that the calls about rate limits and their buckets share.
struct RateLimits: Sendable {
    let brands: Brands
    let publicURL: String

    // MARK: Rate limits

    func all(of caller: TwilioCaller) -> [RateLimitDocument] { caller.brand.quotas.map { document($0, caller) } }

    func limit(_ id: QuotaID, of caller: TwilioCaller) throws(TwilioError) -> RateLimitDocument {
        do throws(BrandRefusal) { return document(try caller.brand.quota(id), caller) } catch {
            throw TwilioError(error)
        }
    }

    /// - Throws: `.rateLimitName`, `.rateLimitTaken`, `.rateLimitsFull`.
    func add(
        _ name: String, _ about: String, to caller: TwilioCaller
    ) async throws(TwilioError) -> RateLimitDocument {
        guard Quota.isName(name) else { throw .rateLimitName }
        let id = try fresh(QuotaID.self)
        return try await change(caller) { (brand, now) throws(BrandRefusal) in
            let quota = Quota(id: id, name: name, about: about, createdAt: now)
            try brand.add(quota)
            return document(quota, caller)
        }
    }

    /// - Throws: `.notFound`.
    func describe(
        _ id: QuotaID, _ about: String?, of caller: TwilioCaller
    ) async throws(TwilioError) -> RateLimitDocument {
        try await change(caller) { (brand, now) throws(BrandRefusal) in
            document(try brand.describe(id, about, at: now), caller)
        }
    }

    /// - Throws: `.notFound`.
    func remove(_ id: QuotaID, of caller: TwilioCaller) async throws(TwilioError) {
        try await change(caller) { (brand, _) throws(BrandRefusal) in try brand.removeQuota(id) }
    }

    // MARK: Buckets

    /// - Throws: `.notFound`.
    func buckets(of id: QuotaID, _ caller: TwilioCaller) throws(TwilioError) -> [BucketDocument] {
        try limit(id, of: caller).quota.windows.map { bucket($0, id, caller) }
    }

    /// - Throws: `.notFound`.
    func bucket(_ id: QuotaWindowID, of quota: QuotaID, _ caller: TwilioCaller) throws(TwilioError) -> BucketDocument {
        do throws(BrandRefusal) { return bucket(try caller.brand.window(id, of: quota), quota, caller) } catch {
            throw TwilioError(error)
        }
    }

    /// - Throws: `.notFound`, `.intervalTaken`, `.bucketsFull`.
    func addBucket(
        most: Int, seconds: Int, to quota: QuotaID, _ caller: TwilioCaller
    ) async throws(TwilioError) -> BucketDocument {
        let id = try fresh(QuotaWindowID.self)
        return try await change(caller) { (brand, now) throws(BrandRefusal) in
            let window = Quota.Window(id: id, most: most, seconds: seconds, createdAt: now)
            try brand.add(window, to: quota)
            return bucket(window, quota, caller)
        }
    }

    /// - Throws: `.notFound`, `.intervalTaken`.
    func changeBucket(
        _ id: QuotaWindowID, of quota: QuotaID, most: Int?, seconds: Int?, _ caller: TwilioCaller
    ) async throws(TwilioError) -> BucketDocument {
        try await change(caller) { (brand, now) throws(BrandRefusal) in
            bucket(try brand.change(id, of: quota, most: most, seconds: seconds, at: now), quota, caller)
        }
    }

    /// - Throws: `.notFound`.
    func removeBucket(_ id: QuotaWindowID, of quota: QuotaID, _ caller: TwilioCaller) async throws(TwilioError) {
        try await change(caller) { (brand, _) throws(BrandRefusal) in try brand.removeWindow(id, of: quota) }
    }

    // MARK: Shared

    private func document(_ quota: Quota, _ caller: TwilioCaller) -> RateLimitDocument {
        RateLimitDocument(quota, of: caller.sids, publicURL: publicURL)
    }

    private func bucket(_ window: Quota.Window, _ quota: QuotaID, _ caller: TwilioCaller) -> BucketDocument {
        BucketDocument(window, of: quota, caller.sids, publicURL: publicURL)
    }

    private func fresh<ID: Identifier>(_ type: ID.Type) throws(TwilioError) -> ID {
        do throws(EngineFault) { return try brands.fresh(type) } catch { throw TwilioError(error) }
    }

    private func change<R: Sendable>(
        _ caller: TwilioCaller, _ rule: @escaping @Sendable (inout Brand, Timestamp) throws(BrandRefusal) -> R
    ) async throws(TwilioError) -> R {
        do throws(BrandError) {
            return try await brands.change(
                caller.brand.id, orElse: caller.isFirst ? caller.first : nil, of: caller.tenant.id, rule)
        } catch { throw TwilioError(error) }
    }
}
