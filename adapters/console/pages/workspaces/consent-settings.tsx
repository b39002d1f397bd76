import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import { CONSENT_TOPICS, type ConsentTopic, type OptOut } from '../../../../core/consent/consent.js'
import { MAX_OPT_OUT_WORDS, type OptOutWords, SHIPPED_WORDS } from '../../../../core/consent/words.js'
import { MAX_TEXT_LENGTH } from '../../../../core/kernel/text.js'
import { type Answer, type ConsolePath, redirect } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import type { UsesOf } from '../../gateway.js'
import { actIn, type InWorkspace, type Page, type PageDeps } from '../../page.js'
import { Behind, ChoiceField, faultAt, LinesField, Panel, type Refused, Tick } from '../../parts.js'
import { TEXTS } from '../../texts.js'

const { consentSettings: texts } = TEXTS

/** The use cases behind the settings of consent. */
export type ConsentSettingsUses = Pick<UsesOf<'consent'>, 'setMarketingConsent' | 'setOptOut' | 'showSettings'>

/** The settings that are shown. */
export type ShownConsentSettings = { readonly optOut: OptOut; readonly marketingNeedsConsent: boolean }

/** The result of a form, if one was submitted. */
export type Outcome = Refused & { readonly typed?: Readonly<Record<string, string>> }

/** More than the largest list of words that can be set. */
const MAX_WRITTEN_WORDS = 48_000

/** A line for each language: `de: STOPP, ABMELDEN`. Punctuation does not distinguish words, so a comma within a word is written as a space. */
export const writeWords = (words: OptOutWords): string =>
  Object.entries(words).map(([language, list]) => `${language}: ${list.map((word) => word.replace(/[,،\s]+/g, ' ')).join(', ')}`).join('\n')

/** Reads the lines that people write. Left: the first line that does not name a language before a colon. */
export const readWords = (written: string): E.Either<string, OptOutWords> => {
  const lines = written.split(/\r\n|\r|\n/).map((line) => line.trim()).filter((line) => line !== '')
  const words = new Map<string, ReadonlyArray<string>>()
  for (const line of lines) {
    const at = line.indexOf(':')
    if (at < 1) return E.left(line)
    const language = line.slice(0, at).trim()
    const list = line.slice(at + 1).split(/[,،]/).map((word) => word.trim()).filter((word) => word !== '')
    words.set(language, [...words.get(language) ?? [], ...list])
  }
  return E.right(Object.fromEntries(words))
}

/** The forms of the settings of consent; `show` shows the page of settings with a refusal. */
export const consentSettingsPages = (
  deps: PageDeps, path: string, consent: ConsentSettingsUses, show: (page: InWorkspace, outcome: Outcome) => Promise<Answer>,
): ReadonlyArray<Page> => [
  {
    path: `${path}/opt-out`,
    hasLargeForm: true,
    post: actIn(deps, 'consent.set_words', async ({ request: { form }, by, workspace, signedIn, again }) => {
      const wrong = (at: string, problem: string) => again((page) => show(page, { problem, at, typed: form }))
      const words = readWords(form['words'] ?? '')
      const reply = (form['reply'] ?? '').replaceAll('\r\n', '\n')
      const topic: ConsentTopic = CONSENT_TOPICS.find((one) => one === form['of']) ?? 'marketing'
      if (E.isLeft(words) && isAllowed(signedIn.principal, 'consent.set_words', { id: workspace })) {
        return wrong('words', texts.wrong.line(words.left.slice(0, 40)))
      }
      const optOut = { words: E.isLeft(words) ? {} : words.right, topic, ...(reply.trim() !== '' && { reply }) }
      const set = await consent.setOptOut({ by, workspace, optOut })
      if (E.isRight(set)) return redirect(settingsPath(workspace))
      return set.left._tag === 'InvalidOptOut'
        ? wrong(set.left.field, texts.wrong[set.left.field](set.left.reason))
        : failurePage(set.left, signedIn)
    }),
  },
  {
    path: `${path}/consent`,
    post: actIn(deps, 'workspace.set_consent', async ({ request: { form }, by, workspace, signedIn }) => {
      const set = await consent.setMarketingConsent({ by, workspace, needsConsent: form['needed'] !== undefined })
      return E.isRight(set) ? redirect(settingsPath(workspace)) : failurePage(set.left, signedIn)
    }),
  },
]

const settingsPath = (workspace: string): ConsolePath => `/console/workspaces/${workspace}/settings`

/** The words that stop messages, what is answered, and whether marketing needs consent, for those who may change it. */
export const ConsentPanels = ({ page: { workspace, signedIn: { principal } }, path, settings, outcome }: {
  readonly page: InWorkspace; readonly path: string; readonly settings: ShownConsentSettings; readonly outcome: Outcome
}): VNode => {
  const { optOut, marketingNeedsConsent } = settings
  const { typed = {} } = outcome
  const topic = typed['of'] ?? optOut.topic
  return (
    <>
      {isAllowed(principal, 'consent.set_words', workspace) && (
        <Panel id="opt-out" title={texts.title}>
          <form method="post" action={`${path}/opt-out`}>
            <LinesField
              id="words" label={texts.words} hint={texts.wordsHint(MAX_OPT_OUT_WORDS)} required={false} maxLength={MAX_WRITTEN_WORDS}
              value={typed['words'] ?? writeWords(optOut.words)} {...faultAt(outcome, 'words')}
            />
            <Behind title={texts.shipped} sentence={texts.shippedHint}>
              <pre class="soft" tabindex={0} role="region" aria-label={texts.shipped}>{writeWords(SHIPPED_WORDS)}</pre>
            </Behind>
            <ChoiceField id="of" label={texts.of}>
              {CONSENT_TOPICS.map((one) => <option key={one} value={one} selected={one === topic}>{texts.topics[one]}</option>)}
            </ChoiceField>
            <LinesField
              id="reply" label={texts.reply} hint={texts.replyHint} required={false} maxLength={MAX_TEXT_LENGTH}
              value={typed['reply'] ?? optOut.reply} {...faultAt(outcome, 'reply')}
            />
            <div><button>{texts.save}</button></div>
          </form>
        </Panel>
      )}
      {isAllowed(principal, 'workspace.set_consent', workspace) && (
        <Panel id="marketing-consent" title={texts.needed}>
          <form method="post" action={`${path}/consent`}>
            <Tick id="needed" label={texts.needsConsent} hint={texts.neededHint} isTicked={marketingNeedsConsent} />
            <div><button>{texts.saveNeeded}</button></div>
          </form>
        </Panel>
      )}
    </>
  )
}
