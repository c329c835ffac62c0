import { createContext, useContext } from 'react'
import { useTranslation } from 'react-i18next'
import type { Definition } from './definition.ts'
import type { Problem } from './places.ts'

interface FormSurroundings {
  readonly definition: Definition
  /** The problem that the service found in the last attempt. */
  readonly problem?: Problem
  readonly timeZone: string
  readonly currency: string
  /** Id of the edited campaign, which cannot refer to itself. */
  readonly campaign?: string
}

export const FormContext = createContext<FormSurroundings | undefined>(undefined)

export function useForm(): FormSurroundings {
  const surroundings = useContext(FormContext)
  if (!surroundings) throw new Error('a schema field must be inside a form')
  return surroundings
}

/**
 * The titles and descriptions of the schemas in the reader's language. The English text itself is the key,
 * and is shown where a language has no text for it.
 */
export function useSchemaTexts(): (text: string | undefined) => string {
  const { t, i18n } = useTranslation('schema-texts')
  const asIs = { ns: 'schema-texts', keySeparator: false, nsSeparator: false } as const
  return (text = '') => (i18n.exists(text, asIs) ? t(text, asIs) : text)
}
