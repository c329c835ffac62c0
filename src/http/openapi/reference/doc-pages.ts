/** The pages under /docs besides the API reference, by their paths; `scripts/build-docs.mjs` renders them. */
export const docPages = {
  'guides/api': 'Using the API',
  errors: 'Errors',
  'guides/cookbook': 'Campaign cookbook',
  'guides/enrollment': 'Customers who enroll themselves',
  'guides/messages': 'Messages',
  'guides/wallet-passes': 'Wallet passes',
  'guides/running': 'Running it',
  'guides/operate': 'Operating it',
  'guides/capacity': 'Capacity',
  'guides/scale': 'Growing',
  glossary: 'Glossary',
  changelog: 'Changelog',
}
