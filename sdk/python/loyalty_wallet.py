"""Client of Loyalty Wallet for tills and web shops. Needs nothing but Python 3.9 and its standard library.

    from loyalty_wallet import LoyaltyWallet, Refusal

    wallet = LoyaltyWallet("https://loyalty.example.com", api_key=..., api_secret=...)
    customer = wallet.find_customer(q="+12025550123")
    sale = wallet.process_transaction({"barcode": customer["cards"][0]["barcode"], "amount": 7})

Tokens are fetched and renewed, requests are sent again where that is safe, and every write has a key, so that nothing
is counted twice. The methods are the operations of the API reference, which every service serves at /docs.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import datetime, timezone
from email.message import Message as Headers
from typing import TYPE_CHECKING, Any, Callable, Generic, Iterator, Mapping, Optional, Protocol, Sequence, TypeVar, Union

T = TypeVar("T")


class LoyaltyWalletError(Exception):
    """Anything that can go wrong here."""


class Refusal(LoyaltyWalletError):
    """The service has refused a request, which changed nothing."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        super().__init__(f"{body['message']}: {body.get('description', '')} (request {body['requestId']})")
        self.code: str = body["message"]
        self.status: int = body["statuscode"]
        self.field: Optional[str] = body.get("field")
        self.request_id: str = body["requestId"]
        self.body = body


class Unavailable(LoyaltyWalletError):
    """The service could not be reached, or did not say what became of the request."""

    def __init__(self, message: str, request_id: Optional[str] = None) -> None:
        super().__init__(message)
        self.request_id = request_id


class OutcomeUnknown(Unavailable):
    """Nobody knows whether a write has happened. It is kept: `settle(error.pending)` finds out, and does it at most once."""

    def __init__(self, pending: "PendingWrite", request_id: Optional[str]) -> None:
        super().__init__(f"It is not known whether {pending['operation']} has happened. Call settle().", request_id)
        self.pending = pending


class InvalidSignature(LoyaltyWalletError):
    """What a webhook has received does not come from the service."""


# A write that was sent and whose outcome is not known: id (the key), operation, path, body, at.
PendingWrite = Mapping[str, Any]


class PendingStore(Protocol):
    """Where writes are kept until their outcome is known. To survive a restart, give one that writes to a disk."""

    def set(self, write: PendingWrite) -> None: ...

    def delete(self, id: str) -> None: ...

    def list(self) -> Sequence[PendingWrite]: ...


class InMemory:
    """Keeps pending writes as long as the process runs."""

    def __init__(self) -> None:
        self._writes: dict[str, PendingWrite] = {}

    def set(self, write: PendingWrite) -> None:
        self._writes[write["id"]] = write

    def delete(self, id: str) -> None:
        self._writes.pop(id, None)

    def list(self) -> Sequence[PendingWrite]:
        return [*self._writes.values()]


class Pages(Generic[T]):
    """A list: iterates over the entries of all pages, which are read as they come. `first()` is the first page."""

    def __init__(self, read: Callable[[Optional[str]], Any]) -> None:
        self._read = read

    def first(self) -> Any:
        return self._read(None)

    def pages(self) -> Iterator[Any]:
        page = self._read(None)
        yield page
        while page.get("nextCursor") is not None:
            page = self._read(page["nextCursor"])
            yield page

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page["data"]


