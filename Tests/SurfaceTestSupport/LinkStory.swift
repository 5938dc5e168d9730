import HTTPServer
import Possession
import StrictJSON
import TestSupport

/// Steps of a person with an instant link: open it, and press a button.
extension World {
    static let phone = PeerAddress(ipv4: (198, 51, 100, 7))
    static let desktop =
        #"{"possessionType":"desktop","phoneNumber":"2001004014","finalTargetUrl":"https://app.example/done"}"#

    /// Path of the newest link that went out.
    var newestLink: String {
        String(gateway.sent.last?.link?.dropFirst(World.publicURL.utf8.count) ?? "")
    }

    func openLink(_ path: String? = nil) async -> Response {
        await client.send(Request(method: .get, path: path ?? newestLink, peer: World.phone, id: "l"))
    }

    func decide(_ form: String, on path: String? = nil, from peer: PeerAddress = phone) async -> Response {
        await client.send(
            Request(
                method: .post, path: path ?? newestLink,
                headers: Headers([("Content-Type", "application/x-www-form-urlencoded")]), body: Array(form.utf8),
                peer: peer, id: "l"))
    }

    /// A client whose session waits for its first link to be asked for.
    func linked(_ body: String = World.desktop) async -> App {
        let app = App(self, await start(body))
        _ = await app.redeem(fallback: "link")
        return app
    }
}

/// The `link` member of a state, in an answer or in its error.
func link(in response: Response) -> JSONObject? {
    (response.json["state"]?.object ?? response.json)["link"]?.object
}
