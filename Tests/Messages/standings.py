#!/usr/bin/env python3
"""Asks for the standing of numbers in live mode: operators that speak CAMARA, and the operator's own service.

The last line is "N passed, M failed", counting scenes.
"""
import hashlib
import hmac
import sys

from gateway import Gateway, answer
from live import Run, eventually, expected
from messages import NUMBER, code_of, hooks, run_scenes
from operator_risk import RiskOperator

OTHER = "+12065550199"
SECRET = "0123456789abcdef0123456789abcdef"
SWAPPED = {"result": "fail", "failureReasons": {"9135": "SIM swap under 24 hours ago"}}
PASS = {"result": "pass"}


def live(world, sms, *operators, **settings):
    """A server that asks these operators."""
    reputation = {"operators": {one.name: one.settings() for one in operators}} if operators else {}
    server = world.live(hooks(world, sms), reputation={**reputation, **settings})
    for one in operators:
        one.keys_url = server.base_url + "/.well-known/jwks.json"
    return server


def risk(run):
    return run.result()["evaluation"].get("risk")


def events(server, number):
    """What stands of the number's standing in its newest session's timeline."""
    run = [line for line in server.explain(number) if "correlationId" in line][0]
    return [
        (event["event"], event.get("detail")) for event in run["events"] if event["event"].startswith("reputation")]


def prove(run, sms, number=NUMBER):
    expected(run.ask(), 200)
    message = eventually(lambda: [m for m in sms.messages() if m["data"]["to"] == number], what="a message")[-1]
    return run.client.verify(code_of(message))


def a_swapped_sim_stops_the_message_and_says_why(world):
    with Gateway("sms") as sms, RiskOperator() as operator, live(world, sms, operator) as server:
        operator.swapped.add(NUMBER)
        run = Run(server, NUMBER, checkReputation=True)
        state = expected(run.ask(), 200)
        assert state["status"] == "done" and state["outcome"] == "failed" and "9135" not in str(state), state
        assert run.result()["success"] == "false" and risk(run) == SWAPPED
        assert events(server, NUMBER) == [("reputation_failed", "9135")]
        other = Run(server, OTHER, checkReputation=True)
        expected(prove(other, sms, OTHER), 200)
        assert other.result()["success"] == "true" and risk(other) == PASS
        assert not [message for message in sms.messages() if message["data"]["to"] == NUMBER]
        assert not operator.mistakes, operator.mistakes
        assert operator.paths() == ["/token", "/sim-swap/v2/check", "/sim-swap/v2/check"], "one token, one question each"
        assert server.metric("holdfast_reputation_calls_total", operator="played", outcome="bad") == 1
        assert server.metric("holdfast_reputation_calls_total", operator="played", outcome="passed") == 1
        for secret in (NUMBER, OTHER, "token-0"):
            assert secret not in server.output(), secret


def who_does_not_ask_costs_no_question(world):
    with Gateway("sms") as sms, RiskOperator() as operator, live(world, sms, operator) as server:
        operator.swapped.add(NUMBER)
        run = Run(server, NUMBER)
        expected(prove(run, sms), 200)
        assert run.result()["success"] == "true" and not operator.calls


def a_number_that_has_a_new_owner_is_found_out_after_its_enrolment(world):
    with Gateway("sms") as sms, RiskOperator() as operator, live(world, sms, operator) as server:
        first = Run(server, NUMBER, checkReputation=True)
        expected(prove(first, sms), 200)
        assert operator.paths() == ["/token", "/sim-swap/v2/check"], "nobody knew the number before"
        expected(server.platform().post("/v3/identity", {"phoneNumber": NUMBER}), 200)
        operator.recycled.add(NUMBER)
        again = Run(server, NUMBER, checkReputation=True)
        assert expected(again.ask(), 200)["outcome"] == "failed"
        assert risk(again) == {"result": "fail", "failureReasons": {"9163": "number has a newer owner"}}
        assert not operator.mistakes, operator.mistakes


def a_token_of_one_number_goes_without_naming_it(world):
    with Gateway("sms") as sms, RiskOperator() as operator:
        with live(world, sms, operators={"played": operator.settings(tokenWay="jwt-bearer")}) as server:
            operator.keys_url = server.base_url + "/.well-known/jwks.json"
            operator.swapped.add(NUMBER)
            assert expected(Run(server, NUMBER, checkReputation=True).ask(), 200)["outcome"] == "failed"
            run = Run(server, OTHER, checkReputation=True)
            expected(prove(run, sms, OTHER), 200)
            assert risk(run) == PASS and not operator.mistakes, operator.mistakes
            assert operator.paths() == ["/token", "/sim-swap/v2/check"] * 2


def a_number_that_has_moved_is_asked_of_the_next_operator(world):
    with Gateway("sms") as sms, RiskOperator("here") as here, RiskOperator("there") as there:
        with live(world, sms, here, there) as server:
            here.foreign.add(NUMBER)
            there.swapped.add(NUMBER)
            run = Run(server, NUMBER, checkReputation=True)
            assert expected(run.ask(), 200)["outcome"] == "failed" and risk(run) == SWAPPED
            assert server.metric("holdfast_reputation_calls_total", operator="here", outcome="not_covered") == 1


