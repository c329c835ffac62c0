import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { idempotencyHeaders } from '../../api/idempotency-key.ts'
import { useAsk } from '../../ui/use-ask.tsx'

/** Actions on a card; each asks for confirmation. */
export function useCardActions({ id }: Schemas['Card']) {
  const { t } = useTranslation('customers')
  const ask = useAsk()
  const options = () => ({ params: { path: { id }, header: idempotencyHeaders() }, body: {} as never })
  return {
    renew: () =>
      ask({
        title: t('card.renewTitle'),
        about: t('card.renewAbout'),
        confirm: t('card.renew'),
        run: () => dataOf(api.POST('/v1/cards/{id}/wallet/renew', options())),
        done: t('card.renewed'),
      }),
    revoke: () =>
      ask({
        title: t('card.revokeTitle'),
        about: t('card.revokeAbout'),
        confirm: t('card.revoke'),
        isDangerous: true,
        run: () => dataOf(api.POST('/v1/cards/{id}/wallet/revoke', options())),
        done: t('card.revoked'),
      }),
    block: () =>
      ask({
        title: t('card.blockTitle'),
        about: t('card.blockAbout'),
        confirm: t('card.block'),
        isDangerous: true,
        run: () => dataOf(api.POST('/v1/cards/{id}/block', options())),
        done: t('card.blocked'),
      }),
    unblock: () =>
      ask({
        title: t('card.unblockTitle'),
        about: t('card.unblockAbout'),
        confirm: t('card.unblock'),
        run: () => dataOf(api.POST('/v1/cards/{id}/unblock', options())),
        done: t('card.unblocked'),
      }),
    replace: () =>
      ask({
        title: t('card.replaceTitle'),
        about: t('card.replaceAbout'),
        confirm: t('card.replace'),
        isDangerous: true,
        run: () => dataOf(api.POST('/v1/cards/{id}/replace', options())),
        done: t('card.replaced'),
      }),
  }
}
