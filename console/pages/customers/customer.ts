import type { Schemas } from '../../api/client.ts'

export type Customer = Schemas['CustomerWithExpiry']
