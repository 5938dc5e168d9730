internal import Possession

/// The API client that calls, and the service that it calls.
struct TwilioCaller: Sendable {
    let tenant: Tenant
    /// The service in the path; if the path has none, the first service.
    let sids: AccountSIDs
    /// The same service.
    let brand: Brand
    /// The first service of the API client, as it is before the client changes it.
    let first: Brand

    /// - Parameter sids: the SIDs of the account and its first service.
    init(_ tenant: Tenant, _ sids: AccountSIDs) {
        self.tenant = tenant
        self.sids = sids
        first = Brand(
            id: BrandID(bytes: sids.service.bytes), name: nil, codeLength: TwilioRules.codeLength,
            takesOwnCodes: true, createdAt: tenant.createdAt)
        brand = first
    }

    private init(_ caller: TwilioCaller, _ brand: Brand) {
        tenant = caller.tenant
        sids = caller.sids.of(brand.id)
        self.brand = brand
        first = caller.first
    }

    var isFirst: Bool { brand.id == first.id }

    /// The same caller with another service.
    func on(_ brand: Brand) -> TwilioCaller { TwilioCaller(self, brand) }

    /// The SIDs of a session's service. Older sessions name no service, because only the first one existed then.
    func sids(of session: Session) -> AccountSIDs { sids.of(session.request.options.brand?.id ?? first.id) }
}
