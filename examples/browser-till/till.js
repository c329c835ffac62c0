import { createLoyaltyWallet, inStorage, isRefusal, OutcomeUnknown } from '/sdk/index.js'

const wallet = createLoyaltyWallet({
  baseUrl: '/loyalty',
  authorize: () => undefined,
  pending: inStorage(localStorage),
})
const result = document.getElementById('result')

// Sales that had no answer when the page was closed.
for (const write of await wallet.pending()) await wallet.settle(write).catch(() => {})

document.getElementById('sale').addEventListener('submit', async (event) => {
  event.preventDefault()
  const { who, amount } = Object.fromEntries(new FormData(event.target))
  try {
    const { cards } = await wallet.findCustomer({ q: who })
    const sale = await wallet.processTransaction({ barcode: cards[0].barcode, amount: Number(amount) })
    result.textContent = `Charge ${sale.totals.due}. ${sale.executedActions.actions.length} actions.`
    event.target.reset()
  } catch (error) {
    if (error instanceof OutcomeUnknown) result.textContent = 'No answer. The points follow.'
    else if (isRefusal(error, 'customer_not_found')) result.textContent = 'Nobody has this phone or card.'
    else result.textContent = error.message
  }
})
