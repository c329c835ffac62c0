/** A receipt of an imaginary till and the mapping for it, to begin with. Both work as they are. */
export const examplePayload = {
  event: 'receipt.closed',
  receipt: {
    number: 'R-10042',
    closedAt: '2026-03-14T09:26:00Z',
    guest: { card: '', email: 'ada@example.com' },
    lines: [
      { sku: 'latte', text: 'Latte', count: 2, price: 4.2 },
      { sku: 'croissant', text: 'Croissant', count: 1, price: 3, reduction: 0.5 },
    ],
  },
}

export const exampleMapping = `(
  $guest := receipt.guest;
  event = "receipt.closed" ? {
    "type": "sale",
    "opaqueId": receipt.number,
    "occurredAt": receipt.closedAt,
    "who": {
      "barcode": $guest.card != "" ? $guest.card,
      "email": $guest.email
    },
    "items": [receipt.lines.{
      "product": sku,
      "name": text,
      "quantity": count,
      "unitPrice": price,
      "discountAmount": reduction
    }]
  } :
  event = "receipt.refunded" ? {
    "type": "return",
    "sale": receipt.number,
    "opaqueId": receipt.number & "-refund"
  }
)`
