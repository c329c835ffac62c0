/**
 * A long list of choices that scrolls by itself: the library's own scroll area cannot be reached by the
 * keyboard.
 */
export const scrollingList = {
  withScrollArea: false,
  styles: { options: { maxHeight: 250, overflowY: 'auto' } },
} as const
