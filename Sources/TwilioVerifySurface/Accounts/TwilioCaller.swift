internal import Possession

/// The API client that calls, and the service that it calls.
struct TwilioCaller: Sendable {
    let tenant: Tenant
    /// The service is the one of the path; where the path has none, the first one.
    let sids: AccountSIDs
    /// The same service.
    let brand: Brand
    /// The service that each API client has, as it is until the client changes it.
    let first: Brand

    /// - Parameter sids: of the first service.
    init(_ tenant: Tenant, _ sids: AccountSIDs) {
        self.tenant = tenant
        self.sids = sids
        first = Brand(
            id: BrandID(bytes: sids.service.bytes), name: nil, codeLength: VerificationRules.codeLength,
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

    /// The same caller on another service.
    func on(_ brand: Brand) -> TwilioCaller { TwilioCaller(self, brand) }

    /// The service that a session is of. Sessions from before services could be added name none.
    func sids(of session: Session) -> AccountSIDs { sids.of(session.request.options.brand?.id ?? first.id) }
}
