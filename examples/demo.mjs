// The credentials of the demo, which `npm start` writes. In your own software they come from its settings.
import { readFile } from 'node:fs/promises'
import { createLoyaltyWallet } from '../sdk/dist/index.js'

export const demo = JSON.parse(await readFile(process.env.DEMO ?? 'data/demo.json', 'utf8'))

export const openWallet = (options = {}) =>
  createLoyaltyWallet({
    baseUrl: demo.baseUrl,
    apiKey: demo.apiKey,
    apiSecret: demo.apiSecret,
    ...options,
  })

export const prices = { espresso: 2.5, latte: 3.5, cappuccino: 3.5, croissant: 3 }
