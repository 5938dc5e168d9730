#!/usr/bin/env python3
"""Lets requests race for the same session: each limit and each success must be counted exactly once.

Starts its own servers on free ports with fresh data, and removes both. The last line is "N passed, M failed".
"""
import argparse
import sys
from urllib.parse import urlsplit

import scenes
from holdfast import Key, Phone, add_server_arguments, checked_arguments, expected, target_of
from exchange import json_bytes, raw_request
from volley import counted, volley
from world import INGE, LORANT, PENNY, RIGHT, STRANGER, WRONG, World


class Arena(World):
    """The world, and how often each race is run."""

    def times(self):
        return range(self.options.rounds)

    def at_code_entry(self, site=None, number=LORANT, **options):
        session = (site or self.plain).unify(number, allowOTPRetry=True)
        client = session.client(**options)
        client.to_code_entry()
        return session, client

    def at_link_wait(self):
        session = self.plain.desktop()
        client = session.client()
        client.to_link_wait()
        return session, client

    def at_last_hop(self):
        """A session whose phone has all of its Mobile Auth chain behind it but the last hop; client, attempt, hop."""
        session = self.plain.unify(INGE)
        client = session.client()
        client.to_mobile_auth()
        attempt = expected(client.begin_mobile_auth(), 200)
        urls, _ = Phone().hops(attempt["authUrl"], until=self.plain.server.base_url + "/ma/v1/cb")
        return session, client, attempt["attemptId"], urls[-1]

    def race(self, requests, site=None):
        answers = volley((site or self.plain).server, requests)
        failed = [answer for answer in answers if answer is None or answer.status >= 500]
        assert not failed, f"{len(failed)} of {len(answers)} lost or failed, first {failed[0]}"
        return answers


def bind_request(site, session, phone_number):
    headers = {"Authorization": f"Bearer {site.platform.access_token}", "Content-Type": "application/json"}
    body = json_bytes({"correlationId": session.correlation_id, "phoneNumber": phone_number})
    return raw_request("POST", "/v3/unify-bind", f"127.0.0.1:{site.server.port}", headers, body)


def page_request(site, url, decision=None):
    """What a phone's browser sends: the form when something is decided."""
    parts, body = urlsplit(url), b"" if decision is None else b"decision=" + decision.encode()
    headers = {} if decision is None else {"Content-Type": "application/x-www-form-urlencoded"}
    path = parts.path + ("?" + parts.query if parts.query else "")
    return raw_request("GET" if decision is None else "POST", path, f"127.0.0.1:{site.server.port}", headers, body)


def interleaved(*groups):
    """Requests of several kinds in turn, and how to sort the answers again."""
    order = [(kind, request) for requests in zip(*groups) for kind, request in enumerate(requests)]
    return [request for _, request in order], lambda answers: [
        [answer for (kind, _), answer in zip(order, answers) if kind == number] for number in range(len(groups))]


def a_hundred_wrong_guesses_are_three_tries(world):
    for _ in world.times():
        session, client = world.at_code_entry()
        guesses = [client.raw("POST", "/session/otp/verify", {"code": WRONG}) for _ in range(100)]
        counts = counted(world.race(guesses))
        assert counts == {"otp_mismatch": 3, "session_done": 97}, counts
        expected(client.verify(RIGHT), 410, error="session_done")
        session.status("false")
    return str(counts)


def two_right_guesses_among_wrong_ones_never_pass_twice(world):
    for _ in world.times():
        session, client = world.at_code_entry()
        codes = [WRONG, WRONG, RIGHT, WRONG, RIGHT, WRONG]
        counts = counted(world.race([client.raw("POST", "/session/otp/verify", {"code": code}) for code in codes]))
        assert counts.get(200, 0) <= 1 and counts.get("otp_mismatch", 0) <= 3, counts
        session.status("true" if counts.get(200) else "false")


def fifty_right_guesses_are_one_success(world):
    for _ in world.times():
        session, client = world.at_code_entry(device_key=Key())
        guesses = [client.raw("POST", "/session/otp/verify", {"code": RIGHT}) for _ in range(50)]
        counts = counted(world.race(guesses))
        assert counts == {200: 1, "session_done": 49}, counts
        session.status("true")
    return str(counts)


