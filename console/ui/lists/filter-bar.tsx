import { Button } from '@mantine/core'
import { Children, Fragment, isValidElement, type ReactElement, type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../i18n/format.ts'
import { IconAdjustmentsHorizontal } from '../icons.ts'
import classes from './filter-bar.module.css'
import type { Filters } from './filters.ts'
import { SearchField, searchName } from './search-field.tsx'

interface FilterBarProps {
  /** The filter fields, as one fragment. */
  readonly controls: ReactNode
  readonly filters: Filters
  /** Actions on the list, at the end of the bar. */
  readonly children: ReactNode
}

/**
 * The filter fields of a list. On a small screen they would fill the page, so only the search stays visible
 * and the others unfold.
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
  // Controls that are not filters, such as a button, do not fold.
  const isFolding = others.length > 0 && hidden.length > 0
  return (
    <div className={classes.bar}>
      {search}
      {isFolding && (
        <Button
          variant="default"
          className={classes.fold}
          leftSection={<IconAdjustmentsHorizontal size={16} />}
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
