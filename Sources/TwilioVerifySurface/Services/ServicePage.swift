internal import SurfaceKit

/// The services of an API client, on one page.
struct ServicePage: Sendable {
    let services: [ServiceDocument]
    let place: PageMeta.Place

    static let reply = Reply<Self> {
        ReplyMember.always("services", .list(of: .object(ServiceDocument.reply))) { $0.services }
        ReplyMember.always("meta", .object(PageMeta.reply("ServicesMeta", of: "services"))) { $0.place }
    }
}
