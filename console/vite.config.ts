import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Three pages that share their parts. `npm run dev:web` serves them with a running service behind. */
export default defineConfig({
  root: here('.'),
  base: '/',
  plugins: [react()],
  build: {
    emptyOutDir: true,
    target: 'es2022',
    // A data: address would need a wider policy for fonts and images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
    rollupOptions: {
      input: { console: here('console.html'), till: here('till.html'), wallet: here('wallet.html') },
    },
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      ['/v1', '/auth', '/docs', '/openapi.json'].map((path) => [path, 'http://127.0.0.1:8080']),
    ),
  },
})
