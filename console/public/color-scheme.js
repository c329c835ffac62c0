// Runs before the first paint, so that a dark page does not flash white.
const stored = localStorage.getItem('lw-color-scheme')
const isDark = stored === 'dark' || (stored !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light'
