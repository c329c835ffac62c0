import './wallet.css'
import './sections.css'
import './full-screen.css'
import { StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { startLanguages } from '../i18n/languages.ts'
import { WalletPage } from './wallet-page.tsx'

await startLanguages(['wallet', 'balances'])
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <Suspense>
      <WalletPage />
    </Suspense>
  </StrictMode>,
)
