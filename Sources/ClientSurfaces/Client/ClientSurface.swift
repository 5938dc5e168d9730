package import HTTPServer
package import Engine
package import Possession
package import Text
package import SurfaceKit

/// Calls that a client SDK makes with its auth token (client protocol part 4).
package struct ClientSurface: Sendable {
    package struct Settings: Sendable {
        /// The part of `htu` before the path: `server.publicUrl`, without a slash at its end.
        package let publicURL: String
        /// Whether `Authorization: Bearer` is accepted in addition to DPoP: sandbox only (contract section 4).
        package let acceptsBearer: Bool
        /// Whether the request's own loopback authority is also accepted in `htu`: sandbox only (contract section 8).
        package let acceptsLoopbackTargets: Bool
        /// Whether web pages served from this machine may call: sandbox only.
        package let acceptsLoopbackOrigins: Bool

        /// Finds the caller's address behind the operator's proxies; limits count by it.
        let addresses: ClientAddress

        /// - Parameter trustedProxies: IP addresses whose `X-Forwarded-For` is trusted (HTTP-37).
        package init(publicURL: String, isSandbox: Bool, trustedProxies: AddressRanges = AddressRanges()) {
            addresses = ClientAddress(trustedProxies: trustedProxies)
            self.publicURL = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
            acceptsBearer = isSandbox
            acceptsLoopbackTargets = isSandbox
            acceptsLoopbackOrigins = isSandbox
        }
    }

    private let gate: ClientGate
    private let calls: ClientCalls
    private let callers: CallerGate?
    private let crossOrigin: CrossOrigin
    private let readSession: ReadSession
    private let streamSession: StreamSession
    private let parts: ClientPost.Parts

    /// All endpoints that change a session: their routes and their API description come from here.
    private static let posts = [
        ClientPost { StartSession(calls: $0.calls) },
        ClientPost { ProveDevice(calls: $0.calls, systemNow: $0.systemNow) },
        ClientPost { BeginMobileAuth(calls: $0.calls, publicURL: $0.publicURL) },
        ClientPost { HandInOperatorToken(calls: $0.calls) },
        ClientPost { FinishMobileAuth(calls: $0.calls) },
        ClientPost { SendFirst<CodeMessage>(calls: $0.calls) },
        ClientPost { SendAgain<CodeMessage>(calls: $0.calls) },
        ClientPost { SendToOtherNumber<CodeMessage>(calls: $0.calls) },
        ClientPost { VerifyOTP(calls: $0.calls) },
        ClientPost { SendFirst<LinkMessage>(calls: $0.calls) },
        ClientPost { SendAgain<LinkMessage>(calls: $0.calls) },
        ClientPost { SendToOtherNumber<LinkMessage>(calls: $0.calls) },
        ClientPost { CancelSession(calls: $0.calls) },
    ]

    /// - Parameters:
    ///   - products: those whose sessions have clients: an auth token opens only their sessions.
    ///   - callers: the limits and rates that these calls share with other surfaces.
    ///   - watchers: the callers that wait for a change.
    ///   - places: limits how many may wait for a change at a time.
    ///   - isOriginListed: whether any tenant lists a web origin. Once the session's own tenant is known, its list is
    ///     checked too.
    ///   - systemNow: the machine's clock, for the age of proofs.
    package init(
        engine: Engine, products: [ProductName], settings: Settings, callers: CallerGate? = nil,
        watchers: SessionWatchers, places: WaitingPlaces = WaitingPlaces(),
        isOriginListed: @escaping @Sendable (String) -> Bool, systemNow: @escaping Now
    ) {
        self.callers = callers
        calls = ClientCalls(engine, of: products)
        gate = ClientGate(
            engine: engine, admission: calls.admission, settings: settings, systemNow: systemNow)
        crossOrigin = CrossOrigin(
            isListed: isOriginListed, acceptsLoopback: settings.acceptsLoopbackOrigins, grant: .client,
            refusal: ClientError.originNotAllowed.response)
        let watch = SessionWatch(calls: calls, watchers: watchers)
        readSession = ReadSession(watch: watch, places: places)
        streamSession = StreamSession(calls: calls, watch: watch, places: places)
        parts = ClientPost.Parts(calls: calls, publicURL: settings.publicURL, systemNow: systemNow)
    }

    package var routes: [Route] {
        let events = StreamSession.call.path
        return [look(readSession), options(events, methods: "GET"), look(streamSession)]
            + Self.posts.flatMap { post in
                [
                    options(post.path, methods: post.path.isSame(as: ReadSession.call.path) ? "GET, POST" : "POST"),
                    route(.post, post.path, post.demand, post.respond(parts)),
                ]
            }
    }

    /// The answer for paths of no call.
    package var area: Area {
        let crossOrigin = crossOrigin
        return Area("/client") { crossOrigin.permit(ClientError.absent($1).response, to: $0.headers) }
    }

    /// The API description of the surface.
    package static let description = SurfaceDescription(
        posts.map(\.operation) + [ReadSession.operation, StreamSession.operation]
            + ([StreamSession.call.path] + posts.map(\.path)).map(ClientDescription.preflight),
        schemas: ClientSchemas.all)

    private func options(_ pattern: String, methods: String) -> Route {
        Route.immediate(.options, pattern, respond: { [crossOrigin] in crossOrigin.preflight($0, methods: methods) })
    }

    private func look<E: ClientLook>(_ endpoint: E) -> Route {
        let form = EndpointForm(E.self)
        return route(E.call.method, E.call.path, E.call.demand) { (request, caller) async throws(ClientError) in
            try await endpoint.answer(request, from: caller, form)
        }
    }

    private func route(_ method: Method, _ pattern: String, _ demand: Demand, _ respond: @escaping ClientPost.Respond)
        -> Route
    {
        let tooLarge = ClientError(BodyDefect.tooLarge(.short)).response
        let body = BodyRule(
            maxBytes: method == .post ? BodyBound.short.bytes : 0,
            refusal: { [self] in refusal(ofHead: $0, method) },
            tooLarge: { [self] in finish(tooLarge, $0, origin: crossOrigin.listedOrigin($0.headers)) })
        return Route(method, pattern, body: body, demand: demand, permit: crossOrigin.permit) { [self] request in
            let origins = request.headers.values("origin")
            guard origins.count <= 1, origins.allSatisfy(crossOrigin.mayCall) else {
                return finish(ClientError.originNotAllowed.response, request, origin: nil)
            }
            do throws(ClientError) {
                do throws(LimitHit) { try callers?.admit(request) } catch { throw .refused(.rateLimited(error)) }
                let caller = try gate.identify(request)
                do throws(LimitHit) {
                    try await callers?.admit(.auth(caller.authID), in: calls.admission.fence, request)
                } catch { throw .refused(.rateLimited(error)) }
                if let origin = origins.first { try await check(origin, caller) }
                return finish(try await respond(request, caller), request, origin: origins.first)
            } catch {
                var error = error
                if error == .invalidToken(wasSent: true) { error = await gate.keepExpiry(of: request) ?? error }
                if case .internalFault(let reason) = error {
                    calls.engine.reports.log("request \(request.id): \(reason)")
                }
                let hint = error == .invalidToken(wasSent: true) ? gate.hint(at: request) : nil
                return finish(
                    error.response(nil, saying: hint), request, origin: error == .originNotAllowed ? nil : origins.first
                )
            }
        }
    }

    /// Why a request fails regardless of its body. This does not use up the proof. The proof's signature is checked
    /// only for a client that waits for `100 Continue`: a body of this size is not worth checking it twice. Such a call
    /// counts twice for its address.
    private func refusal(ofHead request: Request, _ method: Method) -> Response? {
        do throws(ClientError) {
            if request.headers.count("expect") > 0 {
                do throws(LimitHit) { try callers?.admit(request) } catch { throw .refused(.rateLimited(error)) }
                _ = try gate.identify(request)
            } else {
                try gate.checkForm(request)
            }
            if method == .post {
                do throws(BodyDefect) {
                    try RequestBody.checkHeadIfAnnounced(request, mediaType: RequestBody.json, upTo: .short)
                } catch {
                    throw ClientError(error)
                }
            }
            return nil
        } catch {
            // The expiry must be stored first, which cannot be done from the head.
            if error == .invalidToken(wasSent: true), gate.expiredSession(of: request) != nil { return nil }
            return finish(error.response, request, origin: crossOrigin.listedOrigin(request.headers))
        }
    }

    /// Checks the page's origin against those of the session's own tenant.
    private func check(_ origin: String, _ caller: ClientCaller) async throws(ClientError) {
        guard !crossOrigin.isLoopback(origin) else { return }
        let rules = try await calls.rules(of: caller)
        guard crossOrigin.mayCall(origin, rules) else { throw .originNotAllowed }
    }

    /// Adds the fields of every answer: the permission to read it, and the caller's own correlation header (client
    /// protocol 4.3).
    private func finish(_ response: Response, _ request: Request, origin: String?) -> Response {
        var response = crossOrigin.permit(response, to: origin)
        if let correlator = request.headers["x-correlator"], Self.isSane(correlator) {
            response.add("x-correlator", correlator)
        }
        return response
    }

    private static func isSane(_ correlator: String) -> Bool {
        (1...128).contains(correlator.utf8.count)
            && correlator.utf8.allSatisfy { $0.isLetterOrDigit || "._:-".utf8.contains($0) }
    }
}
