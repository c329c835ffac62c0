import type { BuildOptions } from 'esbuild'

export const bundle: BuildOptions & { readonly entryPoints: string[] }