class _Answer:
    def __init__(self, status: int, headers: Headers, body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    def json(self) -> Any:
        return json.loads(self.body) if self.body else None


class _Client:
    """What the methods below need: authorized requests, sent again where that is safe."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: Optional[str] = None,
        api_secret: Optional[str] = None,
        authorize: Optional[Callable[[], Optional[str]]] = None,
        pending: Optional[PendingStore] = None,
        attempts: int = 5,
        timeout: float = 15,
        on_ignored: Optional[Callable[[str, Sequence[str]], None]] = None,
    ) -> None:
        """`authorize` returns the header `Authorization`, in place of an API key and secret."""
        self._base = base_url.rstrip("/")
        self._credentials = {"X-Api-Key": api_key or "", "X-Api-Secret": api_secret or ""}
        self._authorize = authorize
        self._pending: PendingStore = pending or InMemory()
        self._attempts = attempts
        self._timeout = timeout
        self._on_ignored = on_ignored
        self._token: Optional[str] = None
        self._renew_at = 0.0
        self._lock = threading.Lock()

    def pending(self) -> Sequence[PendingWrite]:
        """Writes whose outcome is not known, the oldest first."""
        return self._pending.list()

    def settle(self, write: PendingWrite) -> Any:
        """Sends one again. It happens at most once; returns what the first one would have returned, or refuses."""
        return self._finish(write)

    def follow(
        self,
        *,
        after: Optional[str] = None,
        types: Optional[Sequence[str]] = None,
        customer: Optional[str] = None,
    ) -> Iterator["LoyaltyEvent"]:
        """What happens in the organization, in order, waiting for more. Store the `cursor` of each event handled."""
        wait = 0
        while True:
            query = {"after": after, "types": types, "customer": customer, "wait": wait}
            page = self._request("listEvents", "GET", "/v1/events" + _query(query), True, wait=wait)
            yield from page["data"]
            after = page["cursor"]
            wait = 0 if page["hasMore"] else 25

    def _read(self, operation: str, path: str, query: Mapping[str, Any]) -> Any:
        return self._request(operation, "GET", path + _query(query), True)

    def _pages(self, operation: str, path: str, query: Mapping[str, Any]) -> Pages[Any]:
        def read(cursor: Optional[str]) -> Any:
            return self._read(operation, path, query if cursor is None else {**query, "cursor": cursor})

        return Pages(read)

    def _send(self, operation: str, method: str, path: str, body: Any, is_safe: bool) -> Any:
        return self._request(operation, method, path, is_safe, body=body)

    def _write(self, operation: str, path: str, body: Any, key: Optional[str]) -> Any:
        key = key or str(uuid.uuid4())
        if operation == "processTransaction":
            body = {"opaqueId": key, **body}
        at = datetime.now(timezone.utc).isoformat()
        write = {"id": key, "operation": operation, "path": path, "body": body, "at": at}
        self._pending.set(write)
        return self._finish(write)

    def _finish(self, write: PendingWrite) -> Any:
        try:
            result = self._request(
                write["operation"], "POST", write["path"], True, body=write["body"], key=write["id"]
            )
        except Refusal:
            self._pending.delete(write["id"])
            raise
        except Unavailable as error:
            raise OutcomeUnknown(write, error.request_id) from error
        self._pending.delete(write["id"])
        return result

    def _request(
        self,
        operation: str,
        method: str,
        path: str,
        is_safe: bool,
        *,
        body: Any = None,
        key: Optional[str] = None,
        wait: float = 0,
    ) -> Any:
        def once() -> _Answer:
            for is_first in (True, False):
                authorization = self._authorize() if self._authorize else f"Bearer {self._access_token()}"
                headers = {"Authorization": authorization} if authorization else {}
                if key is not None:
                    headers["Idempotency-Key"] = key
                answer = self._exchange(method, path, headers, body, wait)
                # A token can end before its time, when the secret is changed or the service has another key.
                if answer.status != 401 or not is_first or self._authorize:
                    return answer
                self._drop(authorization)
            raise AssertionError

        return self._retried(operation, once, is_safe)

    def _retried(self, operation: str, once: Callable[[], _Answer], is_safe: bool) -> Any:
        for attempt in range(1, self._attempts + 1):
            is_last = attempt == self._attempts
            pause = 0.1 * 2**attempt * (1 + random.random())
            try:
                answer = once()
            except (OSError, TimeoutError) as error:
                if is_last or not is_safe:
                    raise Unavailable(f"The service cannot be reached, or did not answer: {error}") from error
                time.sleep(pause)
                continue
            if answer.status < 400:
                ignored = answer.headers.get("Ignored-Members")
                if ignored and self._on_ignored:
                    self._on_ignored(operation, ignored.split(", "))
                is_json = "json" in answer.headers.get("Content-Type", "")
                return answer.json() if is_json or not answer.body else answer.body.decode()
            # 429 and 503 have done nothing, so that every request can be sent again.
            is_turned_away = answer.status in (429, 503)
            if not is_last and (is_turned_away or (answer.status >= 500 and is_safe)):
                asked = answer.headers.get("Retry-After", "")
                time.sleep(max(pause, float(asked) if asked.isdigit() else 0))
                continue
            refusal = _refusal_in(answer)
            if refusal and (answer.status < 500 or answer.status == 503):
                raise refusal
            raise Unavailable(f"The service answered with status {answer.status}.", answer.headers.get("X-Request-Id"))
        raise AssertionError

    def _exchange(
        self, method: str, path: str, headers: Mapping[str, str], body: Any = None, wait: float = 0
    ) -> _Answer:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._base + path, data=data, method=method)
        request.add_header("Accept", "application/json")
        if data is not None:
            request.add_header("Content-Type", "application/json")
        for name, value in headers.items():
            request.add_header(name, value)
        try:
            with self._open(request, self._timeout + wait) as response:
                return _Answer(response.status, response.headers, response.read())
        except urllib.error.HTTPError as error:
            with error:
                return _Answer(error.code, error.headers, error.read())

    def _open(self, request: urllib.request.Request, timeout: float) -> Any:
        return urllib.request.urlopen(request, timeout=timeout)

    def _access_token(self) -> str:
        # One thread asks, the others wait for it.
        with self._lock:
            token = self._token
            if token is None or time.time() > self._renew_at:
                answer: Token = self._retried("issueToken", self._ask_for_token, True)
                token = self._token = answer["accessToken"]
                self._renew_at = answer["expiresIn"] / 1000 - 60
            return token

    def _ask_for_token(self) -> _Answer:
        return self._exchange("POST", "/auth/token", self._credentials)

    def _drop(self, authorization: Optional[str]) -> None:
        with self._lock:
            if authorization == f"Bearer {self._token}":
                self._token = None


def _refusal_in(answer: _Answer) -> Optional[Refusal]:
    try:
        return Refusal(answer.json())
    except (ValueError, KeyError, TypeError):
        return None


def _query(query: Mapping[str, Any]) -> str:
    pairs = [(name, value) for name, value in query.items() if value is not None]
    return "?" + urllib.parse.urlencode(pairs, doseq=True) if pairs else ""


def _in_path(value: str) -> str:
    return urllib.parse.quote(value, safe="")


def verify_webhook(
    body: Union[str, bytes],
    headers: Mapping[str, str],
    secrets: Union[str, Sequence[str]],
    now: Optional[float] = None,
) -> "LoyaltyEvent":
    """The event, if one of the secrets has signed it within the last five minutes. `body` is exactly as received."""
    given = {name.lower(): value for name, value in headers.items()}
    try:
        id, timestamp, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError as error:
        raise InvalidSignature(f"The header {error} is missing.") from None
    if not timestamp.isdigit() or abs((time.time() if now is None else now) - int(timestamp)) > 300:
        raise InvalidSignature("The timestamp is too old, or ahead of this clock.")
    raw = body.encode() if isinstance(body, str) else body
    for secret in [secrets] if isinstance(secrets, str) else secrets:
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret)
        expected = base64.b64encode(hmac.new(key, f"{id}.{timestamp}.".encode() + raw, hashlib.sha256).digest())
        for signature in signatures.split(" "):
            if hmac.compare_digest(f"v1,{expected.decode()}", signature):
                event: LoyaltyEvent = json.loads(raw)
                return event
    raise InvalidSignature("No signature matches. Check the secret, and that the body is exactly as received.")


# Written by `npm run generate` from openapi.json.
if TYPE_CHECKING:
    from typing import Literal

    from typing_extensions import NotRequired, TypedDict

    Token = TypedDict("Token", {"accessToken": "str", "tokenType": "Literal[\"Bearer\"]", "expiresIn": "float", "expiresAt": "str", "refreshToken": "str"})
    TokenPair = TypedDict("TokenPair", {"accessToken": "str", "refreshToken": "str"})
    InvitationAcceptance = TypedDict("InvitationAcceptance", {"token": "str", "name": "NotRequired[str]", "password": "str"})
    Role = Literal["owner", "manager", "cashier"]
    OrganizationMode = Literal["live", "test"]
    SessionScope = Literal["pos", "manage", "people"]
    ConsoleSession = TypedDict("ConsoleSession", {"person": "dict[str, Any]", "organization": "dict[str, Any]", "liveOrganization": "NotRequired[dict[str, Any]]", "scopes": "list[SessionScope]", "user": "str", "branch": "str", "expiresAt": "str"})
    Credentials = TypedDict("Credentials", {"email": "str", "password": "str"})
    ForgottenPassword = TypedDict("ForgottenPassword", {"email": "str"})
    Accepted = TypedDict("Accepted", {})
    PasswordChange = TypedDict("PasswordChange", {"currentPassword": "str", "password": "str"})
    Visit = TypedDict("Visit", {"organization": "str"})
    Language = Literal["en", "de", "ar"]
    NewCustomer = TypedDict("NewCustomer", {"data": "dict[str, Any]", "metaData": "NotRequired[dict[str, Any]]", "consents": "NotRequired[dict[str, bool]]", "opaqueId": "NotRequired[str]", "language": "NotRequired[Language]"})
    Collectables = dict[str, dict[str, Any]]
    CustomerStatus = Literal[1, 2]
    ConsentSource = Literal["connection", "person", "message", "enrollment", "wallet", "import"]
    VerifiedAddresses = TypedDict("VerifiedAddresses", {"email": "bool", "phone": "bool"})
    BouncedAddresses = TypedDict("BouncedAddresses", {"email": "bool", "phone": "bool"})
    CardStatus = Literal[1, 2, 3, 4]
    Card = TypedDict("Card", {"id": "str", "barcode": "str", "status": "CardStatus", "awaitsApproval": "NotRequired[Literal[True]]", "campaign": "str", "campaignName": "str", "walletUrl": "NotRequired[str]", "createdAt": "str"})
    HeldTier = TypedDict("HeldTier", {"campaign": "str", "key": "str", "name": "str"})
    Customer = TypedDict("Customer", {"id": "str", "data": "dict[str, Any]", "collectables": "Collectables", "opaqueId": "Union[str, None]", "status": "CustomerStatus", "metaData": "NotRequired[dict[str, Any]]", "consents": "NotRequired[dict[str, Any]]", "language": "NotRequired[Language]", "verified": "VerifiedAddresses", "bounced": "BouncedAddresses", "createdAt": "str", "updatedAt": "str", "cards": "list[Card]", "tiers": "list[HeldTier]"})
    AwaitsApproval = Literal["true"]
    CustomerPage = TypedDict("CustomerPage", {"data": "list[Customer]", "nextCursor": "NotRequired[str]"})
    ExistingCustomer = TypedDict("ExistingCustomer", {"id": "str"})
    Registration = TypedDict("Registration", {"campaignId": "str", "customer": "Union[NewCustomer, ExistingCustomer]"})
    CouponStatus = Literal[1, 3, 4, 5]
    RewardKind = Literal["free_product", "amount_off", "percent_off"]
    Reward = TypedDict("Reward", {"key": "str", "name": "str", "kind": "RewardKind", "products": "NotRequired[list[str]]", "amount": "NotRequired[float]", "percent": "NotRequired[float]", "maxAmount": "NotRequired[float]"})
    Coupon = TypedDict("Coupon", {"id": "str", "status": "CouponStatus", "reward": "Reward", "expiresAt": "NotRequired[str]", "campaign": "NotRequired[str]", "customer": "NotRequired[str]", "customerName": "NotRequired[str]", "grantedBy": "NotRequired[str]", "redeemedBy": "NotRequired[str]", "createdAt": "NotRequired[str]", "endedAt": "NotRequired[str]"})
    CustomerWithCoupons = TypedDict("CustomerWithCoupons", {"id": "str", "data": "dict[str, Any]", "collectables": "Collectables", "opaqueId": "Union[str, None]", "status": "CustomerStatus", "metaData": "NotRequired[dict[str, Any]]", "consents": "NotRequired[dict[str, Any]]", "language": "NotRequired[Language]", "verified": "VerifiedAddresses", "bounced": "BouncedAddresses", "createdAt": "str", "updatedAt": "str", "cards": "list[Card]", "tiers": "list[HeldTier]", "coupons": "list[Coupon]", "matchedCard": "NotRequired[str]"})
    Expiration = TypedDict("Expiration", {"key": "str", "amount": "float", "at": "str"})
    CustomerWithExpiry = TypedDict("CustomerWithExpiry", {"id": "str", "data": "dict[str, Any]", "collectables": "Collectables", "opaqueId": "Union[str, None]", "status": "CustomerStatus", "metaData": "NotRequired[dict[str, Any]]", "consents": "NotRequired[dict[str, Any]]", "language": "NotRequired[Language]", "verified": "VerifiedAddresses", "bounced": "BouncedAddresses", "createdAt": "str", "updatedAt": "str", "cards": "list[Card]", "tiers": "list[HeldTier]", "coupons": "list[Coupon]", "expiring": "list[Expiration]"})
    CustomerPatch = TypedDict("CustomerPatch", {"data": "NotRequired[Union[dict[str, Any], None]]", "metaData": "NotRequired[Union[dict[str, Any], None]]", "consents": "NotRequired[Union[dict[str, Union[bool, None]], None]]", "opaqueId": "NotRequired[Union[str, None]]", "language": "NotRequired[Union[Language, None]]"})
    NoBody = TypedDict("NoBody", {})
    Adjustment = TypedDict("Adjustment", {"key": "str", "amount": "float", "reason": "str"})
    LedgerEntryKind = Literal["collect", "spend", "consume", "adjust", "expire", "return", "opening"]
    LedgerEntry = TypedDict("LedgerEntry", {"key": "str", "version": "int", "kind": "LedgerEntryKind", "amount": "float", "value": "float", "total": "float", "transaction": "NotRequired[str]", "campaign": "NotRequired[str]", "rule": "NotRequired[str]", "reason": "NotRequired[str]", "user": "NotRequired[str]", "createdAt": "str"})
    ErasedStatus = Literal[3]
    ErasedCustomer = TypedDict("ErasedCustomer", {"id": "str", "status": "ErasedStatus"})
    TransactionStatus = Literal[1, 2, 3]
    Totals = TypedDict("Totals", {"amount": "float", "discounts": "float", "coupons": "float", "points": "float", "due": "float"})
    WarningCode = Literal["discounts_disagree", "amount_differs", "coupon_discount_differs", "coupon_discount_elsewhere", "empty_basket", "no_receipt_number"]
    BasketWarning = TypedDict("BasketWarning", {"code": "WarningCode", "at": "str", "text": "str"})
    RedeemCouponAction = TypedDict("RedeemCouponAction", {"type": "Literal[\"redeem_coupon\"]", "coupon": "str", "item": "NotRequired[str]", "discount": "float"})
    SpendPointsAction = TypedDict("SpendPointsAction", {"type": "Literal[\"spend_points\"]", "key": "str", "amount": "float", "value": "float", "discount": "float"})
    CollectAction = TypedDict("CollectAction", {"type": "Literal[\"collect\"]", "key": "str", "amount": "float", "value": "float", "campaign": "str", "rule": "str"})
    GrantCouponAction = TypedDict("GrantCouponAction", {"type": "Literal[\"grant_coupon\"]", "coupon": "NotRequired[str]", "reward": "str", "campaign": "str", "key": "NotRequired[str]", "amount": "NotRequired[float]", "value": "NotRequired[float]"})
    ChangeTierAction = TypedDict("ChangeTierAction", {"type": "Literal[\"change_tier\"]", "tier": "NotRequired[str]", "campaign": "str"})
    ReturnBalanceAction = TypedDict("ReturnBalanceAction", {"type": "Literal[\"return\"]", "key": "str", "amount": "float", "value": "float", "settled": "NotRequired[float]"})
    ExpireBalanceAction = TypedDict("ExpireBalanceAction", {"type": "Literal[\"expire\"]", "key": "str", "amount": "float", "value": "float"})
    RevokeCouponAction = TypedDict("RevokeCouponAction", {"type": "Literal[\"revoke_coupon\"]", "coupon": "str"})
    RestoreCouponAction = TypedDict("RestoreCouponAction", {"type": "Literal[\"restore_coupon\"]", "coupon": "str"})
    Action = Union[RedeemCouponAction, SpendPointsAction, CollectAction, GrantCouponAction, ChangeTierAction, ReturnBalanceAction, ExpireBalanceAction, RevokeCouponAction, RestoreCouponAction]
    SkipReason = Literal["paused", "campaign_window", "window", "day", "time", "branch", "min_amount", "products", "categories", "first_transaction", "tier", "amount", "quantity", "nothing_to_multiply", "limit"]
    SkippedRule = TypedDict("SkippedRule", {"campaign": "str", "rule": "str", "reason": "SkipReason"})
    Progress = TypedDict("Progress", {"key": "str", "have": "float", "need": "float", "reward": "str"})
    ExecutedActions = TypedDict("ExecutedActions", {"collectables": "Collectables", "coupons": "list[Coupon]", "actions": "list[Action]", "skipped": "list[SkippedRule]", "progress": "list[Progress]"})
    BasketItem = TypedDict("BasketItem", {"id": "NotRequired[str]", "product": "NotRequired[str]", "name": "NotRequired[str]", "category": "NotRequired[str]", "quantity": "NotRequired[float]", "unitPrice": "NotRequired[float]", "amount": "NotRequired[float]", "discountAmount": "NotRequired[float]", "discountedAmount": "NotRequired[float]", "reward": "NotRequired[Union[str, list[str]]]"})
    CampaignRun = TypedDict("CampaignRun", {"id": "str", "version": "int"})
    ReturnedItem = TypedDict("ReturnedItem", {"id": "str", "quantity": "float"})
    SaleReturn = TypedDict("SaleReturn", {"id": "str", "transaction": "str", "opaqueId": "NotRequired[str]", "reason": "NotRequired[str]", "items": "list[ReturnedItem]", "amount": "NotRequired[float]", "pointsRestored": "float", "refundAmount": "float", "executedActions": "ExecutedActions", "createdAt": "str"})
    Transaction = TypedDict("Transaction", {"id": "str", "status": "TransactionStatus", "opaqueId": "NotRequired[str]", "customer": "str", "card": "str", "user": "NotRequired[str]", "userOpaqueId": "NotRequired[str]", "branch": "NotRequired[str]", "branchOpaqueId": "NotRequired[str]", "amount": "float", "payableAmount": "float", "totals": "Totals", "pointsSpent": "float", "pointsDiscount": "float", "occurredAt": "str", "warnings": "NotRequired[list[BasketWarning]]", "executedActions": "ExecutedActions", "customerName": "NotRequired[str]", "createdAt": "str", "discountAmount": "NotRequired[float]", "discountedAmount": "NotRequired[float]", "couponsIncluded": "NotRequired[bool]", "items": "list[BasketItem]", "metaData": "NotRequired[dict[str, Any]]", "campaigns": "list[CampaignRun]", "reward": "NotRequired[Union[str, list[str]]]", "returns": "list[SaleReturn]"})
    WalletKind = Literal["apple", "google"]
    PassOfCustomer = TypedDict("PassOfCustomer", {"wallet": "WalletKind", "card": "str", "isHeld": "bool", "phones": "int", "changedAt": "str"})
    ReceivedStatus = Literal[1, 2, 3, 4]
    ReceivedProblem = TypedDict("ReceivedProblem", {"code": "str", "text": "str"})
    ReceivedMessageWithContent = TypedDict("ReceivedMessageWithContent", {"id": "str", "source": "str", "status": "ReceivedStatus", "topic": "NotRequired[str]", "eventId": "NotRequired[str]", "attempts": "int", "nextAttemptAt": "NotRequired[str]", "customer": "NotRequired[str]", "transaction": "NotRequired[str]", "return": "NotRequired[str]", "problem": "NotRequired[ReceivedProblem]", "receivedAt": "str", "payload": "NotRequired[Any]", "made": "NotRequired[dict[str, Any]]"})
    CustomerExport = TypedDict("CustomerExport", {"customer": "CustomerWithExpiry", "transactions": "list[Transaction]", "ledger": "list[LedgerEntry]", "coupons": "list[Coupon]", "passes": "list[PassOfCustomer]", "received": "list[ReceivedMessageWithContent]"})
    TransactionPage = TypedDict("TransactionPage", {"data": "list[Transaction]", "nextCursor": "NotRequired[str]"})
    LedgerEntryPage = TypedDict("LedgerEntryPage", {"data": "list[LedgerEntry]", "nextCursor": "NotRequired[str]"})
    CouponPage = TypedDict("CouponPage", {"data": "list[Coupon]", "nextCursor": "NotRequired[str]"})
    Basket = TypedDict("Basket", {"customer": "NotRequired[str]", "card": "NotRequired[str]", "barcode": "NotRequired[str]", "items": "NotRequired[list[BasketItem]]", "amount": "NotRequired[float]", "discountAmount": "NotRequired[float]", "discountedAmount": "NotRequired[float]", "reward": "NotRequired[Union[str, list[str]]]", "couponsIncluded": "NotRequired[bool]", "pointsToSpend": "NotRequired[float]", "user": "NotRequired[str]", "branch": "NotRequired[str]", "opaqueId": "NotRequired[str]", "occurredAt": "NotRequired[str]", "metaData": "NotRequired[dict[str, Any]]"})
    PreviewedCoupon = TypedDict("PreviewedCoupon", {"status": "CouponStatus", "reward": "Reward", "expiresAt": "NotRequired[str]", "campaign": "NotRequired[str]"})
    PreviewedActions = TypedDict("PreviewedActions", {"collectables": "Collectables", "coupons": "list[PreviewedCoupon]", "actions": "list[Action]", "skipped": "list[SkippedRule]", "progress": "list[Progress]"})
    TransactionPreview = TypedDict("TransactionPreview", {"status": "TransactionStatus", "opaqueId": "NotRequired[str]", "customer": "str", "card": "str", "user": "NotRequired[str]", "userOpaqueId": "NotRequired[str]", "branch": "NotRequired[str]", "branchOpaqueId": "NotRequired[str]", "amount": "float", "payableAmount": "float", "totals": "Totals", "pointsSpent": "float", "pointsDiscount": "float", "occurredAt": "str", "warnings": "NotRequired[list[BasketWarning]]", "executedActions": "PreviewedActions", "spendable": "NotRequired[float]", "spendableBalance": "NotRequired[str]"})
    ProcessedTransaction = TypedDict("ProcessedTransaction", {"id": "str", "status": "TransactionStatus", "opaqueId": "NotRequired[str]", "customer": "str", "card": "str", "user": "NotRequired[str]", "userOpaqueId": "NotRequired[str]", "branch": "NotRequired[str]", "branchOpaqueId": "NotRequired[str]", "amount": "float", "payableAmount": "float", "totals": "Totals", "pointsSpent": "float", "pointsDiscount": "float", "occurredAt": "str", "warnings": "NotRequired[list[BasketWarning]]", "executedActions": "ExecutedActions", "createdAt": "str", "walletUrl": "NotRequired[str]"})
    ReturnRequest = TypedDict("ReturnRequest", {"opaqueId": "NotRequired[str]", "items": "NotRequired[list[dict[str, Any]]]", "amount": "NotRequired[float]", "reason": "NotRequired[str]"})
    ReturnPreview = TypedDict("ReturnPreview", {"transaction": "str", "opaqueId": "NotRequired[str]", "reason": "NotRequired[str]", "items": "list[ReturnedItem]", "amount": "NotRequired[float]", "pointsRestored": "float", "refundAmount": "float", "executedActions": "ExecutedActions"})
    NewCoupon = TypedDict("NewCoupon", {"customer": "str", "campaign": "str", "reward": "str"})
    CampaignStatus = Literal["draft", "published", "paused", "archived"]
    BalanceExpiry = TypedDict("BalanceExpiry", {"after": "NotRequired[str]", "endOf": "NotRequired[Literal[\"day\", \"month\", \"year\"]]", "inactivity": "NotRequired[str]"})
    BalanceDefinition = TypedDict("BalanceDefinition", {"key": "str", "name": "NotRequired[str]", "decimals": "NotRequired[int]", "expires": "NotRequired[BalanceExpiry]"})
    RuleConditions = TypedDict("RuleConditions", {"days": "NotRequired[list[Literal[\"mon\", \"tue\", \"wed\", \"thu\", \"fri\", \"sat\", \"sun\"]]]", "from": "NotRequired[str]", "to": "NotRequired[str]", "startsAt": "NotRequired[str]", "endsAt": "NotRequired[str]", "branches": "NotRequired[list[str]]", "minAmount": "NotRequired[float]", "products": "NotRequired[list[str]]", "categories": "NotRequired[list[str]]", "firstTransaction": "NotRequired[bool]", "tiers": "NotRequired[list[str]]"})
    RuleLimits = TypedDict("RuleLimits", {"perTransaction": "NotRequired[float]", "perDay": "NotRequired[float]", "perCustomer": "NotRequired[float]", "total": "NotRequired[float]"})
    PointsPerAmountRule = TypedDict("PointsPerAmountRule", {"id": "NotRequired[str]", "kind": "Literal[\"points_per_amount\"]", "balance": "str", "points": "float", "per": "float", "products": "NotRequired[list[str]]", "categories": "NotRequired[list[str]]", "when": "NotRequired[RuleConditions]", "limits": "NotRequired[RuleLimits]"})
    CollectPerItemRule = TypedDict("CollectPerItemRule", {"id": "NotRequired[str]", "kind": "Literal[\"collect_per_item\"]", "balance": "str", "amount": "float", "products": "NotRequired[list[str]]", "categories": "NotRequired[list[str]]", "when": "NotRequired[RuleConditions]", "limits": "NotRequired[RuleLimits]"})
    CollectPerVisitRule = TypedDict("CollectPerVisitRule", {"id": "NotRequired[str]", "kind": "Literal[\"collect_per_visit\"]", "balance": "str", "amount": "float", "when": "NotRequired[RuleConditions]", "limits": "NotRequired[RuleLimits]"})
    MultiplyRule = TypedDict("MultiplyRule", {"id": "NotRequired[str]", "kind": "Literal[\"multiply\"]", "balance": "str", "factor": "float", "when": "NotRequired[RuleConditions]", "limits": "NotRequired[RuleLimits]"})
    RuleDefinition = Union[PointsPerAmountRule, CollectPerItemRule, CollectPerVisitRule, MultiplyRule]
    FreeProductReward = TypedDict("FreeProductReward", {"key": "str", "name": "NotRequired[str]", "validDays": "NotRequired[int]", "kind": "Literal[\"free_product\"]", "products": "list[str]"})
    AmountOffReward = TypedDict("AmountOffReward", {"key": "str", "name": "NotRequired[str]", "validDays": "NotRequired[int]", "kind": "Literal[\"amount_off\"]", "amount": "float"})
    PercentOffReward = TypedDict("PercentOffReward", {"key": "str", "name": "NotRequired[str]", "validDays": "NotRequired[int]", "kind": "Literal[\"percent_off\"]", "percent": "float", "maxAmount": "NotRequired[float]"})
    RewardDefinition = Union[FreeProductReward, AmountOffReward, PercentOffReward]
    ThresholdDefinition = TypedDict("ThresholdDefinition", {"balance": "str", "at": "float", "grant": "str", "consume": "NotRequired[bool]"})
    SpendDefinition = TypedDict("SpendDefinition", {"balance": "str", "worth": "float", "min": "NotRequired[float]", "maxShare": "NotRequired[float]", "earns": "NotRequired[bool]"})
    TierDefinition = TypedDict("TierDefinition", {"key": "str", "name": "NotRequired[str]", "balance": "str", "from": "float"})
    Campaign = TypedDict("Campaign", {"id": "str", "status": "CampaignStatus", "version": "int", "hasChanges": "bool", "createdAt": "str", "updatedAt": "str", "name": "str", "balances": "list[BalanceDefinition]", "rules": "NotRequired[list[RuleDefinition]]", "rewards": "NotRequired[list[RewardDefinition]]", "thresholds": "NotRequired[list[ThresholdDefinition]]", "spend": "NotRequired[SpendDefinition]", "runsOn": "NotRequired[list[str]]", "startsAt": "NotRequired[str]", "endsAt": "NotRequired[str]", "tiers": "NotRequired[list[TierDefinition]]", "onInsufficientBalance": "NotRequired[Literal[\"floor\", \"negative\", \"reject\"]]"})
    CampaignPage = TypedDict("CampaignPage", {"data": "list[Campaign]", "nextCursor": "NotRequired[str]"})
    CampaignDefinition = TypedDict("CampaignDefinition", {"name": "str", "balances": "list[BalanceDefinition]", "rules": "NotRequired[list[RuleDefinition]]", "rewards": "NotRequired[list[RewardDefinition]]", "thresholds": "NotRequired[list[ThresholdDefinition]]", "spend": "NotRequired[SpendDefinition]", "runsOn": "NotRequired[list[str]]", "startsAt": "NotRequired[str]", "endsAt": "NotRequired[str]", "tiers": "NotRequired[list[TierDefinition]]", "onInsufficientBalance": "NotRequired[Literal[\"floor\", \"negative\", \"reject\"]]"})
    CampaignPatch = TypedDict("CampaignPatch", {"name": "NotRequired[str]", "balances": "NotRequired[list[BalanceDefinition]]", "rules": "NotRequired[Union[list[RuleDefinition], None]]", "rewards": "NotRequired[Union[list[RewardDefinition], None]]", "thresholds": "NotRequired[Union[list[ThresholdDefinition], None]]", "spend": "NotRequired[Union[dict[str, Any], None]]", "runsOn": "NotRequired[Union[list[str], None]]", "startsAt": "NotRequired[Union[str, None]]", "endsAt": "NotRequired[Union[str, None]]", "tiers": "NotRequired[Union[list[TierDefinition], None]]", "onInsufficientBalance": "NotRequired[Union[Literal[\"floor\", \"negative\", \"reject\"], None]]"})
    TriedItem = TypedDict("TriedItem", {"id": "NotRequired[str]", "product": "NotRequired[str]", "name": "NotRequired[str]", "category": "NotRequired[str]", "quantity": "NotRequired[float]", "unitPrice": "NotRequired[float]", "amount": "NotRequired[float]", "discountAmount": "NotRequired[float]", "discountedAmount": "NotRequired[float]"})
    TriedCollectables = dict[str, dict[str, Any]]
    TriedBasket = TypedDict("TriedBasket", {"items": "NotRequired[list[TriedItem]]", "amount": "NotRequired[float]", "discountAmount": "NotRequired[float]", "discountedAmount": "NotRequired[float]", "pointsToSpend": "NotRequired[float]", "branch": "NotRequired[str]", "occurredAt": "NotRequired[str]", "definition": "NotRequired[dict[str, Any]]", "wallet": "NotRequired[dict[str, Any]]"})
    Outcome = TypedDict("Outcome", {"amount": "float", "payableAmount": "float", "totals": "Totals", "pointsSpent": "float", "pointsDiscount": "float", "executedActions": "PreviewedActions"})
    DefinitionChange = TypedDict("DefinitionChange", {"place": "str", "before": "NotRequired[Any]", "after": "NotRequired[Any]"})
    CampaignVersion = TypedDict("CampaignVersion", {"version": "int", "publishedAt": "str", "definition": "CampaignDefinition", "changes": "list[DefinitionChange]"})
    CampaignVersionPage = TypedDict("CampaignVersionPage", {"data": "list[CampaignVersion]", "nextCursor": "NotRequired[str]"})
    CampaignChanges = TypedDict("CampaignChanges", {"from": "int", "to": "NotRequired[int]", "changes": "list[DefinitionChange]"})
    RuleSchema = TypedDict("RuleSchema", {"kind": "str", "title": "str", "description": "str", "schema": "dict[str, Any]"})
    RuleSchemas = TypedDict("RuleSchemas", {"rules": "list[RuleSchema]", "when": "dict[str, Any]", "limits": "dict[str, Any]", "reward": "list[RuleSchema]", "threshold": "dict[str, Any]", "tier": "dict[str, Any]", "spend": "dict[str, Any]", "balance": "dict[str, Any]", "campaign": "dict[str, Any]"})
    CampaignTemplate = TypedDict("CampaignTemplate", {"key": "str", "title": "str", "description": "str", "definition": "dict[str, Any]"})
    BacktestCards = Literal["own", "all"]
    BacktestRequest = TypedDict("BacktestRequest", {"from": "NotRequired[str]", "to": "NotRequired[str]", "cards": "NotRequired[BacktestCards]", "definition": "NotRequired[dict[str, Any]]"})
    BacktestProgress = TypedDict("BacktestProgress", {"done": "int", "of": "int"})
    BacktestFigures = TypedDict("BacktestFigures", {"collected": "dict[str, float]", "coupons": "int", "rewards": "dict[str, float]", "cost": "float"})
    BacktestDay = TypedDict("BacktestDay", {"day": "str", "sales": "int", "payableAmount": "float", "given": "BacktestFigures", "wouldGive": "BacktestFigures"})
    BacktestGroupKind = Literal["visits", "tier", "branch"]
    BacktestGroup = TypedDict("BacktestGroup", {"by": "BacktestGroupKind", "name": "str", "sales": "int", "payableAmount": "float", "given": "BacktestFigures", "wouldGive": "BacktestFigures"})
    BacktestRule = TypedDict("BacktestRule", {"rule": "str", "key": "str", "given": "float", "wouldGive": "float"})
    BacktestRow = TypedDict("BacktestRow", {"transaction": "str", "customer": "str", "occurredAt": "str", "payableAmount": "float", "given": "BacktestFigures", "wouldGive": "BacktestFigures", "rules": "list[BacktestRule]"})
    BacktestLeftOut = TypedDict("BacktestLeftOut", {"returned": "int", "otherCards": "int", "refused": "int"})
    BacktestResult = TypedDict("BacktestResult", {"from": "str", "to": "str", "cards": "BacktestCards", "sales": "int", "payableAmount": "float", "given": "BacktestFigures", "wouldGive": "BacktestFigures", "customers": "int", "days": "list[BacktestDay]", "groups": "list[BacktestGroup]", "rows": "list[BacktestRow]", "leftOut": "BacktestLeftOut", "salesShortOfPoints": "int", "couponsWithoutWorth": "int"})
    Backtest = TypedDict("Backtest", {"progress": "list[BacktestProgress]", "result": "BacktestResult"})
    EnrollmentMode = Literal["off", "open", "approval"]
    Enrollment = TypedDict("Enrollment", {"id": "str", "mode": "EnrollmentMode", "shortName": "NotRequired[str]", "url": "NotRequired[str]", "suggestion": "NotRequired[str]"})
    EnrollmentPatch = TypedDict("EnrollmentPatch", {"shortName": "NotRequired[str]", "mode": "NotRequired[EnrollmentMode]"})
    DirectoryEntry = TypedDict("DirectoryEntry", {"id": "str", "opaqueId": "str", "name": "NotRequired[str]", "category": "NotRequired[str]", "price": "NotRequired[float]", "branch": "NotRequired[str]", "branchOpaqueId": "NotRequired[str]", "createdAt": "str", "updatedAt": "str"})
    DirectoryEntryPage = TypedDict("DirectoryEntryPage", {"data": "list[DirectoryEntry]", "nextCursor": "NotRequired[str]"})
    ImportKind = Literal["customers", "products", "branches"]
    ExistingRows = Literal["keep", "update"]
    NewImport = TypedDict("NewImport", {"kind": "ImportKind", "campaign": "NotRequired[str]", "dryRun": "NotRequired[bool]", "existing": "NotRequired[ExistingRows]", "countTowardTotal": "NotRequired[bool]", "fileName": "NotRequired[str]", "fileHash": "NotRequired[str]", "columns": "NotRequired[dict[str, str]]"})
    ImportStatus = Literal["open", "finished"]
    Import = TypedDict("Import", {"id": "str", "status": "ImportStatus", "kind": "ImportKind", "campaign": "NotRequired[str]", "dryRun": "bool", "existing": "ExistingRows", "countTowardTotal": "bool", "fileName": "NotRequired[str]", "fileHash": "NotRequired[str]", "columns": "NotRequired[dict[str, str]]", "created": "int", "updated": "int", "unchanged": "int", "rejected": "int", "lastRow": "int", "createdAt": "str", "finishedAt": "NotRequired[str]"})
    DryRunFilter = Literal["true", "false"]
    ImportPage = TypedDict("ImportPage", {"data": "list[Import]", "nextCursor": "NotRequired[str]"})
    ImportProblemCode = Literal["unreadable", "missing", "invalid", "too_long", "duplicate", "taken", "unknown", "past", "differs", "blocked"]
    ImportRow = TypedDict("ImportRow", {"row": "int", "problems": "NotRequired[list[dict[str, Any]]]", "opaqueId": "NotRequired[str]", "fullname": "NotRequired[str]", "email": "NotRequired[str]", "phone": "NotRequired[str]", "language": "NotRequired[str]", "consents": "NotRequired[dict[str, bool]]", "metaData": "NotRequired[dict[str, Any]]", "cards": "NotRequired[list[dict[str, Any]]]", "balances": "NotRequired[list[dict[str, Any]]]", "name": "NotRequired[str]", "category": "NotRequired[str]", "price": "NotRequired[float]"})
    ImportRows = TypedDict("ImportRows", {"after": "int", "rows": "list[ImportRow]"})
    RowProblem = TypedDict("RowProblem", {"field": "str", "code": "ImportProblemCode", "otherRow": "NotRequired[int]", "message": "str"})
    RejectedRow = TypedDict("RejectedRow", {"row": "int", "problems": "list[RowProblem]"})
    ImportedRows = TypedDict("ImportedRows", {"created": "int", "updated": "int", "unchanged": "int", "rejected": "int", "rows": "list[RejectedRow]"})
    RejectedRowPage = TypedDict("RejectedRowPage", {"data": "list[RejectedRow]", "nextCursor": "NotRequired[str]"})
    ExportedCustomer = TypedDict("ExportedCustomer", {"id": "str", "opaqueId": "NotRequired[str]", "fullname": "NotRequired[str]", "email": "NotRequired[str]", "phone": "NotRequired[str]", "language": "NotRequired[str]", "consents": "NotRequired[dict[str, bool]]", "metaData": "NotRequired[dict[str, Any]]", "cards": "list[dict[str, Any]]", "balances": "list[dict[str, Any]]"})
    ExportedCustomerPage = TypedDict("ExportedCustomerPage", {"data": "list[ExportedCustomer]", "nextCursor": "NotRequired[str]"})
    Channel = Literal["email", "sms"]
    TillOrganization = TypedDict("TillOrganization", {"name": "str", "mode": "OrganizationMode", "country": "str", "currency": "str", "currencyDecimals": "int", "timezone": "str", "scopes": "list[SessionScope]", "channels": "list[Channel]", "consentText": "NotRequired[str]"})
    TillBalance = TypedDict("TillBalance", {"key": "str", "name": "str", "decimals": "int"})
    TillBalancePage = TypedDict("TillBalancePage", {"data": "list[TillBalance]", "nextCursor": "NotRequired[str]"})
    TillProduct = TypedDict("TillProduct", {"opaqueId": "str", "name": "NotRequired[str]", "category": "NotRequired[str]", "price": "NotRequired[float]"})
    TillProductPage = TypedDict("TillProductPage", {"data": "list[TillProduct]", "nextCursor": "NotRequired[str]"})
    TillBranch = TypedDict("TillBranch", {"opaqueId": "str", "name": "NotRequired[str]"})
    TillBranchPage = TypedDict("TillBranchPage", {"data": "list[TillBranch]", "nextCursor": "NotRequired[str]"})
    Summary = TypedDict("Summary", {"from": "str", "to": "str", "customers": "int", "activeCustomers": "int", "cards": "int", "transactions": "int", "returns": "int", "collected": "dict[str, float]", "spent": "dict[str, float]", "consumed": "dict[str, float]", "expired": "dict[str, float]", "adjusted": "dict[str, float]", "returned": "dict[str, float]", "outstanding": "dict[str, float]", "coupons": "dict[str, Any]"})
    DailyFigures = TypedDict("DailyFigures", {"day": "str", "customers": "int", "activeCustomers": "int", "cards": "int", "transactions": "int", "returns": "int", "collected": "dict[str, float]", "spent": "dict[str, float]", "consumed": "dict[str, float]", "expired": "dict[str, float]", "adjusted": "dict[str, float]", "returned": "dict[str, float]", "outstanding": "dict[str, float]", "coupons": "dict[str, Any]"})
    DailyFiguresList = TypedDict("DailyFiguresList", {"data": "list[DailyFigures]"})
    IntegrityProblemKind = Literal["balance", "coupon", "report"]
    IntegrityProblem = TypedDict("IntegrityProblem", {"kind": "IntegrityProblemKind", "customer": "NotRequired[str]", "description": "str"})
    Integrity = TypedDict("Integrity", {"ok": "bool", "checked": "dict[str, Any]", "problems": "list[IntegrityProblem]"})
    EventType = Literal["customer.created", "customer.changed", "customer.registered", "customer.erased", "consent.changed", "card.changed", "card.replaced", "transaction.processed", "transaction.returned", "balance.adjusted", "balance.expired", "coupon.granted", "coupon.redeemed", "coupon.revoked", "coupon.expired", "tier.changed", "pass.added", "pass.removed", "import.finished", "organization.changed", "campaign.published", "message.sent", "message.failed", "message.bounced", "webhook.paused", "connection.revoked"]
    ActorKind = Literal["connection", "person", "operator", "customer"]
    EventActor = TypedDict("EventActor", {"kind": "ActorKind", "id": "NotRequired[str]"})
    CustomerCreatedEvent = TypedDict("CustomerCreatedEvent", {"id": "str", "type": "Literal[\"customer.created\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    CustomerChangedEvent = TypedDict("CustomerChangedEvent", {"id": "str", "type": "Literal[\"customer.changed\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    CustomerRegisteredEvent = TypedDict("CustomerRegisteredEvent", {"id": "str", "type": "Literal[\"customer.registered\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    CustomerErasedEvent = TypedDict("CustomerErasedEvent", {"id": "str", "type": "Literal[\"customer.erased\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    ConsentChangedEvent = TypedDict("ConsentChangedEvent", {"id": "str", "type": "Literal[\"consent.changed\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    CardChangedEvent = TypedDict("CardChangedEvent", {"id": "str", "type": "Literal[\"card.changed\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    CardReplacedEvent = TypedDict("CardReplacedEvent", {"id": "str", "type": "Literal[\"card.replaced\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    TransactionProcessedEvent = TypedDict("TransactionProcessedEvent", {"id": "str", "type": "Literal[\"transaction.processed\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    TransactionReturnedEvent = TypedDict("TransactionReturnedEvent", {"id": "str", "type": "Literal[\"transaction.returned\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    BalanceAdjustedEvent = TypedDict("BalanceAdjustedEvent", {"id": "str", "type": "Literal[\"balance.adjusted\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    BalanceExpiredEvent = TypedDict("BalanceExpiredEvent", {"id": "str", "type": "Literal[\"balance.expired\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    CouponGrantedEvent = TypedDict("CouponGrantedEvent", {"id": "str", "type": "Literal[\"coupon.granted\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    CouponRedeemedEvent = TypedDict("CouponRedeemedEvent", {"id": "str", "type": "Literal[\"coupon.redeemed\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    CouponRevokedEvent = TypedDict("CouponRevokedEvent", {"id": "str", "type": "Literal[\"coupon.revoked\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    CouponExpiredEvent = TypedDict("CouponExpiredEvent", {"id": "str", "type": "Literal[\"coupon.expired\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    TierChangedEvent = TypedDict("TierChangedEvent", {"id": "str", "type": "Literal[\"tier.changed\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    PassAddedEvent = TypedDict("PassAddedEvent", {"id": "str", "type": "Literal[\"pass.added\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    PassRemovedEvent = TypedDict("PassRemovedEvent", {"id": "str", "type": "Literal[\"pass.removed\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    ImportFinishedEvent = TypedDict("ImportFinishedEvent", {"id": "str", "type": "Literal[\"import.finished\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    OrganizationChangedEvent = TypedDict("OrganizationChangedEvent", {"id": "str", "type": "Literal[\"organization.changed\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    CampaignPublishedEvent = TypedDict("CampaignPublishedEvent", {"id": "str", "type": "Literal[\"campaign.published\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    MessageKind = Literal["card_link", "verification_code", "card_opened", "reward_earned", "coupon_expiring", "points_expiring", "birthday", "not_seen", "invitation", "password_reset", "webhook_paused", "test"]
    MessageSentEvent = TypedDict("MessageSentEvent", {"id": "str", "type": "Literal[\"message.sent\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    MessageFailedEvent = TypedDict("MessageFailedEvent", {"id": "str", "type": "Literal[\"message.failed\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    MessageBouncedEvent = TypedDict("MessageBouncedEvent", {"id": "str", "type": "Literal[\"message.bounced\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    PauseReason = Literal["manual", "failing", "gone"]
    WebhookPausedEvent = TypedDict("WebhookPausedEvent", {"id": "str", "type": "Literal[\"webhook.paused\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    ConnectionRevokedEvent = TypedDict("ConnectionRevokedEvent", {"id": "str", "type": "Literal[\"connection.revoked\"]", "timestamp": "str", "position": "int", "cursor": "str", "mode": "OrganizationMode", "data": "dict[str, Any]"})
    LoyaltyEvent = Union[CustomerCreatedEvent, CustomerChangedEvent, CustomerRegisteredEvent, CustomerErasedEvent, ConsentChangedEvent, CardChangedEvent, CardReplacedEvent, TransactionProcessedEvent, TransactionReturnedEvent, BalanceAdjustedEvent, BalanceExpiredEvent, CouponGrantedEvent, CouponRedeemedEvent, CouponRevokedEvent, CouponExpiredEvent, TierChangedEvent, PassAddedEvent, PassRemovedEvent, ImportFinishedEvent, OrganizationChangedEvent, CampaignPublishedEvent, MessageSentEvent, MessageFailedEvent, MessageBouncedEvent, WebhookPausedEvent, ConnectionRevokedEvent]
    EventList = TypedDict("EventList", {"data": "list[LoyaltyEvent]", "cursor": "str", "hasMore": "bool"})
    NewWebhook = TypedDict("NewWebhook", {"url": "str", "description": "NotRequired[str]", "types": "NotRequired[list[EventType]]"})
    WebhookStatus = Literal["active", "paused"]
    WebhookWithSecret = TypedDict("WebhookWithSecret", {"id": "str", "url": "str", "description": "NotRequired[str]", "types": "NotRequired[list[EventType]]", "status": "WebhookStatus", "pausedBecause": "NotRequired[PauseReason]", "failingSince": "NotRequired[str]", "createdAt": "str", "updatedAt": "str", "secret": "str"})
    Webhook = TypedDict("Webhook", {"id": "str", "url": "str", "description": "NotRequired[str]", "types": "NotRequired[list[EventType]]", "status": "WebhookStatus", "pausedBecause": "NotRequired[PauseReason]", "failingSince": "NotRequired[str]", "createdAt": "str", "updatedAt": "str"})
    WebhookPage = TypedDict("WebhookPage", {"data": "list[Webhook]", "nextCursor": "NotRequired[str]"})
    PatchWebhook = TypedDict("PatchWebhook", {"url": "NotRequired[str]", "description": "NotRequired[Union[str, None]]", "types": "NotRequired[Union[list[EventType], None]]", "status": "NotRequired[WebhookStatus]"})
    Rotation = TypedDict("Rotation", {"overlapSeconds": "NotRequired[int]"})
    DeliveryStatus = Literal[1, 2, 3]
    DeliveryAttempt = TypedDict("DeliveryAttempt", {"at": "str", "durationMs": "int", "status": "NotRequired[int]", "error": "NotRequired[str]", "response": "NotRequired[str]"})
    Delivery = TypedDict("Delivery", {"id": "str", "webhook": "str", "event": "str", "type": "str", "status": "DeliveryStatus", "attempts": "list[DeliveryAttempt]", "nextAttemptAt": "NotRequired[str]", "createdAt": "str"})
    DeliveryPage = TypedDict("DeliveryPage", {"data": "list[Delivery]", "nextCursor": "NotRequired[str]"})
    ReplayRange = TypedDict("ReplayRange", {"from": "str", "to": "NotRequired[str]"})
    Replayed = TypedDict("Replayed", {"deliveries": "int"})
    SourceKind = Literal["square", "shopify", "json"]
    SourceEnvironment = Literal["production", "sandbox"]
    NewSource = TypedDict("NewSource", {"kind": "SourceKind", "name": "str", "campaign": "NotRequired[str]", "registersCustomers": "NotRequired[bool]", "secret": "NotRequired[str]", "environment": "NotRequired[SourceEnvironment]", "mapping": "NotRequired[str]", "accessToken": "NotRequired[str]", "signatureHeader": "NotRequired[str]"})
    SourceStatus = Literal["active", "paused"]
    SourceWithSecret = TypedDict("SourceWithSecret", {"id": "str", "kind": "SourceKind", "name": "str", "status": "SourceStatus", "url": "str", "campaign": "NotRequired[str]", "registersCustomers": "bool", "hasSecret": "bool", "hasAccessToken": "NotRequired[bool]", "environment": "NotRequired[SourceEnvironment]", "signatureHeader": "NotRequired[str]", "mapping": "NotRequired[str]", "lastReceivedAt": "NotRequired[str]", "lastRejectedAt": "NotRequired[str]", "createdAt": "str", "updatedAt": "str", "secret": "NotRequired[str]"})
    Source = TypedDict("Source", {"id": "str", "kind": "SourceKind", "name": "str", "status": "SourceStatus", "url": "str", "campaign": "NotRequired[str]", "registersCustomers": "bool", "hasSecret": "bool", "hasAccessToken": "NotRequired[bool]", "environment": "NotRequired[SourceEnvironment]", "signatureHeader": "NotRequired[str]", "mapping": "NotRequired[str]", "lastReceivedAt": "NotRequired[str]", "lastRejectedAt": "NotRequired[str]", "createdAt": "str", "updatedAt": "str"})
    SourcePage = TypedDict("SourcePage", {"data": "list[Source]", "nextCursor": "NotRequired[str]"})
    PatchSource = TypedDict("PatchSource", {"name": "NotRequired[str]", "status": "NotRequired[SourceStatus]", "campaign": "NotRequired[Union[str, None]]", "registersCustomers": "NotRequired[bool]", "secret": "NotRequired[str]", "environment": "NotRequired[SourceEnvironment]", "mapping": "NotRequired[str]", "accessToken": "NotRequired[Union[str, None]]", "signatureHeader": "NotRequired[Union[str, None]]"})
    TrySource = TypedDict("TrySource", {"payload": "Any", "topic": "NotRequired[str]", "mapping": "NotRequired[str]"})
    SourceTrial = TypedDict("SourceTrial", {"made": "NotRequired[dict[str, Any]]", "transaction": "NotRequired[TransactionPreview]", "problem": "NotRequired[ReceivedProblem]"})
    ReceivedMessage = TypedDict("ReceivedMessage", {"id": "str", "source": "str", "status": "ReceivedStatus", "topic": "NotRequired[str]", "eventId": "NotRequired[str]", "attempts": "int", "nextAttemptAt": "NotRequired[str]", "customer": "NotRequired[str]", "transaction": "NotRequired[str]", "return": "NotRequired[str]", "problem": "NotRequired[ReceivedProblem]", "receivedAt": "str"})
    ReceivedMessagePage = TypedDict("ReceivedMessagePage", {"data": "list[ReceivedMessage]", "nextCursor": "NotRequired[str]"})
    MailSecurity = Literal["tls", "starttls", "none"]
    EmailSettings = TypedDict("EmailSettings", {"host": "str", "port": "int", "security": "MailSecurity", "user": "NotRequired[str]", "hasPassword": "bool", "from": "str", "replyTo": "NotRequired[str]"})
    SmsSettings = TypedDict("SmsSettings", {"url": "str"})
    Sender = TypedDict("Sender", {"channel": "Channel", "email": "NotRequired[EmailSettings]", "sms": "NotRequired[SmsSettings]", "perHour": "int", "failingSince": "NotRequired[str]", "lastError": "NotRequired[str]", "createdAt": "str", "updatedAt": "str"})
    SenderList = TypedDict("SenderList", {"data": "list[Sender]"})
    EmailSenderInput = TypedDict("EmailSenderInput", {"host": "str", "port": "int", "security": "MailSecurity", "user": "NotRequired[str]", "password": "NotRequired[str]", "from": "str", "replyTo": "NotRequired[str]", "perHour": "NotRequired[int]"})
    SmsSenderInput = TypedDict("SmsSenderInput", {"url": "str", "perHour": "NotRequired[int]", "newSecret": "NotRequired[bool]"})
    SmsSender = TypedDict("SmsSender", {"channel": "Channel", "email": "NotRequired[EmailSettings]", "sms": "NotRequired[SmsSettings]", "perHour": "int", "failingSince": "NotRequired[str]", "lastError": "NotRequired[str]", "createdAt": "str", "updatedAt": "str", "secret": "NotRequired[str]"})
    EmailTest = TypedDict("EmailTest", {"email": "str"})
    MessageStatus = Literal[1, 2, 3, 4, 5, 6]
    MessageFailure = Literal["customer_erased", "customer_blocked", "no_address", "address_bounced", "no_consent", "no_card", "coupon_over", "person_removed", "only_email", "no_longer_kept", "no_sender", "interrupted", "secret_unreadable", "login_refused", "sender_refused", "message_refused", "try_later", "address_invalid", "not_confirmed", "not_allowed", "no_safe_connection", "unreachable", "provider_failed", "bounced"]
    MessageAttempt = TypedDict("MessageAttempt", {"at": "str", "code": "NotRequired[MessageFailure]", "error": "NotRequired[str]", "response": "NotRequired[str]"})
    Message = TypedDict("Message", {"id": "str", "kind": "MessageKind", "channel": "Channel", "status": "MessageStatus", "customer": "NotRequired[str]", "card": "NotRequired[str]", "person": "NotRequired[str]", "attempts": "list[MessageAttempt]", "nextAttemptAt": "NotRequired[str]", "sentAt": "NotRequired[str]", "clickedAt": "NotRequired[str]", "createdAt": "str"})
    SmsTest = TypedDict("SmsTest", {"phone": "str"})
    MessageCounts = TypedDict("MessageCounts", {"pending": "int", "sent": "int", "failed": "int", "clicked": "int"})
    MessageKindSettings = TypedDict("MessageKindSettings", {"kind": "MessageKind", "automatic": "bool", "marketing": "bool", "channels": "list[Channel]", "days": "NotRequired[int]", "placeholders": "list[str]", "counts": "MessageCounts"})
    MessageKindList = TypedDict("MessageKindList", {"data": "list[MessageKindSettings]"})
    MessageKindPatch = TypedDict("MessageKindPatch", {"channels": "NotRequired[list[Channel]]", "days": "NotRequired[int]"})
    MessageTextView = TypedDict("MessageTextView", {"kind": "MessageKind", "channel": "Channel", "language": "Language", "subject": "NotRequired[str]", "body": "str", "own": "bool"})
    MessageTextList = TypedDict("MessageTextList", {"data": "list[MessageTextView]"})
    MessageText = TypedDict("MessageText", {"subject": "NotRequired[str]", "body": "str"})
    MessagePreviewInput = TypedDict("MessagePreviewInput", {"channel": "Channel", "language": "Language", "subject": "NotRequired[str]", "body": "NotRequired[str]"})
    MessagePreview = TypedDict("MessagePreview", {"subject": "str", "text": "str", "html": "str"})
    NewMessage = TypedDict("NewMessage", {"card": "str", "channel": "NotRequired[Channel]"})
    MessagePage = TypedDict("MessagePage", {"data": "list[Message]", "nextCursor": "NotRequired[str]"})
    OrganizationContact = TypedDict("OrganizationContact", {"address": "NotRequired[str]", "openingHours": "NotRequired[str]", "phone": "NotRequired[str]", "email": "NotRequired[str]", "website": "NotRequired[str]", "termsUrl": "NotRequired[str]", "privacyUrl": "NotRequired[str]", "consentText": "NotRequired[str]"})
    Organization = TypedDict("Organization", {"id": "str", "name": "str", "country": "str", "currency": "str", "timezone": "str", "locale": "str", "color": "NotRequired[str]", "logo": "NotRequired[str]", "contact": "OrganizationContact", "strictReferences": "bool", "maxBackdateDays": "int", "subscription": "dict[str, Any]", "isDemo": "bool", "mode": "OrganizationMode", "createdAt": "str"})
    OrganizationContactPatch = TypedDict("OrganizationContactPatch", {"address": "NotRequired[Union[str, None]]", "openingHours": "NotRequired[Union[str, None]]", "phone": "NotRequired[Union[str, None]]", "email": "NotRequired[Union[str, None]]", "website": "NotRequired[Union[str, None]]", "termsUrl": "NotRequired[Union[str, None]]", "privacyUrl": "NotRequired[Union[str, None]]", "consentText": "NotRequired[Union[str, None]]"})
    OrganizationPatch = TypedDict("OrganizationPatch", {"name": "NotRequired[str]", "locale": "NotRequired[str]", "timezone": "NotRequired[str]", "color": "NotRequired[Union[str, None]]", "logo": "NotRequired[Union[str, None]]", "contact": "NotRequired[Union[OrganizationContactPatch, None]]", "strictReferences": "NotRequired[bool]", "maxBackdateDays": "NotRequired[int]"})
    TestOrganization = TypedDict("TestOrganization", {"id": "str", "name": "str", "now": "str", "createdAt": "str"})
    TestOrganizationList = TypedDict("TestOrganizationList", {"data": "list[TestOrganization]"})
    CopiedPart = Literal["settings", "campaigns", "branches", "products", "messages"]
    NewTestOrganization = TypedDict("NewTestOrganization", {"name": "str", "copy": "NotRequired[list[CopiedPart]]"})
    TestOrganizationWithCredentials = TypedDict("TestOrganizationWithCredentials", {"id": "str", "name": "str", "now": "str", "createdAt": "str", "connection": "str", "apiKey": "str", "apiSecret": "str"})
    TestClock = TypedDict("TestClock", {"now": "str", "aheadSeconds": "float"})
    ClockAdvance = TypedDict("ClockAdvance", {"to": "NotRequired[str]", "by": "NotRequired[str]"})
    AdvancedClock = TypedDict("AdvancedClock", {"now": "str", "aheadSeconds": "float", "to": "str", "isDone": "bool", "events": "list[dict[str, Any]]", "firstEvent": "NotRequired[str]", "lastEvent": "NotRequired[str]"})
    PassKeysSource = Literal["organization", "installation"]
    PassProblemCode = Literal["certificate_unreadable", "key_unreadable", "key_mismatch", "key_not_rsa", "certificate_expired", "certificate_not_yet_valid", "certificate_expires_soon", "not_a_pass_certificate", "wrong_pass_type", "wrong_team", "chain_missing", "chain_mismatch", "chain_expired", "service_account_unreadable", "issuer_invalid", "sealed_elsewhere"]
    PassProblem = TypedDict("PassProblem", {"code": "PassProblemCode", "message": "str", "isWarning": "bool"})
    ApplePasses = TypedDict("ApplePasses", {"source": "PassKeysSource", "isOffered": "bool", "problems": "list[PassProblem]", "passType": "NotRequired[str]", "team": "NotRequired[str]", "validFrom": "NotRequired[str]", "expiresAt": "NotRequired[str]"})
    GooglePasses = TypedDict("GooglePasses", {"source": "PassKeysSource", "isOffered": "bool", "problems": "list[PassProblem]", "issuer": "NotRequired[str]", "serviceAccount": "NotRequired[str]"})
    PassBarcode = Literal["code128", "qr"]
    WalletPasses = TypedDict("WalletPasses", {"apple": "NotRequired[ApplePasses]", "google": "NotRequired[GooglePasses]", "barcode": "PassBarcode"})
    ApplePassKeys = TypedDict("ApplePassKeys", {"certificate": "str", "privateKey": "str", "passphrase": "NotRequired[str]", "intermediate": "NotRequired[str]", "passType": "NotRequired[str]", "team": "NotRequired[str]"})
    GooglePassKeys = TypedDict("GooglePassKeys", {"issuer": "str", "serviceAccount": "str"})
    PatchWalletPasses = TypedDict("PatchWalletPasses", {"apple": "NotRequired[Union[ApplePassKeys, None]]", "google": "NotRequired[Union[GooglePassKeys, None]]", "barcode": "NotRequired[PassBarcode]"})
    NewOrganization = TypedDict("NewOrganization", {"name": "str", "currency": "NotRequired[str]", "country": "NotRequired[str]", "timezone": "NotRequired[str]", "locale": "NotRequired[str]"})
    OrganizationPage = TypedDict("OrganizationPage", {"data": "list[Organization]", "nextCursor": "NotRequired[str]"})
    OrganizationRegionPatch = TypedDict("OrganizationRegionPatch", {"name": "NotRequired[str]", "country": "NotRequired[str]", "timezone": "NotRequired[str]", "locale": "NotRequired[str]"})
    SubscriptionChange = TypedDict("SubscriptionChange", {"active": "bool"})
    NewIntegration = TypedDict("NewIntegration", {"name": "str"})
    IntegrationWithKey = TypedDict("IntegrationWithKey", {"id": "str", "name": "str", "createdAt": "str", "apiKey": "str"})
    Integration = TypedDict("Integration", {"id": "str", "name": "str", "createdAt": "str"})
    IntegrationPage = TypedDict("IntegrationPage", {"data": "list[Integration]", "nextCursor": "NotRequired[str]"})
    Scope = Literal["pos", "manage"]
    NewOrganizationConnection = TypedDict("NewOrganizationConnection", {"integration": "str", "scopes": "NotRequired[list[Scope]]"})
    ConnectionWithSecret = TypedDict("ConnectionWithSecret", {"id": "str", "organization": "str", "integration": "str", "scopes": "list[Scope]", "createdAt": "str", "apiSecret": "str"})
    Connection = TypedDict("Connection", {"id": "str", "organization": "str", "integration": "str", "scopes": "list[Scope]", "createdAt": "str"})
    ConnectionPage = TypedDict("ConnectionPage", {"data": "list[Connection]", "nextCursor": "NotRequired[str]"})
    PersonStatus = Literal["invited", "active", "blocked"]
    Person = TypedDict("Person", {"id": "str", "email": "str", "name": "NotRequired[str]", "role": "Role", "status": "PersonStatus", "lastSeenAt": "NotRequired[str]", "createdAt": "str"})
    PersonPage = TypedDict("PersonPage", {"data": "list[Person]", "nextCursor": "NotRequired[str]"})
    NewPerson = TypedDict("NewPerson", {"email": "str", "name": "NotRequired[str]", "role": "Role"})
    Invitation = TypedDict("Invitation", {"url": "str", "expiresAt": "str", "emailed": "bool"})
    InvitedPerson = TypedDict("InvitedPerson", {"id": "str", "email": "str", "name": "NotRequired[str]", "role": "Role", "status": "PersonStatus", "lastSeenAt": "NotRequired[str]", "createdAt": "str", "invitation": "Invitation"})
    ChosenPersonStatus = Literal["active", "blocked"]
    PersonPatch = TypedDict("PersonPatch", {"name": "NotRequired[Union[str, None]]", "role": "NotRequired[Role]", "status": "NotRequired[ChosenPersonStatus]", "revokeConnections": "NotRequired[bool]"})
    RevokeConnections = Literal["true", "false"]
    ConnectionStatus = Literal["active", "revoked"]
    OwnConnection = TypedDict("OwnConnection", {"id": "str", "name": "NotRequired[str]", "integration": "str", "scopes": "list[Scope]", "user": "str", "status": "ConnectionStatus", "createdAt": "str", "issuedTo": "NotRequired[str]", "lastUsedAt": "NotRequired[str]"})
    OwnConnectionPage = TypedDict("OwnConnectionPage", {"data": "list[OwnConnection]", "nextCursor": "NotRequired[str]"})
    NewConnection = TypedDict("NewConnection", {"name": "str", "scopes": "NotRequired[list[Scope]]"})
    OwnConnectionWithCredentials = TypedDict("OwnConnectionWithCredentials", {"id": "str", "name": "NotRequired[str]", "integration": "str", "scopes": "list[Scope]", "user": "str", "status": "ConnectionStatus", "createdAt": "str", "issuedTo": "NotRequired[str]", "lastUsedAt": "NotRequired[str]", "apiKey": "str", "apiSecret": "str"})
    NewSecret = TypedDict("NewSecret", {"id": "str", "apiSecret": "str"})
    Revocation = TypedDict("Revocation", {"revokeConnections": "NotRequired[bool]"})
    RequestOutcome = Literal["ok", "refused", "failed"]
    CallerKind = Literal["connection", "person"]
    LoggedRequest = TypedDict("LoggedRequest", {"id": "str", "requestId": "str", "at": "str", "method": "str", "path": "str", "route": "NotRequired[str]", "status": "int", "durationMs": "float", "by": "dict[str, Any]", "errorCode": "NotRequired[str]"})
    LoggedRequestPage = TypedDict("LoggedRequestPage", {"data": "list[LoggedRequest]", "nextCursor": "NotRequired[str]"})
    LoggedRequestDetails = TypedDict("LoggedRequestDetails", {"id": "str", "requestId": "str", "at": "str", "method": "str", "path": "str", "route": "NotRequired[str]", "status": "int", "durationMs": "float", "by": "dict[str, Any]", "errorCode": "NotRequired[str]", "query": "NotRequired[Any]", "requestBody": "NotRequired[Any]", "replyBody": "NotRequired[Any]", "isTruncated": "NotRequired[bool]", "error": "NotRequired[dict[str, Any]]"})
    AuditEntry = TypedDict("AuditEntry", {"id": "str", "at": "str", "by": "dict[str, Any]", "action": "str", "subject": "NotRequired[dict[str, Any]]", "details": "NotRequired[Any]", "isTruncated": "NotRequired[bool]"})
    AuditEntryPage = TypedDict("AuditEntryPage", {"data": "list[AuditEntry]", "nextCursor": "NotRequired[str]"})
    WalletVisit = TypedDict("WalletVisit", {"id": "str", "at": "str", "amount": "float", "collected": "dict[str, float]", "spent": "NotRequired[dict[str, float]]", "branchName": "NotRequired[str]", "isReturned": "NotRequired[Literal[True]]", "isPartlyReturned": "NotRequired[Literal[True]]"})
    WalletCard = TypedDict("WalletCard", {"organization": "dict[str, Any]", "card": "dict[str, Any]", "firstName": "NotRequired[str]", "language": "NotRequired[Language]", "balances": "list[dict[str, Any]]", "progress": "list[dict[str, Any]]", "coupons": "list[dict[str, Any]]", "expiring": "list[Expiration]", "tiers": "list[HeldTier]", "spend": "NotRequired[dict[str, Any]]", "visits": "list[WalletVisit]", "moreVisits": "NotRequired[str]", "contacts": "list[dict[str, Any]]", "unconfirmed": "list[dict[str, Any]]", "passes": "list[WalletKind]", "updatedAt": "str"})
    WalletVisitPage = TypedDict("WalletVisitPage", {"data": "list[WalletVisit]", "nextCursor": "NotRequired[str]"})
    WalletReceipt = TypedDict("WalletReceipt", {"id": "str", "at": "str", "amount": "float", "collected": "dict[str, float]", "spent": "NotRequired[dict[str, float]]", "branchName": "NotRequired[str]", "isReturned": "NotRequired[Literal[True]]", "isPartlyReturned": "NotRequired[Literal[True]]", "receiptNumber": "NotRequired[str]", "items": "list[dict[str, Any]]", "totals": "Totals", "redeemed": "list[dict[str, Any]]", "granted": "list[dict[str, Any]]", "returns": "list[dict[str, Any]]"})
    LostWallet = TypedDict("LostWallet", {"organization": "dict[str, Any]", "channels": "list[Channel]"})
    LostLink = TypedDict("LostLink", {"email": "NotRequired[str]", "phone": "NotRequired[str]"})
    Liveness = TypedDict("Liveness", {"live": "Literal[True]"})
    Readiness = TypedDict("Readiness", {"ready": "Literal[True]"})
    ApiError = TypedDict("ApiError", {"statuscode": "int", "errorcode": "int", "message": "ErrorCode", "description": "str", "timestamp": "int", "path": "str", "method": "str", "requestId": "str", "help": "str", "field": "NotRequired[str]", "transaction": "NotRequired[str]", "customer": "NotRequired[str]", "cursor": "NotRequired[str]", "problems": "NotRequired[list[str]]"})
    ErrorCode = Literal["_invalid_payload", "_unauthorized", "_jwt_malformed", "_jwt_expired", "_invalid_credentials", "_invalid_refresh_token", "invalid_subscription", "_forbidden", "_not_found", "_method_not_allowed", "_payload_too_large", "_unsupported_media_type", "_too_many_requests", "_unavailable", "_internal_error", "idempotency_key_reused", "idempotency_key_in_use", "organization_not_found", "integration_not_found", "connection_not_found", "person_not_found", "existing_person_with_email", "too_many_people", "last_owner", "invalid_invitation", "weak_password", "too_many_connections", "connection_revoked", "live_organization_required", "test_organization_required", "test_organization_not_found", "too_many_test_organizations", "webhook_not_found", "webhook_paused", "too_many_webhooks", "sender_not_found", "message_not_found", "message_kind_not_found", "message_already_sent", "import_not_found", "import_finished", "import_rows_differ", "source_not_found", "too_many_sources", "received_message_not_found", "received_message_not_kept", "invalid_signature", "delivery_not_found", "event_not_kept", "request_not_found", "cursor_expired", "invalid_campaign", "invalid_campaign_definition", "campaign_not_found", "short_name_taken", "enrollment_closed", "invalid_proof", "customer_not_found", "customer_not_active", "invalid_code", "code_expired", "customer_not_reachable", "invalid_phone", "existing_customer_with_email", "existing_customer_with_phone", "opaque_id_already_exists", "card_not_found", "card_not_active", "wallet_revoked", "transaction_not_found", "transaction_archived", "transaction_already_exists", "invalid_product", "invalid_user", "invalid_branch", "product_not_found", "user_not_found", "branch_not_found", "coupon_not_found", "coupon_already_redeemed", "coupon_expired", "coupon_revoked", "coupon_not_applicable", "points_not_spendable", "insufficient_points", "points_below_minimum", "points_above_share", "return_exceeds_sale"]


class LoyaltyWallet(_Client):
    """The service, by the operations of its API reference: IDs first, then the body, and queries by name."""

    def list_customers(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, q: Optional[str] = None, status: Optional[CustomerStatus] = None, from_: Optional[str] = None, to: Optional[str] = None, active_from: Optional[str] = None, active_to: Optional[str] = None, holds: Optional[str] = None, consent: Optional[str] = None, awaits_approval: Optional[AwaitsApproval] = None) -> Pages[Customer]:
        """List customers, newest first."""
        result: Pages[Customer] = self._pages("listCustomers", "/v1/customers", {"limit": limit, "cursor": cursor, "q": q, "status": status, "from": from_, "to": to, "activeFrom": active_from, "activeTo": active_to, "holds": holds, "consent": consent, "awaitsApproval": awaits_approval})
        return result

    def create_customer(self, body: NewCustomer, *, idempotency_key: Optional[str] = None) -> Customer:
        """Create a customer without a card."""
        result: Customer = self._write("createCustomer", "/v1/customers", body or {}, idempotency_key)
        return result

    def register_customer(self, body: Registration, *, idempotency_key: Optional[str] = None) -> Customer:
        """Register a customer into a campaign."""
        result: Customer = self._write("registerCustomer", "/v1/customers/register", body or {}, idempotency_key)
        return result

    def find_customer(self, *, q: str) -> CustomerWithCoupons:
        """Find a customer by phone, email or barcode."""
        result: CustomerWithCoupons = self._read("findCustomer", "/v1/customers/find", {"q": q})
        return result

    def get_customer(self, id: str) -> CustomerWithExpiry:
        """Get a customer with cards, balances, coupons and upcoming expirations."""
        result: CustomerWithExpiry = self._read("getCustomer", f"/v1/customers/{_in_path(id)}", {})
        return result

    def patch_customer(self, id: str, body: Optional[CustomerPatch] = None) -> Customer:
        """Change a customer's profile."""
        result: Customer = self._send("patchCustomer", "PATCH", f"/v1/customers/{_in_path(id)}", body or {}, True)
        return result

    def block_customer(self, id: str, body: Optional[NoBody] = None, *, idempotency_key: Optional[str] = None) -> Customer:
        """Block a customer."""
        result: Customer = self._write("blockCustomer", f"/v1/customers/{_in_path(id)}/block", body or {}, idempotency_key)
        return result

    def unblock_customer(self, id: str, body: Optional[NoBody] = None, *, idempotency_key: Optional[str] = None) -> Customer:
        """Unblock a customer."""
        result: Customer = self._write("unblockCustomer", f"/v1/customers/{_in_path(id)}/unblock", body or {}, idempotency_key)
        return result

    def adjust_balance(self, id: str, body: Adjustment, *, idempotency_key: Optional[str] = None) -> LedgerEntry:
        """Adjust a balance by hand."""
        result: LedgerEntry = self._write("adjustBalance", f"/v1/customers/{_in_path(id)}/adjustments", body or {}, idempotency_key)
        return result

    def erase_customer(self, id: str, body: Optional[NoBody] = None, *, idempotency_key: Optional[str] = None) -> ErasedCustomer:
        """Erase a customer's personal data."""
        result: ErasedCustomer = self._write("eraseCustomer", f"/v1/customers/{_in_path(id)}/erase", body or {}, idempotency_key)
        return result

    def export_customer(self, id: str) -> CustomerExport:
        """Export everything stored about a customer."""
        result: CustomerExport = self._read("exportCustomer", f"/v1/customers/{_in_path(id)}/export", {})
        return result

    def list_customer_transactions(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> Pages[Transaction]:
        """List a customer's transactions, newest first."""
        result: Pages[Transaction] = self._pages("listCustomerTransactions", f"/v1/customers/{_in_path(id)}/transactions", {"limit": limit, "cursor": cursor})
        return result

    def list_ledger_entries(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> Pages[LedgerEntry]:
        """List a customer's ledger entries, newest first."""
        result: Pages[LedgerEntry] = self._pages("listLedgerEntries", f"/v1/customers/{_in_path(id)}/ledger", {"limit": limit, "cursor": cursor})
        return result

    def list_customer_coupons(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> Pages[Coupon]:
        """List a customer's coupons in any status, newest first."""
        result: Pages[Coupon] = self._pages("listCustomerCoupons", f"/v1/customers/{_in_path(id)}/coupons", {"limit": limit, "cursor": cursor})
        return result

    def get_card(self, id: str) -> Card:
        """Get a card."""
        result: Card = self._read("getCard", f"/v1/cards/{_in_path(id)}", {})
        return result

    def block_card(self, id: str, body: Optional[NoBody] = None, *, idempotency_key: Optional[str] = None) -> Card:
        """Block a card."""
        result: Card = self._write("blockCard", f"/v1/cards/{_in_path(id)}/block", body or {}, idempotency_key)
        return result

    def unblock_card(self, id: str, body: Optional[NoBody] = None, *, idempotency_key: Optional[str] = None) -> Card:
        """Unblock a card."""
        result: Card = self._write("unblockCard", f"/v1/cards/{_in_path(id)}/unblock", body or {}, idempotency_key)
        return result

    def replace_card(self, id: str, body: Optional[NoBody] = None, *, idempotency_key: Optional[str] = None) -> Card:
        """Replace a card with a new one."""
        result: Card = self._write("replaceCard", f"/v1/cards/{_in_path(id)}/replace", body or {}, idempotency_key)
        return result

    def revoke_wallet(self, id: str, body: Optional[NoBody] = None, *, idempotency_key: Optional[str] = None) -> Card:
        """Revoke the URL of a card's wallet page."""
        result: Card = self._write("revokeWallet", f"/v1/cards/{_in_path(id)}/wallet/revoke", body or {}, idempotency_key)
        return result

    def renew_wallet(self, id: str, body: Optional[NoBody] = None, *, idempotency_key: Optional[str] = None) -> Card:
        """Give a card's wallet page a new URL."""
        result: Card = self._write("renewWallet", f"/v1/cards/{_in_path(id)}/wallet/renew", body or {}, idempotency_key)
        return result

    def show_wallet(self, id: str, body: Optional[NoBody] = None, *, idempotency_key: Optional[str] = None) -> Card:
        """Get the URL of a card's wallet page, to show it to the customer."""
        result: Card = self._write("showWallet", f"/v1/cards/{_in_path(id)}/wallet/show", body or {}, idempotency_key)
        return result

    def get_card_barcode(self, id: str, *, kind: Optional[Literal["code128", "qr"]] = None) -> str:
        """Get the barcode of a card as an image."""
        result: str = self._read("getCardBarcode", f"/v1/cards/{_in_path(id)}/barcode.svg", {"kind": kind})
        return result

    def validate_transaction(self, body: Basket, *, include: Optional[Literal["spendable"]] = None) -> TransactionPreview:
        """Preview a basket without committing anything."""
        result: TransactionPreview = self._send("validateTransaction", "POST", "/v1/transactions/validate" + _query({"include": include}), body or {}, True)
        return result

    def process_transaction(self, body: Basket, *, include: Optional[Literal["walletUrl"]] = None, idempotency_key: Optional[str] = None) -> ProcessedTransaction:
        """Process a basket."""
        result: ProcessedTransaction = self._write("processTransaction", "/v1/transactions/process" + _query({"include": include}), body or {}, idempotency_key)
        return result

    def get_transaction(self, id: str) -> Transaction:
        """Get a transaction with its items and what it did."""
        result: Transaction = self._read("getTransaction", f"/v1/transactions/{_in_path(id)}", {})
        return result

    def list_transactions(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, opaque_id: Optional[str] = None, customer: Optional[str] = None, branch: Optional[str] = None, card: Optional[str] = None, status: Optional[TransactionStatus] = None, from_: Optional[str] = None, to: Optional[str] = None, spent: Optional[str] = None) -> Pages[Transaction]:
        """List transactions, newest first."""
        result: Pages[Transaction] = self._pages("listTransactions", "/v1/transactions", {"limit": limit, "cursor": cursor, "opaqueId": opaque_id, "customer": customer, "branch": branch, "card": card, "status": status, "from": from_, "to": to, "spent": spent})
        return result

    def validate_return(self, id: str, body: Optional[ReturnRequest] = None) -> ReturnPreview:
        """Preview a return without committing anything."""
        result: ReturnPreview = self._send("validateReturn", "POST", f"/v1/transactions/{_in_path(id)}/return/validate", body or {}, True)
        return result

    def return_transaction(self, id: str, body: Optional[ReturnRequest] = None, *, idempotency_key: Optional[str] = None) -> SaleReturn:
        """Return a sale, in full, by item or by amount."""
        result: SaleReturn = self._write("returnTransaction", f"/v1/transactions/{_in_path(id)}/return", body or {}, idempotency_key)
        return result

    def list_coupons(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, status: Optional[CouponStatus] = None, customer: Optional[str] = None, campaign: Optional[str] = None, from_: Optional[str] = None, to: Optional[str] = None, ended_from: Optional[str] = None, ended_to: Optional[str] = None) -> Pages[Coupon]:
        """List coupons, newest first."""
        result: Pages[Coupon] = self._pages("listCoupons", "/v1/coupons", {"limit": limit, "cursor": cursor, "status": status, "customer": customer, "campaign": campaign, "from": from_, "to": to, "endedFrom": ended_from, "endedTo": ended_to})
        return result

    def issue_coupon(self, body: NewCoupon, *, idempotency_key: Optional[str] = None) -> Coupon:
        """Issue a coupon by hand."""
        result: Coupon = self._write("issueCoupon", "/v1/coupons", body or {}, idempotency_key)
        return result

    def get_coupon(self, id: str) -> Coupon:
        """Get a coupon."""
        result: Coupon = self._read("getCoupon", f"/v1/coupons/{_in_path(id)}", {})
        return result

    def revoke_coupon(self, id: str, body: Optional[NoBody] = None, *, idempotency_key: Optional[str] = None) -> Coupon:
        """Revoke a coupon."""
        result: Coupon = self._write("revokeCoupon", f"/v1/coupons/{_in_path(id)}/revoke", body or {}, idempotency_key)
        return result

    def list_campaigns(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, status: Optional[CampaignStatus] = None) -> Pages[Campaign]:
        """List campaigns, newest first."""
        result: Pages[Campaign] = self._pages("listCampaigns", "/v1/campaigns", {"limit": limit, "cursor": cursor, "status": status})
        return result

    def create_campaign(self, body: CampaignDefinition, *, idempotency_key: Optional[str] = None) -> Campaign:
        """Create a campaign as a draft."""
        result: Campaign = self._write("createCampaign", "/v1/campaigns", body or {}, idempotency_key)
        return result

    def get_campaign(self, id: str) -> Campaign:
        """Get a campaign."""
        result: Campaign = self._read("getCampaign", f"/v1/campaigns/{_in_path(id)}", {})
        return result

    def patch_campaign(self, id: str, body: Optional[CampaignPatch] = None) -> Campaign:
        """Change a campaign's draft."""
        result: Campaign = self._send("patchCampaign", "PATCH", f"/v1/campaigns/{_in_path(id)}", body or {}, True)
        return result

    def publish_campaign(self, id: str, body: Optional[NoBody] = None, *, idempotency_key: Optional[str] = None) -> Campaign:
        """Publish the draft as the next version."""
        result: Campaign = self._write("publishCampaign", f"/v1/campaigns/{_in_path(id)}/publish", body or {}, idempotency_key)
        return result

    def pause_campaign(self, id: str, body: Optional[NoBody] = None, *, idempotency_key: Optional[str] = None) -> Campaign:
        """Pause a campaign: no registrations, and nothing is collected."""
        result: Campaign = self._write("pauseCampaign", f"/v1/campaigns/{_in_path(id)}/pause", body or {}, idempotency_key)
        return result

    def archive_campaign(self, id: str, body: Optional[NoBody] = None, *, idempotency_key: Optional[str] = None) -> Campaign:
        """Archive a campaign permanently."""
        result: Campaign = self._write("archiveCampaign", f"/v1/campaigns/{_in_path(id)}/archive", body or {}, idempotency_key)
        return result

    def preview_campaign(self, id: str, body: Optional[TriedBasket] = None) -> Outcome:
        """Try the draft on a basket and a wallet."""
        result: Outcome = self._send("previewCampaign", "POST", f"/v1/campaigns/{_in_path(id)}/preview", body or {}, True)
        return result

    def list_campaign_versions(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> Pages[CampaignVersion]:
        """List the published versions, newest first."""
        result: Pages[CampaignVersion] = self._pages("listCampaignVersions", f"/v1/campaigns/{_in_path(id)}/versions", {"limit": limit, "cursor": cursor})
        return result

    def compare_campaign_versions(self, id: str, *, from_: Optional[int] = None, to: Optional[int] = None) -> CampaignChanges:
        """Compare two versions, or see what publishing would change."""
        result: CampaignChanges = self._read("compareCampaignVersions", f"/v1/campaigns/{_in_path(id)}/changes", {"from": from_, "to": to})
        return result

    def get_rule_schemas(self) -> RuleSchemas:
        """Get the schemas of campaign parts, to build a form from."""
        result: RuleSchemas = self._read("getRuleSchemas", "/v1/rule-schemas", {})
        return result

    def list_campaign_templates(self) -> list[CampaignTemplate]:
        """List campaign templates."""
        result: list[CampaignTemplate] = self._read("listCampaignTemplates", "/v1/campaign-templates", {})
        return result

    def backtest_campaign(self, id: str, body: Optional[BacktestRequest] = None) -> Backtest:
        """Try the draft on the sales of a range of days."""
        result: Backtest = self._send("backtestCampaign", "POST", f"/v1/campaigns/{_in_path(id)}/backtest", body or {}, False)
        return result

    def get_enrollment(self, id: str) -> Enrollment:
        """Get how customers can enroll themselves."""
        result: Enrollment = self._read("getEnrollment", f"/v1/campaigns/{_in_path(id)}/enrollment", {})
        return result

    def patch_enrollment(self, id: str, body: Optional[EnrollmentPatch] = None) -> Enrollment:
        """Let customers enroll themselves, or stop it."""
        result: Enrollment = self._send("patchEnrollment", "PATCH", f"/v1/campaigns/{_in_path(id)}/enrollment", body or {}, True)
        return result

    def list_products(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, q: Optional[str] = None) -> Pages[DirectoryEntry]:
        """List products, newest first."""
        result: Pages[DirectoryEntry] = self._pages("listProducts", "/v1/products", {"limit": limit, "cursor": cursor, "q": q})
        return result

    def create_product(self, body: dict[str, Any], *, idempotency_key: Optional[str] = None) -> DirectoryEntry:
        """Add a product."""
        result: DirectoryEntry = self._write("createProduct", "/v1/products", body or {}, idempotency_key)
        return result

    def get_product(self, id: str) -> DirectoryEntry:
        """Get a product."""
        result: DirectoryEntry = self._read("getProduct", f"/v1/products/{_in_path(id)}", {})
        return result

    def patch_product(self, id: str, body: Optional[dict[str, Any]] = None) -> DirectoryEntry:
        """Change a product."""
        result: DirectoryEntry = self._send("patchProduct", "PATCH", f"/v1/products/{_in_path(id)}", body or {}, True)
        return result

    def list_branches(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, q: Optional[str] = None) -> Pages[DirectoryEntry]:
        """List branches, newest first."""
        result: Pages[DirectoryEntry] = self._pages("listBranches", "/v1/branches", {"limit": limit, "cursor": cursor, "q": q})
        return result

    def create_branch(self, body: dict[str, Any], *, idempotency_key: Optional[str] = None) -> DirectoryEntry:
        """Add a branch."""
        result: DirectoryEntry = self._write("createBranch", "/v1/branches", body or {}, idempotency_key)
        return result

    def get_branch(self, id: str) -> DirectoryEntry:
        """Get a branch."""
        result: DirectoryEntry = self._read("getBranch", f"/v1/branches/{_in_path(id)}", {})
        return result

    def patch_branch(self, id: str, body: Optional[dict[str, Any]] = None) -> DirectoryEntry:
        """Change a branch."""
        result: DirectoryEntry = self._send("patchBranch", "PATCH", f"/v1/branches/{_in_path(id)}", body or {}, True)
        return result

    def list_users(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, q: Optional[str] = None) -> Pages[DirectoryEntry]:
        """List users, newest first."""
        result: Pages[DirectoryEntry] = self._pages("listUsers", "/v1/users", {"limit": limit, "cursor": cursor, "q": q})
        return result

    def create_user(self, body: dict[str, Any], *, idempotency_key: Optional[str] = None) -> DirectoryEntry:
        """Add a user."""
        result: DirectoryEntry = self._write("createUser", "/v1/users", body or {}, idempotency_key)
        return result

    def get_user(self, id: str) -> DirectoryEntry:
        """Get a user."""
        result: DirectoryEntry = self._read("getUser", f"/v1/users/{_in_path(id)}", {})
        return result

    def patch_user(self, id: str, body: Optional[dict[str, Any]] = None) -> DirectoryEntry:
        """Change a user."""
        result: DirectoryEntry = self._send("patchUser", "PATCH", f"/v1/users/{_in_path(id)}", body or {}, True)
        return result

    def list_imports(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, kind: Optional[ImportKind] = None, file_hash: Optional[str] = None, status: Optional[ImportStatus] = None, dry_run: Optional[DryRunFilter] = None) -> Pages[Import]:
        """List imports, newest first."""
        result: Pages[Import] = self._pages("listImports", "/v1/imports", {"limit": limit, "cursor": cursor, "kind": kind, "fileHash": file_hash, "status": status, "dryRun": dry_run})
        return result

    def begin_import(self, body: NewImport, *, idempotency_key: Optional[str] = None) -> Import:
        """Begin an import."""
        result: Import = self._write("beginImport", "/v1/imports", body or {}, idempotency_key)
        return result

    def import_rows(self, id: str, body: ImportRows) -> ImportedRows:
        """Send rows of a file."""
        result: ImportedRows = self._send("importRows", "POST", f"/v1/imports/{_in_path(id)}/rows", body or {}, False)
        return result

    def finish_import(self, id: str, body: Optional[NoBody] = None, *, idempotency_key: Optional[str] = None) -> Import:
        """Finish an import."""
        result: Import = self._write("finishImport", f"/v1/imports/{_in_path(id)}/finish", body or {}, idempotency_key)
        return result

    def get_import(self, id: str) -> Import:
        """Get an import."""
        result: Import = self._read("getImport", f"/v1/imports/{_in_path(id)}", {})
        return result

    def list_rejected_rows(self, id: str, *, cursor: Optional[str] = None, limit: Optional[int] = None) -> Pages[RejectedRow]:
        """List the rows that were rejected."""
        result: Pages[RejectedRow] = self._pages("listRejectedRows", f"/v1/imports/{_in_path(id)}/rejected", {"cursor": cursor, "limit": limit})
        return result

    def export_customers(self, *, cursor: Optional[str] = None, limit: Optional[int] = None) -> Pages[ExportedCustomer]:
        """Export all customers, oldest first."""
        result: Pages[ExportedCustomer] = self._pages("exportCustomers", "/v1/exports/customers", {"cursor": cursor, "limit": limit})
        return result

    def get_till_organization(self) -> TillOrganization:
        """Get what a till has to know about its organization, and its own scopes."""
        result: TillOrganization = self._read("getTillOrganization", "/v1/till/organization", {})
        return result

    def list_till_balances(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> Pages[TillBalance]:
        """List the names of balances, by key."""
        result: Pages[TillBalance] = self._pages("listTillBalances", "/v1/till/balances", {"limit": limit, "cursor": cursor})
        return result

    def list_till_products(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, q: Optional[str] = None, opaque_id: Optional[list[str]] = None) -> Pages[TillProduct]:
        """List products for a till, by category and name."""
        result: Pages[TillProduct] = self._pages("listTillProducts", "/v1/till/products", {"limit": limit, "cursor": cursor, "q": q, "opaqueId": opaque_id})
        return result

    def list_till_branches(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, q: Optional[str] = None, opaque_id: Optional[list[str]] = None) -> Pages[TillBranch]:
        """List branches for a till, by name."""
        result: Pages[TillBranch] = self._pages("listTillBranches", "/v1/till/branches", {"limit": limit, "cursor": cursor, "q": q, "opaqueId": opaque_id})
        return result

    def get_summary(self, *, from_: Optional[str] = None, to: Optional[str] = None) -> Summary:
        """Get figures for a range of days."""
        result: Summary = self._read("getSummary", "/v1/reports/summary", {"from": from_, "to": to})
        return result

    def list_daily_figures(self, *, from_: Optional[str] = None, to: Optional[str] = None) -> DailyFiguresList:
        """List figures by day."""
        result: DailyFiguresList = self._read("listDailyFigures", "/v1/reports/daily", {"from": from_, "to": to})
        return result

    def check_integrity(self) -> Integrity:
        """Verify that ledger, balances, coupons and reports agree."""
        result: Integrity = self._read("checkIntegrity", "/v1/integrity", {})
        return result

    def list_events(self, *, after: Optional[str] = None, limit: Optional[int] = None, types: Optional[list[EventType]] = None, customer: Optional[str] = None, wait: Optional[int] = None) -> EventList:
        """Read the events, in order."""
        result: EventList = self._read("listEvents", "/v1/events", {"after": after, "limit": limit, "types": types, "customer": customer, "wait": wait})
        return result

    def list_webhooks(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> Pages[Webhook]:
        """List the webhooks, newest first."""
        result: Pages[Webhook] = self._pages("listWebhooks", "/v1/webhooks", {"limit": limit, "cursor": cursor})
        return result

    def add_webhook(self, body: NewWebhook) -> WebhookWithSecret:
        """Send events to an address of yours; the secret is shown once."""
        result: WebhookWithSecret = self._send("addWebhook", "POST", "/v1/webhooks", body or {}, False)
        return result

    def get_webhook(self, id: str) -> Webhook:
        """Get a webhook."""
        result: Webhook = self._read("getWebhook", f"/v1/webhooks/{_in_path(id)}", {})
        return result

    def patch_webhook(self, id: str, body: Optional[PatchWebhook] = None) -> Webhook:
        """Change, pause or resume a webhook."""
        result: Webhook = self._send("patchWebhook", "PATCH", f"/v1/webhooks/{_in_path(id)}", body or {}, True)
        return result

    def delete_webhook(self, id: str) -> None:
        """Delete a webhook."""
        result: None = self._send("deleteWebhook", "DELETE", f"/v1/webhooks/{_in_path(id)}", None, True)
        return result

    def rotate_webhook_secret(self, id: str, body: Optional[Rotation] = None) -> WebhookWithSecret:
        """Rotate a webhook's secret."""
        result: WebhookWithSecret = self._send("rotateWebhookSecret", "POST", f"/v1/webhooks/{_in_path(id)}/rotate", body or {}, False)
        return result

    def test_webhook(self, id: str, body: Optional[NoBody] = None, *, idempotency_key: Optional[str] = None) -> Delivery:
        """Send a test to a webhook."""
        result: Delivery = self._write("testWebhook", f"/v1/webhooks/{_in_path(id)}/test", body or {}, idempotency_key)
        return result

    def list_deliveries(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, status: Optional[DeliveryStatus] = None) -> Pages[Delivery]:
        """List what was sent to a webhook, newest first."""
        result: Pages[Delivery] = self._pages("listDeliveries", f"/v1/webhooks/{_in_path(id)}/deliveries", {"limit": limit, "cursor": cursor, "status": status})
        return result

    def get_delivery(self, id: str) -> Delivery:
        """Get a delivery."""
        result: Delivery = self._read("getDelivery", f"/v1/deliveries/{_in_path(id)}", {})
        return result

    def replay_delivery(self, id: str, body: Optional[NoBody] = None, *, idempotency_key: Optional[str] = None) -> Delivery:
        """Send an event again."""
        result: Delivery = self._write("replayDelivery", f"/v1/deliveries/{_in_path(id)}/replay", body or {}, idempotency_key)
        return result

    def replay_events(self, id: str, body: ReplayRange, *, idempotency_key: Optional[str] = None) -> Replayed:
        """Send the events of a time again."""
        result: Replayed = self._write("replayEvents", f"/v1/webhooks/{_in_path(id)}/replay", body or {}, idempotency_key)
        return result

    def list_sources(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> Pages[Source]:
        """List the sources, newest first."""
        result: Pages[Source] = self._pages("listSources", "/v1/sources", {"limit": limit, "cursor": cursor})
        return result

    def add_source(self, body: NewSource) -> SourceWithSecret:
        """Let another system send its sales."""
        result: SourceWithSecret = self._send("addSource", "POST", "/v1/sources", body or {}, False)
        return result

    def get_source(self, id: str) -> Source:
        """Get a source."""
        result: Source = self._read("getSource", f"/v1/sources/{_in_path(id)}", {})
        return result

    def patch_source(self, id: str, body: Optional[PatchSource] = None) -> Source:
        """Change, pause or resume a source."""
        result: Source = self._send("patchSource", "PATCH", f"/v1/sources/{_in_path(id)}", body or {}, True)
        return result

    def delete_source(self, id: str) -> None:
        """Delete a source."""
        result: None = self._send("deleteSource", "DELETE", f"/v1/sources/{_in_path(id)}", None, True)
        return result

    def try_source(self, id: str, body: TrySource) -> SourceTrial:
        """See what would be made of a message."""
        result: SourceTrial = self._send("trySource", "POST", f"/v1/sources/{_in_path(id)}/try", body or {}, False)
        return result

    def list_received_messages(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, status: Optional[ReceivedStatus] = None) -> Pages[ReceivedMessage]:
        """List what a source has sent, newest first."""
        result: Pages[ReceivedMessage] = self._pages("listReceivedMessages", f"/v1/sources/{_in_path(id)}/received", {"limit": limit, "cursor": cursor, "status": status})
        return result

    def get_received_message(self, id: str) -> ReceivedMessageWithContent:
        """Get what came, and what was made of it."""
        result: ReceivedMessageWithContent = self._read("getReceivedMessage", f"/v1/received/{_in_path(id)}", {})
        return result

    def retry_received_message(self, id: str, body: Optional[NoBody] = None, *, idempotency_key: Optional[str] = None) -> ReceivedMessage:
        """Try again to record what came."""
        result: ReceivedMessage = self._write("retryReceivedMessage", f"/v1/received/{_in_path(id)}/retry", body or {}, idempotency_key)
        return result

    def list_senders(self) -> SenderList:
        """List what sends your messages."""
        result: SenderList = self._read("listSenders", "/v1/senders", {})
        return result

    def set_email_sender(self, body: EmailSenderInput) -> Sender:
        """Set up your mail server."""
        result: Sender = self._send("setEmailSender", "PUT", "/v1/senders/email", body or {}, True)
        return result

    def delete_email_sender(self) -> None:
        """Stop sending by email."""
        result: None = self._send("deleteEmailSender", "DELETE", "/v1/senders/email", None, True)
        return result

    def set_sms_sender(self, body: SmsSenderInput) -> SmsSender:
        """Set up your SMS provider; a new secret is shown once."""
        result: SmsSender = self._send("setSmsSender", "PUT", "/v1/senders/sms", body or {}, True)
        return result

    def delete_sms_sender(self) -> None:
        """Stop sending by SMS."""
        result: None = self._send("deleteSmsSender", "DELETE", "/v1/senders/sms", None, True)
        return result

    def test_email_sender(self, body: EmailTest, *, idempotency_key: Optional[str] = None) -> Message:
        """Send a test by email."""
        result: Message = self._write("testEmailSender", "/v1/senders/email/test", body or {}, idempotency_key)
        return result

    def test_sms_sender(self, body: SmsTest, *, idempotency_key: Optional[str] = None) -> Message:
        """Send a test by SMS."""
        result: Message = self._write("testSmsSender", "/v1/senders/sms/test", body or {}, idempotency_key)
        return result

    def list_message_kinds(self) -> MessageKindList:
        """List the kinds of messages, with what was sent."""
        result: MessageKindList = self._read("listMessageKinds", "/v1/message-kinds", {})
        return result

    def patch_message_kind(self, kind: str, body: Optional[MessageKindPatch] = None) -> MessageKindSettings:
        """Switch messages on or off that are sent by themselves."""
        result: MessageKindSettings = self._send("patchMessageKind", "PATCH", f"/v1/message-kinds/{_in_path(kind)}", body or {}, True)
        return result

    def list_message_texts(self, kind: str) -> MessageTextList:
        """List the texts of a kind of message."""
        result: MessageTextList = self._read("listMessageTexts", f"/v1/message-kinds/{_in_path(kind)}/texts", {})
        return result

    def set_message_text(self, kind: str, channel: str, language: str, body: MessageText) -> MessageTextView:
        """Write a text in your own words."""
        result: MessageTextView = self._send("setMessageText", "PUT", f"/v1/message-kinds/{_in_path(kind)}/texts/{_in_path(channel)}/{_in_path(language)}", body or {}, True)
        return result

    def delete_message_text(self, kind: str, channel: str, language: str) -> None:
        """Go back to our words."""
        result: None = self._send("deleteMessageText", "DELETE", f"/v1/message-kinds/{_in_path(kind)}/texts/{_in_path(channel)}/{_in_path(language)}", None, True)
        return result

    def preview_message(self, kind: str, body: MessagePreviewInput) -> MessagePreview:
        """See how a message would look."""
        result: MessagePreview = self._send("previewMessage", "POST", f"/v1/message-kinds/{_in_path(kind)}/preview", body or {}, True)
        return result

    def list_messages(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, customer: Optional[str] = None, kind: Optional[MessageKind] = None, status: Optional[MessageStatus] = None) -> Pages[Message]:
        """List the messages, newest first."""
        result: Pages[Message] = self._pages("listMessages", "/v1/messages", {"limit": limit, "cursor": cursor, "customer": customer, "kind": kind, "status": status})
        return result

    def send_card_link(self, body: NewMessage, *, idempotency_key: Optional[str] = None) -> Message:
        """Send a customer the link to the own card."""
        result: Message = self._write("sendCardLink", "/v1/messages", body or {}, idempotency_key)
        return result

    def get_message(self, id: str) -> Message:
        """Get a message."""
        result: Message = self._read("getMessage", f"/v1/messages/{_in_path(id)}", {})
        return result

    def retry_message(self, id: str, body: Optional[NoBody] = None, *, idempotency_key: Optional[str] = None) -> Message:
        """Send a message now that failed, or may not have arrived."""
        result: Message = self._write("retryMessage", f"/v1/messages/{_in_path(id)}/retry", body or {}, idempotency_key)
        return result

    def note_bounce(self, id: str, body: Optional[NoBody] = None, *, idempotency_key: Optional[str] = None) -> Message:
        """Report that a message came back."""
        result: Message = self._write("noteBounce", f"/v1/messages/{_in_path(id)}/bounced", body or {}, idempotency_key)
        return result

    def get_organization(self) -> Organization:
        """Get the organization of the token."""
        result: Organization = self._read("getOrganization", "/v1/organization", {})
        return result

    def patch_organization(self, body: Optional[OrganizationPatch] = None) -> Organization:
        """Change the organization of the token."""
        result: Organization = self._send("patchOrganization", "PATCH", "/v1/organization", body or {}, True)
        return result

    def list_test_organizations(self) -> TestOrganizationList:
        """List the test organizations."""
        result: TestOrganizationList = self._read("listTestOrganizations", "/v1/test-organizations", {})
        return result

    def add_test_organization(self, body: NewTestOrganization) -> TestOrganizationWithCredentials:
        """Create a test organization; the API key and secret of its connection are shown once."""
        result: TestOrganizationWithCredentials = self._send("addTestOrganization", "POST", "/v1/test-organizations", body or {}, False)
        return result

    def delete_test_organization(self, id: str) -> None:
        """Delete a test organization with everything in it."""
        result: None = self._send("deleteTestOrganization", "DELETE", f"/v1/test-organizations/{_in_path(id)}", None, True)
        return result

    def get_test_clock(self) -> TestClock:
        """Get the time in a test organization."""
        result: TestClock = self._read("getTestClock", "/v1/test-clock", {})
        return result

    def advance_test_clock(self, body: Optional[ClockAdvance] = None, *, idempotency_key: Optional[str] = None) -> AdvancedClock:
        """Set the clock of a test organization forward."""
        result: AdvancedClock = self._write("advanceTestClock", "/v1/test-clock/advance", body or {}, idempotency_key)
        return result

    def get_wallet_passes(self) -> WalletPasses:
        """Check the keys for passes in Apple Wallet and Google Wallet."""
        result: WalletPasses = self._read("getWalletPasses", "/v1/wallet-passes", {})
        return result

    def patch_wallet_passes(self, body: Optional[PatchWalletPasses] = None) -> WalletPasses:
        """Set the keys for passes in Apple Wallet and Google Wallet."""
        result: WalletPasses = self._send("patchWalletPasses", "PATCH", "/v1/wallet-passes", body or {}, True)
        return result

    def list_own_connections(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, person: Optional[str] = None) -> Pages[OwnConnection]:
        """List the connections of the organization, newest first."""
        result: Pages[OwnConnection] = self._pages("listOwnConnections", "/v1/connections", {"limit": limit, "cursor": cursor, "person": person})
        return result

    def add_connection(self, body: NewConnection) -> OwnConnectionWithCredentials:
        """Create a connection for your own software; its API key and secret are shown once."""
        result: OwnConnectionWithCredentials = self._send("addConnection", "POST", "/v1/connections", body or {}, False)
        return result

    def rotate_connection(self, id: str, body: Optional[Rotation] = None) -> NewSecret:
        """Rotate a connection's API secret."""
        result: NewSecret = self._send("rotateConnection", "POST", f"/v1/connections/{_in_path(id)}/rotate", body or {}, False)
        return result

    def revoke_connection(self, id: str, body: Optional[Revocation] = None, *, idempotency_key: Optional[str] = None) -> OwnConnection:
        """Revoke a connection permanently."""
        result: OwnConnection = self._write("revokeConnection", f"/v1/connections/{_in_path(id)}/revoke", body or {}, idempotency_key)
        return result

    def list_requests(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, status: Optional[RequestOutcome] = None, q: Optional[str] = None, connection: Optional[str] = None, from_: Optional[str] = None, to: Optional[str] = None) -> Pages[LoggedRequest]:
        """List the organization's recent requests, newest first."""
        result: Pages[LoggedRequest] = self._pages("listRequests", "/v1/requests", {"limit": limit, "cursor": cursor, "status": status, "q": q, "connection": connection, "from": from_, "to": to})
        return result

    def get_request(self, id: str) -> LoggedRequestDetails:
        """Get a request with its body and its response."""
        result: LoggedRequestDetails = self._read("getRequest", f"/v1/requests/{_in_path(id)}", {})
        return result

    def list_audit_entries(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, q: Optional[str] = None, by: Optional[str] = None, from_: Optional[str] = None, to: Optional[str] = None) -> Pages[AuditEntry]:
        """List who changed what, newest first."""
        result: Pages[AuditEntry] = self._pages("listAuditEntries", "/v1/audit", {"limit": limit, "cursor": cursor, "q": q, "by": by, "from": from_, "to": to})
        return result

# End of what is generated.
