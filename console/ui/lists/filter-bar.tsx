import { Button } from '@mantine/core'
import { IconAdjustmentsHorizontal } from '@tabler/icons-react'
import { Children, Fragment, isValidElement, type ReactElement, type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../i18n/format.ts'
import classes from './filter-bar.module.css'
import type { Filters } from './filters.ts'
import { SearchField, searchName } from './search-field.tsx'

interface FilterBarProps {
  /** The fields, as a list names them in one fragment. */
  readonly controls: ReactNode
  readonly filters: Filters
  /** What can be done with the list, at its end. */
  readonly children: ReactNode
}

/**
 * The fields of a list. Where there is little room they would fill the screen: there only the search stays,
 * the others open.
 */
export function FilterBar({ controls, filters, children }: FilterBarProps) {
  const { t } = useTranslation('common')
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const fields = fieldsOf(controls)
  const search = fields.filter(isSearch)
  const others = fields.filter((field) => !isSearch(field))
  const searched = search.map(({ props }) => props.name ?? searchName)
  const hidden = Object.entries(filters).filter(([name]) => !searched.includes(name))
  const active = hidden.filter(([, value]) => value).length
  // What is no filter, such as a button, has nothing to hide behind.
  const isFolding = others.length > 0 && hidden.length > 0
  return (
    <div className={classes.bar}>
      {search}
      {isFolding && (
        <Button
          variant="default"
          className={classes.fold}
          leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          {active === 0 ? t('list.filter') : t('list.filterActive', { active: formatNumber(active) })}
        </Button>
      )}
      {others.length > 0 && (
        <div id={id} className={classes.others} data-open={isOpen || !isFolding}>
          {others}
        </div>
      )}
      <div className={classes.end}>{children}</div>
    </div>
  )
}

function fieldsOf(controls: ReactNode): ReactNode[] {
  const inner = isValidElement<{ children?: ReactNode }>(controls) && controls.type === Fragment
  return Children.toArray(inner ? controls.props.children : controls)
}

const isSearch = (field: ReactNode): field is ReactElement<Parameters<typeof SearchField>[0]> =>
  isValidElement(field) && field.type === SearchField
