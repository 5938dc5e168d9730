import Possession
import StrictJSON
import Testing

@testable import Administration

@Suite struct WebhookOrderTests {
    @Test func `reads what it wrote`() {
        var add = WebhookOrder(.add)
        add.client = ClientID("shop")
        add.wish.url = "https://shop.example/h"
        add.wish.types = ["session.*", "ping"]
        add.wish.hasKeyPair = true
        add.wish.includes = [.phoneNumber, .statement]
        add.wish.format = .cloudevents
        add.wish.ordering = .session
        add.wish.hasHandshake = true
        var test = WebhookOrder(.test)
        test.endpoint = WebhookEndpointID(bits: 7)
        var rotate = WebhookOrder(.rotate)
        rotate.endpoint = WebhookEndpointID(bits: 7)
        rotate.isForced = true
        var replay = WebhookOrder(.replay)
        replay.replay = .event(WebhookEventID(bits: 8))
        var since = WebhookOrder(.replay)
        since.replay = .missed(since: Timestamp(milliseconds: 5))
        since.endpoint = WebhookEndpointID(bits: 7)
        var deliveries = WebhookOrder(.deliveries)
        deliveries.state = .failed
        deliveries.limit = 3
        for order in [add, test, rotate, replay, since, deliveries, WebhookOrder(.list)] {
            #expect(WebhookOrder(order.verb, order.object.serialized()) == order)
        }
    }

    @Test(arguments: [
        (WebhookOrder.Verb.add, "{}"), (.add, #"{"client":"a b"}"#), (.test, "{}"), (.test, #"{"endpoint":"x"}"#),
        (.replay, "{}"), (.replay, #"{"event":"x"}"#), (.deliveries, #"{"limit":0}"#), (.deliveries, #"{"limit":201}"#),
        (.deliveries, #"{"state":"lost"}"#), (.list, "[]"), (.list, ""), (.list, #"{"other":1}"#),
        (.add, #"{"client":"a","key":"rsa"}"#), (.add, #"{"client":"a","format":"x"}"#),
    ])
    func `takes no malformed order`(verb: WebhookOrder.Verb, body: String) {
        #expect(WebhookOrder(verb, Array(body.utf8)) == nil)
    }
}
