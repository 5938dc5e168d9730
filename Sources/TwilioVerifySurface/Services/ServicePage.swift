internal import SurfaceKit

/// The services of an API client. Always one page.
struct ServicePage: Sendable {
    let services: [ServiceDocument]
    let place: PageMeta.Place

    static let reply = Reply<Self> {
        ReplyMember.always(
            "services", .list(of: .object(ServiceDocument.reply)),
            "All, on one page: the first service, then the others, the oldest first."
        ) { $0.services }
        ReplyMember.always(
            "meta", .object(PageMeta.reply("ServicesMeta", of: "services")),
            "The place of the page: the list has one page."
        ) { $0.place }
    }
}
