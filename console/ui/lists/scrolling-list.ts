/** Native scrolling for a long list of options: Mantine's scroll area cannot be reached by keyboard. */
export const scrollingList = {
  withScrollArea: false,
  styles: { options: { maxHeight: 250, overflowY: 'auto' } },
} as const
