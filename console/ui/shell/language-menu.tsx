import { ActionIcon, Menu, Tooltip, useDirection } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { changeLanguage, directionNow, type Language, languages } from '../../i18n/languages.ts'
import { IconLanguage } from '../icons.ts'
import { toast } from '../toast.ts'

export function LanguageMenu() {
  const { t, i18n } = useTranslation('common')
  const { setDirection } = useDirection()
  const choose = async (language: Language) => {
    try {
      // Browsers never retry an import that failed, so the connection is checked first.
      await dataOf(api.GET('/livez'))
      await changeLanguage(language)
      setDirection(directionNow())
    } catch (error) {
      toast.failure(error)
    }
  }
  return (
    <Menu>
      <Menu.Target>
        <Tooltip label={t('language')}>
          <ActionIcon variant="default" size="lg" aria-label={t('language')}>
            <IconLanguage size={18} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {Object.entries(languages).map(([key, { name }]) => (
          <Menu.Item
            key={key}
            lang={key}
            aria-current={i18n.language === key}
            fw={i18n.language === key ? 600 : undefined}
            onClick={() => choose(key as Language)}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
