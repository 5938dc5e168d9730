internal import Engine
internal import Possession
internal import SurfaceKit

/// Work that the calls about services share.
struct Services: Sendable {
    let engine: Engine
    let brands: Brands
    let templates: Templates
    let publicURL: String

    func document(of caller: TwilioCaller) -> ServiceDocument {
        ServiceDocument(of: caller, templates, publicURL: publicURL)
    }

    /// The first service, then the others in the order in which they were added.
    func all(of caller: TwilioCaller) async throws(TwilioError) -> [ServiceDocument] {
        let stored: [Brand]
        do throws(EngineFault) { stored = try await brands.all(of: caller.tenant.id) } catch {
            throw TwilioError(error)
        }
        let first = stored.first { $0.id == caller.first.id } ?? caller.first
        return ([first] + stored.filter { $0.id != first.id }).map { document(of: caller.on($0)) }
    }

    /// - Throws: `.parameter`, `.featureOff`, `.servicesFull`.
    func add(_ order: ServiceOrder, for caller: TwilioCaller) async throws(TwilioError) -> ServiceDocument {
        let template = try check(order, for: caller.tenant)
        do throws(BrandError) {
            let brand = try await brands.add(of: caller.tenant.id) { id, now in
                var brand = Brand(
                    id: id, name: nil, codeLength: TwilioRules.codeLength, takesOwnCodes: false, createdAt: now)
                order.apply(to: &brand, template: template)
                return brand
            }
            return document(of: caller.on(brand))
        } catch { throw TwilioError(error) }
    }

    /// - Throws: `.parameter`, `.featureOff`, `.notFound`.
    func change(_ order: ServiceOrder, for caller: TwilioCaller) async throws(TwilioError) -> ServiceDocument {
        let template = try check(order, for: caller.tenant)
        let standard = caller.isFirst ? caller.first : nil
        do throws(BrandError) {
            let brand = try await brands.change(caller.brand.id, orElse: standard, of: caller.tenant.id) { brand, now in
                order.apply(to: &brand, template: template)
                brand.changedAt = now
                return brand
            }
            return document(of: caller.on(brand))
        } catch { throw TwilioError(error) }
    }

    /// - Throws: `.featureOff`: the first service exists as long as the API client.
    func remove(_ caller: TwilioCaller) async throws(TwilioError) {
        guard !caller.isFirst else { throw .featureOff("the first service of an account cannot be deleted") }
        do throws(BrandError) { try await brands.remove(caller.brand.id, of: caller.tenant.id) } catch {
            throw TwilioError(error)
        }
    }

    /// - Returns: the id of the text that the order names.
    private func check(_ order: ServiceOrder, for tenant: Tenant) throws(TwilioError) -> String? {
        if let foreign = order.foreign { throw .featureOff(foreign) }
        if let least = tenant.rules.leastCodeDigits(by: engine.limits), let length = order.codeLength, length < least {
            throw .parameter(FieldDefect("CodeLength", "must be at least \(least) for this account"))
        }
        guard let sid = order.template else { return nil }
        guard let id = templates.id(of: sid) else {
            throw .parameter(FieldDefect("DefaultTemplateSid", "names a template that this account does not have"))
        }
        return id
    }
}