def of_many_binds_one_binds(world):
    for _ in world.times():
        session = world.plain.unify(LORANT, "none")
        expected(session.client(device_key=Key()).to_code_entry(), 200, outcome="possessionRequired")
        answers = world.race([bind_request(world.plain, session, LORANT) for _ in range(20)])
        bound = [answer for answer in answers if answer.status == 200 and answer["success"] == "true"]
        refused = [answer for answer in answers if answer.status == 403 and answer["code"] == 8003]
        assert (len(bound), len(refused)) == (1, 19), counted(answers)
        session.status("true")


def of_many_wrong_binds_three_are_tried(world):
    for _ in world.times():
        session = world.plain.unify(LORANT, "none")
        expected(session.client(device_key=Key()).to_code_entry(), 200, outcome="possessionRequired")
        answers = world.race([bind_request(world.plain, session, PENNY) for _ in range(20)])
        tried = [answer for answer in answers if answer.status == 200 and answer["success"] == "false"]
        assert len(tried) == 3, counted(answers)
        expected(session.bind(LORANT), 403, code=8003)
        session.status("false")


def a_proof_sent_fifty_times_counts_once(world):
    for _ in world.times():
        _, client = world.at_code_entry()
        request = client.raw("GET", "/session")
        counts = counted(world.race([request] * 50))
        assert counts == {200: 1, "invalid_dpop_proof": 49}, counts
    return str(counts)


def fifty_equal_posts_with_one_requestId_send_once(world):
    for _ in world.times():
        session = world.plain.unify(LORANT)
        client = session.client()
        expected(client.start(), 200)
        posts = [client.raw("POST", "/session/otp", {"requestId": "r-1"}) for _ in range(50)]
        answers = world.race(posts)
        assert all(answer.status in (200, 409) for answer in answers), counted(answers)
        assert len({answer.body for answer in answers if answer.status == 200}) == 1, counted(answers)
        assert len(session.messages()) == 1, f"{len(session.messages())} messages"
        assert client.current()["otp"]["sendsLeft"] == 2, client.state
    return str(counted(answers))


def twenty_resends_send_twice_more(world):
    for _ in world.times():
        session, client = world.at_code_entry()
        counts = counted(world.race([client.raw("POST", "/session/otp/resend") for _ in range(20)]))
        assert counts == {200: 2, "sends_exhausted": 18}, counts
        assert len(session.messages()) == 3, f"{len(session.messages())} messages"
        expected(client.verify(RIGHT), 200, outcome="succeeded")


def a_resend_and_a_code_do_not_both_win(world):
    site, outcomes = world.simulated, {}
    for number in world.times():
        session, client = world.at_code_entry(site, STRANGER)
        code = session.messages()[0]["code"]
        requests = [
            client.raw("POST", "/session/otp/verify", {"code": code}), client.raw("POST", "/session/otp/resend")]
        order = 1 if number % 2 else -1  # who is sent first, by turns
        verify, resend = world.race(requests[::order], site)[::order]
        if verify.status == 200:
            expected(resend, 410, error="session_done")
        else:
            expected(resend, 200)
            newest = session.messages()[-1]["code"]
            expected(verify, 400, error="otp_mismatch")
            assert client.current()["otp"]["attemptsLeft"] == 2, client.state
            expected(client.verify(newest), 200, outcome="succeeded")
        outcomes[verify.status] = outcomes.get(verify.status, 0) + 1
        session.status("true")
    return f"code first {outcomes.get(200, 0)}, resend first {outcomes.get(400, 0)}"


def many_resends_and_many_codes_have_one_winner(world):
    outcomes = {}
    for _ in world.times():
        session, client = world.at_code_entry()
        requests, sort = interleaved(
            [client.raw("POST", "/session/otp/verify", {"code": WRONG}) for _ in range(25)],
            [client.raw("POST", "/session/otp/resend") for _ in range(25)],
            [client.raw("POST", "/session/otp/verify", {"code": RIGHT}) for _ in range(25)])
        wrong, resent, right = (counted(answers) for answers in sort(world.race(requests)))
        assert wrong.get("otp_mismatch", 0) <= 3 and resent.get(200, 0) <= 2 and right.get(200, 0) <= 1, \
            f"{wrong} {resent} {right}"
        assert len(session.messages()) == 1 + resent.get(200, 0), f"{resent}, {len(session.messages())} messages"
        assert right.get(200, 0) == 1 or wrong["otp_mismatch"] == 3, f"{wrong} {right}"
        session.status("true" if right.get(200) else "false")
        name = "passed" if right.get(200) else "failed"
        outcomes[name] = outcomes.get(name, 0) + 1
    return str(outcomes)


