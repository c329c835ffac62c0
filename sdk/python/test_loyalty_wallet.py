"""Tests against a running service with a demo: DEMO is the path of its demo.json. The network is real, and loses things."""

import base64
import hashlib
import hmac
import json
import os
import threading
import time
import unittest
import urllib.request

from loyalty_wallet import (
    InMemory,
    InvalidSignature,
    LoyaltyWallet,
    OutcomeUnknown,
    Refusal,
    Unavailable,
    verify_webhook,
)

with open(os.environ["DEMO"]) as file:
    demo = json.load(file)


class Till(LoyaltyWallet):
    """Counts what is sent, and loses requests or answers."""

    def __init__(self, **more):
        super().__init__(demo["baseUrl"], **{"api_key": demo["apiKey"], "api_secret": demo["apiSecret"], **more})
        self.sent = []
        self.faults = []

    def _open(self, request: urllib.request.Request, timeout: float):
        self.sent.append(request)
        fault = None if "/auth/" in request.full_url or not self.faults else self.faults.pop(0)
        if fault == "lost request":
            raise ConnectionResetError("lost on the way there")
        response = super()._open(request, timeout)
        if fault == "lost answer":
            response.close()
            raise ConnectionResetError("lost on the way back")
        return response

    def paths(self, part: str):
        return [request for request in self.sent if part in request.full_url]


def register(till: LoyaltyWallet):
    body = {"campaignId": demo["campaignId"], "customer": {"data": {"fullname": "Ada Lovelace"}}}
    return till.register_customer(body)


def basket(customer, **more):
    card = customer["cards"][0]["barcode"]
    return {"barcode": card, "items": [{"product": "latte", "quantity": 10, "unitPrice": 3.5}], **more}


class TestTill(unittest.TestCase):
    def test_tour(self):
        till = Till()
        customer = register(till)
        barcode = customer["cards"][0]["barcode"]
        self.assertEqual(till.find_customer(q=barcode)["data"]["fullname"], "Ada Lovelace")
        preview = till.validate_transaction(basket(customer))
        sale = till.process_transaction(basket(customer))
        self.assertEqual(preview["totals"]["due"], sale["totals"]["due"])
        coupon = sale["executedActions"]["coupons"][0]
        items = [
            {"product": "latte", "unitPrice": 3.5, "reward": coupon["id"]},
            {"product": "croissant", "unitPrice": 3},
        ]
        paid = till.process_transaction({"barcode": barcode, "pointsToSpend": 100, "items": items})
        self.assertEqual(paid["totals"]["due"], 2)
        returned = till.return_transaction(paid["id"])
        self.assertEqual((returned["refundAmount"], returned["pointsRestored"]), (2, 100))
        kinds = [entry["kind"] for entry in till.list_ledger_entries(customer["id"], limit=2)]
        self.assertGreater(len(kinds), 4)
        self.assertEqual(till.list_transactions(opaque_id=sale["opaqueId"]).first()["data"][0]["id"], sale["id"])
        self.assertEqual(list(till.pending()), [])

    def test_threads_ask_for_one_token(self):
        till = Till()
        threads = [threading.Thread(target=lambda: till.list_campaigns().first()) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(till.paths("/auth/token")), 1)

    def test_a_token_that_is_not_taken_any_more_is_replaced(self):
        till = Till()
        till._token, till._renew_at = "x.y.z", time.time() + 3600
        till.list_campaigns().first()
        self.assertEqual(len(till.paths("/auth/token")), 1)

    def test_wrong_credentials(self):
        with self.assertRaises(Refusal) as raised:
            Till(api_secret="lws_wrong").list_campaigns().first()
        self.assertEqual(raised.exception.code, "_invalid_credentials")

    def test_a_sale_whose_answer_is_lost_happens_once(self):
        till = Till()
        customer = register(till)
        till.faults = ["lost answer", "lost request", "lost answer"]
        sale = till.process_transaction(basket(customer))
        sales = [each["id"] for each in till.list_customer_transactions(customer["id"])]
        self.assertEqual(sales, [sale["id"]])
        self.assertEqual(len({request.get_header("Idempotency-key") for request in till.paths("/process")}), 1)

    def test_an_unknown_outcome_is_kept_and_settled(self):
        pending = InMemory()
        till = Till(pending=pending, attempts=2)
        customer = register(till)
        till.faults = ["lost answer", "lost answer"]
        with self.assertRaises(OutcomeUnknown) as raised:
            till.process_transaction(basket(customer))
        later = Till(pending=pending)
        [write] = later.pending()
        self.assertEqual(write, raised.exception.pending)
        sale = later.settle(write)
        self.assertEqual([each["id"] for each in later.list_customer_transactions(customer["id"])], [sale["id"]])
        self.assertEqual(list(later.pending()), [])

    def test_a_refusal_is_known(self):
        till = Till()
        customer = register(till)
        with self.assertRaises(Refusal) as raised:
            till.process_transaction(basket(customer, pointsToSpend=500))
        self.assertEqual((raised.exception.code, raised.exception.status), ("insufficient_points", 400))
        self.assertTrue(raised.exception.request_id)
        self.assertEqual(list(till.pending()), [])

    def test_what_must_not_be_sent_twice_is_sent_once(self):
        till = Till()
        till.list_campaigns().first()
        till.faults = ["lost answer"]
        with self.assertRaises(Unavailable):
            till.add_connection({"name": "Web shop"})
        self.assertEqual(len(till.paths("/connections")), 1)

    def test_misspelled_properties_are_told(self):
        told = []
        till = Till(on_ignored=lambda *ignored: told.append(ignored))
        till.create_customer({"data": {}, "opaqeId": "x"})
        self.assertEqual(told, [("createCustomer", ["opaqeId"])])


class TestWebhook(unittest.TestCase):
    key = base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()
    body = json.dumps({"id": "evt_1", "type": "customer.created"})

    def headers(self, timestamp=None):
        timestamp = str(int(time.time()) if timestamp is None else timestamp)
        signed = f"evt_1.{timestamp}.{self.body}".encode()
        signature = base64.b64encode(hmac.new(base64.b64decode(self.key), signed, hashlib.sha256).digest()).decode()
        return {"Webhook-Id": "evt_1", "Webhook-Timestamp": timestamp, "Webhook-Signature": f"v1,x v1,{signature}"}

    def test_signature(self):
        secret = f"whsec_{self.key}"
        other = "whsec_" + base64.b64encode(b"f" * 32).decode()
        self.assertEqual(verify_webhook(self.body, self.headers(), [other, secret])["id"], "evt_1")
        wrong = [
            (self.body, self.headers(), other),
            (self.body + " ", self.headers(), secret),
            (self.body, self.headers(int(time.time()) - 400), secret),
            (self.body, {}, secret),
        ]
        for body, headers, secrets in wrong:
            with self.assertRaises(InvalidSignature):
                verify_webhook(body, headers, secrets)


if __name__ == "__main__":
    unittest.main()
