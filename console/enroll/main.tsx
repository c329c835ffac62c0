import './enroll.css'
import { StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { startLanguages } from '../i18n/languages.ts'
import { EnrollPage } from './enroll-page.tsx'

await startLanguages(['enroll'])
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <Suspense>
      <EnrollPage />
    </Suspense>
  </StrictMode>,
)
