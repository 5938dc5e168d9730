#!/usr/bin/env python3
"""Lets requests race for the same session: each limit and each success must be counted exactly once.

Starts its own servers on free ports with fresh data, and removes both. The last line is "N passed, M failed".
"""
import argparse
import sys

import scenes
from holdfast import Key, add_server_arguments, checked_arguments, expected
from exchange import json_bytes, raw_request
from volley import counted, volley
from world import LORANT, PENNY, RIGHT, STRANGER, WRONG, World


class Arena(World):
    """The world, and how often each race is run."""

    def times(self):
        return range(self.options.rounds)

    def at_code_entry(self, site=None, number=LORANT, **options):
        session = (site or self.plain).unify(number, allowOTPRetry=True)
        client = session.client(**options)
        client.to_code_entry()
        return session, client

    def race(self, requests, site=None):
        answers = volley((site or self.plain).server, requests)
        failed = [answer for answer in answers if answer is None or answer.status >= 500]
        assert not failed, f"{len(failed)} of {len(answers)} lost or failed, first {failed[0]}"
        return answers


def bind_request(site, session, phone_number):
    headers = {"Authorization": f"Bearer {site.platform.access_token}", "Content-Type": "application/json"}
    body = json_bytes({"correlationId": session.correlation_id, "phoneNumber": phone_number})
    return raw_request("POST", "/v3/unify-bind", f"127.0.0.1:{site.server.port}", headers, body)


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
