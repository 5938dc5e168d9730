import Testing
import Text

@testable import Possession
@testable import ProveSurfaces
@testable import SurfaceKit

extension WebhookNews {
    /// Records an issue for each fact that the description does not have.
    func expectDescribed() {
        let group = WebhookCatalogue.groups.first { $0.kinds.contains { $0.type == type } }
        let kind = group?.kinds.first { $0.type == type }
        let others = ["clientRequestId", "product", "channels", "checks", "metadata"]
        for fact in facts {
            let isCommon = session != nil && others.contains { $0.isSame(as: fact.name) }
            let isListed = kind?.members.contains { $0.isSame(as: fact.name) } == true
            #expect(isCommon || isListed, "\(type.rawValue): \(fact.name)")
        }
        // Tests of couriers tell of sessions that there are none of.
        #expect(session == nil || group?.isOfSession != false, "\(type.rawValue)")
    }
}
