#!/usr/bin/env python3
"""Sends codes by e-mail in live mode, to a mail server on loopback: TLS, logins, refusals and silence.

The last line is "N passed, M failed", counting scenes.
"""
import json
import re
import socket
import sys
import time
import urllib.error
import urllib.request

from gateway import Gateway
from live import eventually
from mailserver import PASSWORD, MailServer
from messages import SECRET, hooks, run_scenes

TEXTS = {
    "defaultLocale": "en",
    "texts": [
        {"purpose": "code", "channel": "sms", "locale": "en", "text": "{code} is your code."},
        {"purpose": "link", "channel": "sms", "locale": "en", "text": "Open {link}"},
        # Lines that begin with a dot, and what 7 bits do not hold.
        {"purpose": "code", "channel": "email", "locale": "en", "subject": "Your {brand} code – grüße",
         "text": ".. {code} ist Ihr Code für {brand}. " + "Größe = 1. " * 20},
    ],
}
CODE = re.compile(r"\d{6}")


def live(world, *servers, gateways=None, **settings):
    """A server whose e-mail goes by these mail servers, in order."""
    folder = world.folder()
    folder.mkdir(parents=True)

    def secret(name, text):
        path = folder / name
        path.write_text(text + "\n")
        path.chmod(0o600)
        return str(path)

    texts = folder / "texts.json"
    texts.write_text(json.dumps(TEXTS))
    entries = {server.name: server.gateway(secret, **(gateways or {})) for server in servers}
    # A server always has a way to numbers. Nothing goes there.
    sms = {"preset": "hook", "settings": {"url": "http://127.0.0.1:9/"}, "secretFiles": {"secret": secret("hook", SECRET)}}
    routes = {"gateways": {**entries, "sms": sms}, "routes": [
        {"channels": ["email"], "gateways": list(entries)}, {"channels": ["sms"], "gateways": ["sms"]}]}
    return world.live(routes, messaging={"textsFile": str(texts), "brand": "Shop", **settings})


def post(server, path, body):
    request = urllib.request.Request(
        server.base_url + "/otpless" + path, data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "clientId": "acme", "clientSecret": server.secret})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def ask(server, address):
    return post(server, "/auth/v1/initiate/otp", {"email": address})


def sent(server, address):
    status, answer = ask(server, address)
    assert status == 200, answer
    return answer["requestId"]


def arrived(mail, count=1):
    return eventually(lambda: len(mail.mails) >= count and mail.mails, what="a mail")[-1]


def no_word_about(server, *texts):
    output = server.output()
    for text in texts:
        assert text not in output, f"{text} is in the log"


def a_mail_over_tls_with_a_login_is_whole_and_its_code_passes(world):
    with MailServer("one", login=True) as mail, live(world, mail) as server:
        request = sent(server, "Ada.King@example.com")
        message = arrived(mail)
        assert message["From"].addresses[0].display_name == "Shop, Köln", message["From"]
        assert message["From"].addresses[0].addr_spec == "no-reply@shop.example"
        assert message["To"] == "Ada.King@example.com" and message["Subject"] == "Your Shop code – grüße", message["Subject"]
        assert abs(message["Date"].datetime.timestamp() - time.time()) < 60, message["Date"]
        assert re.fullmatch(r"<[0-9a-f-]{36}@shop\.example>", message["Message-ID"]), message["Message-ID"]
        assert message.get_content_type() == "text/plain" and message.get_content_charset() == "utf-8"
        text = message.get_content()
        code = CODE.search(text).group()
        assert text.strip() == TEXTS["texts"][2]["text"].format(code=code, brand="Shop").strip(), text
        assert code not in message["Subject"]
        envelope = mail.handler.mails[0][0]
        assert envelope.mail_from == "no-reply@shop.example" and envelope.rcpt_tos == ["Ada.King@example.com"]
        assert all(len(line) <= 78 for line in envelope.original_content.split(b"\r\n")), "a line is too long"
        status, checked = post(server, "/auth/v1/verify/otp", {"requestId": request, "otp": code})
        assert status == 200 and checked["isOTPVerified"] is True, checked
        assert server.metric("holdfast_gateway_calls_total", gateway="one", channel="email", outcome="taken") == 1
        no_word_about(server, "Ada.King", "ada.king", code, PASSWORD, "no-reply@")


def a_mail_goes_on_with_starttls_and_tells_nothing_of_the_machine(world):
    with MailServer("one", "starttls", login=True) as mail, live(world, mail) as server:
        for _ in range(2):
            sent(server, "ada@example.com")
            time.sleep(1.1)
        arrived(mail, 2)
        assert set(mail.handler.names) == {"shop.example"} and socket.gethostname() not in mail.handler.names


def nothing_is_said_without_tls(world):
    with MailServer("one", "plain") as mail, live(world, mail) as server:
        status, answer = ask(server, "ada@example.com")
        assert status == 503, answer
        assert not mail.mails and not mail.handler.refused
        eventually(lambda: "TLS was not agreed on" in server.output(), what="a word in the log")


