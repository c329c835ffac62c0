import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const inReact =
  /node_modules[\\/](?:react|react-dom|scheduler|i18next|react-i18next)[\\/]|console[\\/]i18n[\\/](?:format|languages)\.ts/
const inBase =
  /node_modules[\\/](?:@mantine|@floating-ui|@tanstack|clsx)|console[\\/](?:ui|api|theme|paths)|^\0virtual:icon\//

const { icons: outlines } = JSON.parse(
  readFileSync(fileURLToPath(import.meta.resolve('@iconify-json/tabler/icons.json')), 'utf8'),
)

const service = `http://127.0.0.1:${Number(process.env.PORT) || 8080}`

/** Routes like the service: a page has more than one path. */
const addressesOfPages: Plugin = {
  name: 'addresses-of-pages',
  configureServer({ middlewares }) {
    middlewares.use((request, _reply, next) => {
      const { pathname } = new URL(request.url ?? '/', service)
      if (/^\/console(?:\/|$)/.test(pathname)) request.url = '/console.html'
      else if (pathname === '/till') request.url = '/till.html'
      else if (/^\/j\/[\w-]+$/.test(pathname)) request.url = '/enroll.html'
      else if (/^\/w\/[\w-]+$/.test(pathname)) request.url = '/wallet.html'
      next()
    })
  },
}

/** How each outline is drawn, besides its path. */
const pen =
  / (?:fill="none"|stroke="currentColor"|stroke-(?:linecap|linejoin)="round"|stroke-width="2"|d="[^"]+")/g

/**
 * `virtual:icon/plus` is the outline of that name in Tabler's collection. With a package that has a component for
 * each of the six thousand outlines, npm would install two thirds more files.
 */
const icons: Plugin = {
  name: 'icons',
  resolveId: (id) => (id.startsWith('virtual:icon/') ? `\0${id}` : undefined),
  load(id) {
    if (!id.startsWith('\0virtual:icon/')) return
    const name = id.slice('\0virtual:icon/'.length)
    const body: string = outlines[name]?.body ?? ''
    if (!/^(?:<g>)?(?:<path\/>)+(?:<\/g>)?$/.test(body.replace(pen, ''))) {
      this.error(`There is no outline "${name}". The names are those of icon-sets.iconify.design/tabler.`)
    }
    const paths = [...body.matchAll(/ d="([^"]+)"/g)].map(([, path]) => path)
    const code = `import { drawIcon } from '/ui/icon.tsx'
export default /* @__PURE__ */ drawIcon(${JSON.stringify(paths)})`
    return { code, moduleSideEffects: false }
  },
}

/** Four pages that share code. `npm run dev` serves them in front of a running service. */
export default defineConfig({
  root: here('.'),
  base: '/',
  plugins: [react(), icons, addressesOfPages],
  build: {
    emptyOutDir: true,
    target: 'es2022',
    // Inlined data: URLs would need a looser Content Security Policy for fonts and images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
    rollupOptions: {
      input: {
        console: here('console.html'),
        till: here('till.html'),
        wallet: here('wallet.html'),
        enroll: here('enroll.html'),
      },
      output: {
        // Without this, every small shared module is its own file, and a first load requests 70.
        codeSplitting: {
          groups: [
            { name: 'react', test: inReact, priority: 2 },
            // Only modules that the console or the till load initially: the wallet page must not load the
            // component library.
            { name: 'base', test: inBase, tags: ['$initial'], minShareCount: 2, priority: 1 },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    port: 5173,
    proxy: Object.fromEntries(
      ['/v1', '/auth', '/docs', '/openapi.json', '^/[jw]/[^/]+/'].map((path) => [path, service]),
    ),
  },
})
