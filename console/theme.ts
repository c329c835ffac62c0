import { Badge, type CSSVariablesResolver, createTheme, type MantineColorsTuple, Menu } from '@mantine/core'
import i18next from 'i18next'
import { decimalSeparator } from './i18n/format.ts'

/** Shade 8 on white has a contrast of 6.1, and white on it as well. */
const pine: MantineColorsTuple = [
  '#e7f7f4',
  '#d3ebe6',
  '#a6d7cd',
  '#75c2b2',
  '#4db19c',
  '#33a68e',
  '#1f8f7a',
  '#128070',
  '#0b6e63',
  '#045549',
]

/**
 * Our own color, also for cards whose merchant has chosen none. The service uses the same
 * (`src/http/assets/wallet-icon.ts`).
 */
export const brandColor = pine[8]

export const theme = createTheme({
  colors: { pine },
  primaryColor: 'pine',
  primaryShade: { light: 8, dark: 7 },
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily:
    'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Arabic", sans-serif',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Badges are not uppercase, and never truncated: a narrow column would leave only an ellipsis.
    Badge: Badge.extend({ defaultProps: { tt: 'none', fw: 600, miw: 'max-content' } }),
    Modal: {
      // Evaluated on each render, since the language may change. This header is not the page's banner.
      defaultProps: () => ({
        closeButtonProps: { 'aria-label': i18next.t('common:close') },
        attributes: { header: { role: 'none' } },
      }),
    },
    // The decimal separator follows the reader's language, which may change as well.
    NumberInput: { defaultProps: () => ({ decimalSeparator: decimalSeparator() }) },
    // Otherwise an invisible element in the menu takes the focus, which confuses screen readers.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
  },
})

/** Mantine's gray for secondary text has a contrast of 3.3 on white; AA requires 4.5. */
export const colors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#f6f7f6',
    '--mantine-color-dimmed': '#55625f',
    '--mantine-color-placeholder': '#6a7673',
    '--mantine-color-error': '#c92a2a',
    // Contrast on their light background: Mantine's orange 3.6 and yellow 2.7, these 5.6 and 6.5.
    '--mantine-color-orange-light-color': '#a03c08',
    '--mantine-color-yellow-light-color': '#7a4d00',
    '--lw-surface': '#ffffff',
  },
  dark: {
    '--mantine-color-dimmed': '#a9b5b2',
    '--mantine-color-placeholder': '#98a4a1',
    '--mantine-color-error': '#ff8787',
    // On a hovered row, Mantine's link color has a contrast of 4.3; this one has 5.4.
    '--mantine-color-anchor': 'var(--mantine-primary-color-3)',
    // Contrast of white on filled red buttons in the dark theme: Mantine's 3.8, these 5.5 and 4.5.
    '--mantine-color-red-filled': 'var(--mantine-color-red-9)',
    '--mantine-color-red-filled-hover': 'var(--mantine-color-red-8)',
    '--lw-surface': 'var(--mantine-color-dark-6)',
  },
})