def a_server_on_this_machine_takes_mail_without_tls(world):
    with MailServer("one", "plain") as mail, live(world, mail, gateways={"authority": None}) as server:
        sent(server, "ada@example.com")
        arrived(mail, 1)


def a_certificate_of_another_authority_gets_no_mail(world):
    for way in ("tls", "starttls"):
        with MailServer("one", way, login=True) as mail, live(world, mail, gateways={"authority": "other"}) as server:
            status, answer = ask(server, "ada@example.com")
            assert status == 503 and not mail.mails, answer
            eventually(lambda: "TLS was not agreed on" in server.output(), what="a word in the log")


def after_a_wrong_login_the_next_route_has_it(world):
    with MailServer("one", login=True) as one, MailServer("two") as two:
        with live(world, one, two, gateways={"password": "wrong"}) as server:
            sent(server, "ada@example.com")
            arrived(two)
            assert not one.mails
            eventually(lambda: "a gateway refuses our account" in server.output(), what="an error in the log")
            assert server.metric("holdfast_gateway_calls_total", gateway="one", outcome="account") == 1
            no_word_about(server, "wrong", "ada@")


def a_sender_that_may_not_send_is_the_operators_business(world):
    with MailServer("one") as one, live(world, one, gateways={"sender": "stranger@shop.example"}) as server:
        status, answer = ask(server, "ada@example.com")
        assert status == 503 and len(one.handler.refused) == 1, answer
        assert server.metric("holdfast_gateway_calls_total", gateway="one", outcome="account") == 1


def a_mailbox_that_is_none_is_final(world):
    with MailServer("one", login=True) as one, MailServer("two") as two, live(world, one, two) as server:
        status, answer = ask(server, "gone@example.com")
        assert status == 503, answer
        assert one.handler.refused == ["gone@example.com"] and not two.mails and not two.handler.refused
        assert server.metric("holdfast_gateway_calls_total", gateway="one", outcome="number") == 1
        no_word_about(server, "gone@")


def a_refusal_for_now_and_one_of_the_text_go_to_the_next_route(world):
    for address in ("grey@example.com", "spam@example.com"):
        with MailServer("one", "starttls") as one, MailServer("two") as two, live(world, one, two) as server:
            status, _ = ask(server, address)
            # The second server has the same words for them.
            assert status == 503 and one.handler.refused == two.handler.refused == [address]
            assert server.metric("holdfast_gateway_calls_total", gateway="two", outcome="route") == 1


def a_server_that_is_silent_is_passed_over_until_it_may_have_the_mail(world):
    with socket.create_server(("127.0.0.1", 0)) as silent, MailServer("one") as one, MailServer("two") as two:
        with live(world, one, two, gateways={"timeoutSeconds": 3}, waitSeconds=10) as server:
            routes = json.loads(server.routes.read_text())
            dead = json.loads(json.dumps(routes["gateways"]["one"]))
            dead["settings"]["url"] = f"smtps://localhost:{silent.getsockname()[1]}"
            server.write_routes({
                "gateways": {"dead": dead, **routes["gateways"]},
                "routes": [{"channels": ["email"], "gateways": ["dead", "one", "two"]}, routes["routes"][1]]})
            server.process.send_signal(1)
            eventually(lambda: "4 gateways, 2 routes" in server.output(), what="a reload in the log")
            sent(server, "ada@example.com")
            arrived(one)
            # It has the whole mail, and says nothing: nobody gets it twice.
            sent(server, "slow@example.com")
            assert server.metric("holdfast_gateway_calls_total", gateway="one", outcome="unsure") == 1
            assert not two.mails, "a mail that may have arrived was sent again"


def a_connection_that_breaks_in_the_middle_counts_as_sent(world):
    with MailServer("one") as one, MailServer("two") as two, live(world, one, two) as server:
        sent(server, "cut@example.com")
        assert server.metric("holdfast_gateway_calls_total", gateway="one", outcome="unsure") == 1
        assert not two.mails


def an_own_endpoint_gets_mails_too(world):
    with Gateway("own") as own:
        messaging = hooks(world, own)
        messaging["routes"] = [{"channels": ["email", "sms"], "gateways": ["own"]}]
        with world.live(messaging) as server:
            sent(server, "ada@example.com")
            data = eventually(own.messages, what="a message")[0]["data"]
            assert (data["channel"], data["to"], "country" in data) == ("email", "ada@example.com", False), data
            assert data["subject"] and data["code"] in data["text"], data


def without_a_route_an_address_is_refused(world):
    with Gateway("own") as own, world.live(hooks(world, own)) as server:
        status, answer = ask(server, "ada@example.com")
        assert (status, answer["errorCode"]) == (400, "7105"), answer


if __name__ == "__main__":
    sys.exit(run_scenes(sys.modules[__name__], __doc__))