def a_number_that_nobody_can_tell_of_fails_or_passes_as_it_is_set(world):
    text = "standing not known: no source for this number"
    with Gateway("sms") as sms, RiskOperator() as operator:
        operator.foreign.add(NUMBER)
        with live(world, sms, operator) as server:
            run = Run(server, NUMBER, checkReputation=True)
            assert expected(run.ask(), 200)["outcome"] == "failed" and not sms.calls
            assert risk(run) == {"result": "fail", "failureReasons": {"9190": text}}
            assert events(server, NUMBER) == [("reputation_failed", "9190 not_covered")]
        with live(world, sms, operator, whenUnknown="pass") as server:
            run = Run(server, NUMBER, checkReputation=True)
            expected(prove(run, sms), 200)
            assert run.result()["success"] == "true"
            assert risk(run) is None, "reasons are for what fails"
            assert events(server, NUMBER) == [("reputation_unknown", "9190 not_covered")]


def an_operator_that_misbehaves_ends_no_call_late_and_no_number_well(world):
    with Gateway("sms") as sms, RiskOperator() as operator:
        def after(seconds):
            def waits():
                operator.wait(seconds)
                return answer(200, {"swapped": False})
            return waits
        cases = {
            "slow": after(30), "garbage": (200, {}, b"\x00<html>"), "an error inside": answer(200, {"code": "INTERNAL"}),
            "large": (200, {}, b" " * 10_000_000), "redirect": (307, {"Location": "/sim-swap/v2/check"}, b""),
            "cut": lambda: None, "down": answer(503), "bare": (200, {}, b""), "text": answer(200, {"swapped": "false"})}
        with live(world, sms, operator, timeoutSeconds=1, circuitFailures=0) as server:
            for index, (name, case) in enumerate(cases.items()):
                operator.disturb = lambda path: case if path != "/token" else None
                number = f"+120655501{index:02}"
                run = Run(server, number, checkReputation=True)
                assert expected(run.ask(), 200)["outcome"] == "failed", name
                assert list(risk(run)["failureReasons"]) == ["9190"], name
            assert not sms.calls and not operator.mistakes, operator.mistakes
            eventually(lambda: server.output().count("reputation of") == len(cases), what="a line for each in the log")
            assert "+12065550" not in server.output()
            operator.disturb = lambda path: None
            expected(prove(Run(server, NUMBER, checkReputation=True), sms), 200)


def an_operator_that_asks_for_rest_gets_it(world):
    with Gateway("sms") as sms, RiskOperator() as operator, live(world, sms, operator, whenUnknown="pass") as server:
        operator.disturb = lambda path: answer(429, {"code": "TOO_MANY_REQUESTS"}, Retry_After="600")
        for index in range(3):
            number = f"+120655501{index:02}"
            run = Run(server, number, checkReputation=True)
            expected(prove(run, sms, number), 200)
            assert risk(run) is None
            assert events(server, number) == [("reputation_unknown", f"9190 {'failed' if index == 0 else 'resting'}")]
        assert len(operator.calls) == 1, operator.paths()
        assert server.metric("holdfast_reputation_circuit_open", operator="played") == 1


def a_token_that_ended_before_its_time_is_got_again(world):
    with Gateway("sms") as sms, RiskOperator() as operator, live(world, sms, operator) as server:
        expected(prove(Run(server, NUMBER, checkReputation=True), sms), 200)
        operator.tokens.clear()
        expected(prove(Run(server, OTHER, checkReputation=True), sms, OTHER), 200)
        check = "/sim-swap/v2/check"
        assert operator.paths() == ["/token", check, check, "/token", check], operator.paths()


def the_operators_own_service_gets_a_signed_question_and_its_reasons_go_out(world):
    told = {NUMBER: {"result": "fail", "failureReasons": {"9137": "call forwarding on", "9134": "non-fixed VoIP"}}}

    def serve(service, call):
        time, digest = (part.split("=")[1] for part in call.headers["Holdfast-Signature"].split(","))
        signed = hmac.new(SECRET.encode(), time.encode() + b"." + call.body, hashlib.sha256).hexdigest()
        assert hmac.compare_digest(signed, digest)
        number = call.json["phoneNumber"]
        return answer(200, told.get(number, PASS))

    folder = world.folder()
    folder.mkdir(parents=True)
    secret = folder / "risk.secret"
    secret.write_text(SECRET + "\n")
    secret.chmod(0o600)
    with Gateway("sms") as sms, Gateway("own", serve) as own:
        with live(world, sms, url=own.url + "/standing", secretFile=str(secret)) as server:
            run = Run(server, NUMBER, checkReputation=True)
            assert expected(run.ask(), 200)["outcome"] == "failed" and not sms.calls
            assert risk(run) == told[NUMBER], risk(run)
            other = Run(server, OTHER, checkReputation=True)
            expected(prove(other, sms, OTHER), 200)
            assert risk(other) == PASS and [call.path for call in own.calls] == ["/standing"] * 2
            assert server.metric("holdfast_reputation_calls_total", operator="service", outcome="bad") == 1
            assert SECRET not in server.output() and NUMBER not in server.output()


def without_a_source_the_question_is_refused_by_name(world):
    with Gateway("sms") as sms, world.live(hooks(world, sms)) as server:
        refused = server.platform().unify(NUMBER, checkReputation=True)
        assert refused.status == 400 and "checkReputation" in str(refused), refused


if __name__ == "__main__":
    sys.exit(run_scenes(sys.modules[__name__], __doc__))
