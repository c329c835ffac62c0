import { type ChangeEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react'

interface Draft {
  readonly subject: string
  readonly body: string
}
type Name = keyof Draft
type Field = HTMLInputElement | HTMLTextAreaElement

/** Fields of a text into which a placeholder is inserted where the cursor is, or was last. */
export function useInsertion(draft: Draft, onChange: (draft: Draft) => void) {
  const subject = useRef<HTMLInputElement>(null)
  const body = useRef<HTMLTextAreaElement>(null)
  const fields = { subject, body }
  const last = useRef<Name>('body')
  const [caret, setCaret] = useState<{ readonly name: Name; readonly at: number }>()
  // Once the field shows the new text, the cursor stands behind what was inserted.
  useLayoutEffect(() => {
    const field: Field | null | undefined = caret && fields[caret.name].current
    if (!caret || !field) return
    field.focus()
    field.setSelectionRange(caret.at, caret.at)
  }, [caret])
  return {
    insert(placeholder: string) {
      const name = fields[last.current].current ? last.current : 'body'
      const field = fields[name].current!
      const text = draft[name]
      const start = field.selectionStart ?? text.length
      const inserted = `{${placeholder}}`
      onChange({
        ...draft,
        [name]: text.slice(0, start) + inserted + text.slice(field.selectionEnd ?? start),
      })
      setCaret({ name, at: start + inserted.length })
    },
    fieldOf: <N extends Name>(name: N) => ({
      ref: fields[name] as RefObject<never>,
      value: draft[name],
      onFocus: () => {
        last.current = name
      },
      onChange: ({ currentTarget: { value } }: ChangeEvent<Field>) => onChange({ ...draft, [name]: value }),
    }),
  }
}
