import type { Adapter, SourceKind } from './adapter.ts'
import { json } from './json.ts'
import { shopify } from './shopify.ts'
import { square } from './square.ts'

export const allAdapters: Record<SourceKind, Adapter> = { square, shopify, json }