def fifty_approvals_against_fifty_denials_have_one_winner(world):
    outcomes = {}
    for _ in world.times():
        session, client = world.at_link_wait()
        link = session.newest_link()
        requests, _ = interleaved(
            [page_request(world.plain, link, "approve")] * 50, [page_request(world.plain, link, "deny")] * 50)
        told = {target_of(answer)[1]["asc"] for answer in world.race(requests)}
        assert len(told) == 1, "some phones are told true, others false"
        expected(client.current(), 200, outcome="succeeded" if told == {"true"} else "failed")
        session.status(*told)
        ends = [event for event in session.timeline() if event in ("link_approved", "link_denied")]
        assert len(ends) == 1, session.timeline()
        outcomes[ends[0]] = outcomes.get(ends[0], 0) + 1
    return str(outcomes)


def an_approval_and_a_resend_do_not_both_win(world):
    outcomes = {}
    for number in world.times():
        session, client = world.at_link_wait()
        older = session.newest_link()
        requests = [page_request(world.plain, older, "approve"), client.raw("POST", "/session/link/resend")]
        order = 1 if number % 2 else -1  # who is sent first, by turns
        approval, resend = world.race(requests[::order])[::order]
        if approval.status == 303:
            assert target_of(approval)[1]["asc"] == "true", approval.headers
            expected(resend, 410, error="session_done")
        else:
            assert approval.status == 410, approval
            expected(resend, 200)
            assert target_of(Phone().approve(session.newest_link()))[1]["asc"] == "true"
        assert len(session.messages()) == (1 if approval.status == 303 else 2)
        outcomes[approval.status] = outcomes.get(approval.status, 0) + 1
        session.status("true")
    return f"approval first {outcomes.get(303, 0)}, resend first {outcomes.get(410, 0)}"


def twenty_link_resends_send_twice_more(world):
    for _ in world.times():
        session, client = world.at_link_wait()
        counts = counted(world.race([client.raw("POST", "/session/link/resend") for _ in range(20)]))
        assert counts == {200: 2, "sends_exhausted": 18}, counts
        links = session.links()
        assert len(links) == 3 and len(set(links)) == 3, links
        working = [link for link in links if Phone().open(link).status == 200]
        assert len(working) == 1, f"{len(working)} links work"
        assert target_of(Phone().approve(working[0]))[1]["asc"] == "true"


def binds_of_two_numbers_have_one_winner(world):
    for _ in world.times():
        session = world.plain.unify(LORANT, "none")
        expected(session.client(device_key=Key()).to_code_entry(), 200, outcome="possessionRequired")
        requests, sort = interleaved(
            [bind_request(world.plain, session, LORANT) for _ in range(10)],
            [bind_request(world.plain, session, PENNY) for _ in range(10)])
        right, wrong = sort(world.race(requests))
        bound = [answer for answer in right if answer.status == 200 and answer["success"] == "true"]
        tried = [answer for answer in wrong if answer.status == 200]
        assert all(answer["success"] == "false" for answer in tried) and len(tried) <= 3, counted(wrong)
        assert len(bound) == 1 or len(bound) == 0 and len(tried) == 3, f"{counted(right)} {counted(wrong)}"
        session.status("true" if bound else "false")


def fifty_ways_back_redeem_one_code(world):
    for _ in world.times():
        session, client, attempt_id, last_hop = world.at_last_hop()
        answers = world.race([page_request(world.plain, last_hop)] * 50)
        arrived = [answer for answer in answers if answer.status == 200]
        gone = [answer for answer in answers if answer.status == 410]
        assert (len(arrived), len(gone)) == (1, 49), counted(answers)
        finishes = [
            client.raw("POST", "/session/mobile-auth/finish", {"attemptId": attempt_id, "vfp": arrived[0]["vfp"]})
            for _ in range(20)]
        counts = counted(world.race(finishes))
        assert counts == {200: 1, "session_done": 19}, counts
        timeline = session.timeline()
        assert timeline.count("mobile_auth_answered") == timeline.count("mobile_auth_passed") == 1, timeline
        session.status("true")


