import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '../page.css'
import { DirectionProvider, localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError } from '../../api/client.ts'
import { startLanguages } from '../../i18n/languages.ts'
import { colors, theme } from '../../theme.ts'
import { toast } from '../toast.ts'
import { Waiting } from '../waiting.tsx'

const colorSchemes = localStorageColorSchemeManager({ key: 'lw-color-scheme' })

interface PageOptions {
  /** Called when the service reports that the session has ended. */
  readonly onSignedOut: () => void
}

/**
 * Runs requests even without a network: by default they wait silently, while this fails and can be reported.
 */
const networkMode = 'always'

/** Refusals are final; other failures are retried twice. */
function mayRetry(failures: number, error: Error): boolean {
  return failures < 2 && !(error instanceof ApiError && error.status < 500 && error.status !== 429)
}

function createQueryClient({ onSignedOut }: PageOptions): QueryClient {
  const look = (error: Error) => {
    // A wrong password, such as when choosing a new one, does not end the session.
    if (error instanceof ApiError && error.status === 401 && error.code !== '_invalid_credentials')
      onSignedOut()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError: look }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, mutation) => {
        look(error)
        if (!mutation.meta?.isShownInPlace) toast.failure(error)
      },
    }),
    defaultOptions: {
      queries: {
        networkMode,
        retry: mayRetry,
        staleTime: 10_000,
        refetchOnWindowFocus: false,
        refetchOnReconnect: true,
      },
      mutations: { networkMode },
    },
  })
}

/** Wraps every Mantine page: theme, language, queries and toasts. */
export async function mountPage(
  namespaces: readonly string[],
  page: (queries: QueryClient) => ReactNode,
  options: PageOptions,
): Promise<void> {
  await startLanguages(namespaces)
  const queries = createQueryClient(options)
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <DirectionProvider>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={colors}
          defaultColorScheme="auto"
          colorSchemeManager={colorSchemes}
        >
          <Notifications position="bottom-right" />
          <QueryClientProvider client={queries}>
            <ModalsProvider>
              <Suspense fallback={<Waiting />}>{page(queries)}</Suspense>
            </ModalsProvider>
          </QueryClientProvider>
        </MantineProvider>
      </DirectionProvider>
    </StrictMode>,
  )
}
