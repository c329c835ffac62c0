import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { explainError, keyPattern, toPlace, toSentence, type ValidationError } from './validation-error.ts'

const sentencesOf = (error: ValidationError) => explainError(error).map((wrong) => toSentence(wrong))
const error = (keyword: string, params: object, instancePath = '/items/0'): ValidationError => ({
  keyword,
  params,
  instancePath,
})

describe('an error of either validator', () => {
  test.each<{ sentence: string; ajv: ValidationError; value: unknown }>([
    {
      sentence: 'items[0].key: is missing.',
      ajv: error('required', { missingProperty: 'key' }),
      value: { items: [{}] },
    },
    {
      sentence: 'items[0].tip: unknown property.',
      ajv: error('additionalProperties', { additionalProperty: 'tip' }),
      value: { items: [{ key: 'a', tip: 1 }] },
    },
    {
      sentence: 'items[0].key: must be a string.',
      ajv: error('type', { type: 'string' }, '/items/0/key'),
      value: { items: [{ key: 1 }] },
    },
    {
      sentence: 'items[0].key: must be 1 to 64 letters, digits, dots, underscores or dashes.',
      ajv: error('pattern', { pattern: keyPattern }, '/items/0/key'),
      value: { items: [{ key: '?' }] },
    },
    {
      sentence: 'items[0].amount: must be at most 9.',
      ajv: error('maximum', { comparison: '<=', limit: 9 }, '/items/0/amount'),
      value: { items: [{ key: 'a', amount: 10 }] },
    },
    {
      sentence: 'items: must not be empty.',
      ajv: error('minItems', { limit: 1 }, '/items'),
      value: { items: [] },
    },
    { sentence: 'The body must be an object.', ajv: error('type', { type: 'object' }, ''), value: 7 },
  ])('is one sentence: $sentence', ({ sentence, ajv, value }) => {
    const item = Type.Object(
      { key: Type.String({ pattern: keyPattern }), amount: Type.Optional(Type.Number({ maximum: 9 })) },
      { additionalProperties: false },
    )
    const schema = Type.Object({ items: Type.Array(item, { minItems: 1 }) })
    expect(sentencesOf(ajv)).toEqual([sentence])
    const found = Value.Errors(schema, value).filter(({ keyword }) => keyword !== 'boolean')
    expect(found.flatMap(sentencesOf)).toEqual([sentence])
  })
})

test('a place is written as the client writes it, and a long name is cut', () => {
  expect(toPlace(['rules', 1, 'when', 'days'])).toBe('rules[1].when.days')
  expect(toPlace(['x'.repeat(65)])).toBe(`${'x'.repeat(64)}…`)
})