def fifty_first_hops_use_one_ticket(world):
    for _ in world.times():
        session = world.plain.unify(INGE)
        client = session.client()
        client.to_mobile_auth()
        attempt = expected(client.begin_mobile_auth(), 200)
        answers = world.race([page_request(world.plain, attempt["authUrl"])] * 50)
        counts = counted(answers)
        assert [answer.status for answer in answers].count(302) == 1, counts
        assert session.timeline().count("mobile_auth_sent_to_operator") == 1, session.timeline()


def a_fingerprint_and_a_code_do_not_both_win(world):
    outcomes = {}
    for number in world.times():
        session, client, attempt_id, last_hop = world.at_last_hop()
        vfp = expected(Phone().call("GET", last_hop), 200)["vfp"]
        requests = [
            client.raw("POST", "/session/mobile-auth/finish", {"attemptId": attempt_id, "vfp": vfp}),
            client.raw("POST", "/session/otp")]
        order = 1 if number % 2 else -1
        finish, otp = world.race(requests[::order])[::order]
        if finish.status == 200:
            expected(otp, 410, error="session_done")
            assert session.messages() == []
            session.status("true")
        else:
            expected(finish, 409, error="invalid_state")
            expected(otp, 200)
            session.status("pending")
            expected(client.verify(RIGHT), 200, outcome="succeeded")
        outcomes[finish.status] = outcomes.get(finish.status, 0) + 1
    return f"fingerprint first {outcomes.get(200, 0)}, code first {outcomes.get(409, 0)}"


def of_many_keys_one_redeems_a_token(world):
    for _ in world.times():
        session = world.plain.unify(LORANT)
        clients = [session.client() for _ in range(20)]
        body = {"platform": "web", "sdk": "race/1", "fallback": "otp", "deviceKey": False, "cellular": "no"}
        counts = counted(world.race([client.raw("POST", "/session", body) for client in clients]))
        assert counts == {200: 1, "token_already_used": 19}, counts


def a_device_key_in_two_sessions_at_once_is_one_device(world):
    for _ in world.times():
        key = Key()
        sessions = [world.at_code_entry(device_key=key) for _ in range(4)]
        guesses = [client.raw("POST", "/session/otp/verify", {"code": RIGHT}) for _, client in sessions]
        counts = counted(world.race(guesses))
        assert counts == {200: 4}, counts
        found = {session.status("true")["deviceId"] for session, _ in sessions}
        assert len(found) == 1 and None not in found, found


def a_number_proven_many_times_at_once_has_one_proveId(world):
    for number in range(world.options.rounds):
        # A number of its own each round: the identity must be new for the race to matter.
        sessions = [world.simulated.unify(f"206555{1000 + number}") for _ in range(6)]
        clients = [session.client() for session in sessions]
        for client in clients:
            client.to_code_entry()
        guesses = [
            client.raw("POST", "/session/otp/verify", {"code": session.messages()[0]["code"]})
            for session, client in zip(sessions, clients)]
        counts = counted(world.race(guesses, world.simulated))
        assert counts == {200: 6}, counts
        assert len({session.status("true")["proveId"] for session in sessions}) == 1


def cancel_and_a_right_code_leave_one_outcome(world):
    for _ in world.times():
        session, client = world.at_code_entry()
        verify, _ = world.race([
            client.raw("POST", "/session/otp/verify", {"code": RIGHT}), client.raw("POST", "/session/cancel")])
        session.status("true" if verify.status == 200 else "false")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--rounds", type=int, default=10, help="runs of every race (default %(default)s)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only races whose sentence has this text")
    parser.add_argument("--seconds", type=float, default=240.0, help="time limit of the run (default %(default)g)")
    world = Arena(checked_arguments(parser))
    try:
        scenes.run(scenes.of(sys.modules[__name__]), world, world.options.only, world.options.seconds)
    finally:
        world.close()


if __name__ == "__main__":
    main()
