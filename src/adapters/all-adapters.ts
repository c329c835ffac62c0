import type { SourceKind } from '../domain/source.ts'
import type { Adapter } from './adapter.ts'
import { json } from './json.ts'
import { shopify } from './shopify.ts'
import { square } from './square.ts'

export const allAdapters: Record<SourceKind, Adapter> = { square, shopify, json }
